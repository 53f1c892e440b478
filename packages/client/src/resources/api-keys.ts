import type {
  ApiKey,
  CreateApiKeyInput,
  CreatedApiKey,
  ListApiKeysParams,
  RotateApiKeyInput,
  UpdateApiKeyInput,
} from '../models.ts';
import type { RequestOptions } from '../options.ts';
import { byCursor, type ListPromise, requestList } from '../paging.ts';
import type { ApiPromise } from '../transport/api-promise.ts';
import type { HttpTransport } from '../transport/http-transport.ts';

const COLLECTION = '/api/v1/api-keys';
const ITEM = `${COLLECTION}/{keyId}` as const;

/** API keys of all customers. All operations require an admin key. */
export class ApiKeys {
  readonly #transport: HttpTransport;

  constructor(transport: HttpTransport) {
    this.#transport = transport;
  }

  /** Creates a key. The key itself is in this response only; store it. */
  create(body: CreateApiKeyInput, options?: RequestOptions): ApiPromise<CreatedApiKey> {
    return this.#transport.send({ method: 'POST', path: COLLECTION, body }, options);
  }

  /** Lists the keys, newest first. */
  list(query: ListApiKeysParams = {}, options?: RequestOptions): ListPromise<ApiKey> {
    return requestList(this.#transport, {
      request: { method: 'GET', path: COLLECTION, query },
      options,
      continuation: byCursor<ApiKey>,
    });
  }

  /** Returns a key's metadata. */
  get(keyId: string, options?: RequestOptions): ApiPromise<ApiKey> {
    return this.#transport.send({ method: 'GET', path: ITEM, params: { keyId } }, options);
  }

  /** Changes a key; an omitted property stays as it is. A narrower key ends its console sessions and subscriptions. */
  update(keyId: string, body: UpdateApiKeyInput, options?: RequestOptions): ApiPromise<ApiKey> {
    return this.#transport.send({ method: 'PATCH', path: ITEM, params: { keyId }, body }, options);
  }

  /**
   * Replaces a key by a new one with the same properties. The previous one stays valid for `overlapSeconds`; without it,
   * it is revoked.
   */
  rotate(keyId: string, body: RotateApiKeyInput = {}, options?: RequestOptions): ApiPromise<CreatedApiKey> {
    return this.#transport.send({ method: 'POST', path: `${ITEM}/rotate`, params: { keyId }, body }, options);
  }

  /** Revokes a key. Rejects with `CONFLICT` for the last active admin key. */
  revoke(keyId: string, options?: RequestOptions): ApiPromise<ApiKey> {
    return this.#transport.send({ method: 'DELETE', path: ITEM, params: { keyId } }, options);
  }
}
