import { Types } from 'mongoose';
import { AppError, invalid } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { cursorCodec, isObjectIdText } from '../../platform/cursor.ts';
import { newObjectId } from '../../platform/mongo/object-id.ts';
import { type Page, type PageRequest, toPage } from '../../platform/page.ts';
import { API_KEY_PATTERN, apiKeyPrefix, hashApiKey, newApiKey } from './api-key.ts';
import type { ApiKeyStore, StoredApiKey, TenantStore } from './tenants.store.ts';
import type { ApiKey, Principal, Scope } from './tenants.types.ts';

interface Deps {
  keys: ApiKeyStore;
  tenants: TenantStore;
  clock: Clock;
}

export interface NewApiKey {
  scope: Scope;
  /** The tenant of a read or write key; null for an admin key. */
  customerId: number | null;
  /** From when on it is refused; null: never. */
  expiresAt: Date | null;
}

const toApiKey = ({ _id, hash: _hash, ...key }: StoredApiKey): ApiKey => ({ id: _id.toHexString(), ...key });

const refused = () =>
  new AppError('UNAUTHENTICATED', 'A valid API key is needed: Authorization: Bearer <key>.');

export function keyService({ keys, tenants, clock }: Deps) {
  const cursor = cursorCodec(['apiKeys'], isObjectIdText);
  /** When keys were used since the last flush: one write for many requests. */
  const used = new Map<string, Date>();

  return {
    /**
     * Who an `Authorization` header speaks for.
     *
     * @throws AppError `UNAUTHENTICATED`, the same for a missing, malformed, unknown, expired or revoked key
     */
    async authenticate(authorization: string | undefined): Promise<Principal> {
      const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
      if (!key || !API_KEY_PATTERN.test(key)) throw refused();
      const stored = await keys.byHash(hashApiKey(key));
      const now = clock.now();
      if (!stored || stored.revokedAt || (stored.expiresAt && stored.expiresAt <= now)) throw refused();
      const tenant = stored.customerId === null ? null : await tenants.find(stored.customerId);
      if (!tenant && stored.scope !== 'admin') throw refused();
      const keyId = stored._id.toHexString();
      used.set(keyId, now);
      return { keyId, scope: stored.scope, tenant, expiresAt: stored.expiresAt };
    },

    /** Makes a key; it is in the answer and nowhere else. `NOT_FOUND` when the customer has no tenant. */
    async create(input: NewApiKey): Promise<{ apiKey: ApiKey; key: string }> {
      const now = clock.now();
      if (input.scope === 'admin' && input.customerId !== null)
        throw invalid('customerId', 'An admin key belongs to no customer.');
      if (input.scope !== 'admin' && input.customerId === null)
        throw invalid('customerId', `A ${input.scope} key belongs to a customer.`);
      if (input.expiresAt && input.expiresAt <= now) throw invalid('expiresAt', 'Must be in the future.');
      if (input.customerId !== null && !(await tenants.find(input.customerId)))
        throw new AppError('NOT_FOUND', `There is no customer ${input.customerId}.`);
      const key = newApiKey(input.scope);
      const stored: StoredApiKey = {
        _id: newObjectId(now),
        hash: hashApiKey(key),
        scope: input.scope,
        customerId: input.customerId,
        prefix: apiKeyPrefix(key),
        createdAt: now,
        expiresAt: input.expiresAt,
        lastUsedAt: null,
        revokedAt: null,
      };
      await keys.insert(stored);
      return { apiKey: toApiKey(stored), key };
    },

    /** Every key, newest first. */
    async list({ limit, after }: PageRequest): Promise<Page<ApiKey>> {
      const rows = await keys.list(after === null ? null : cursor.decode(after), limit + 1);
      return toPage(rows, limit, (row) => ({
        cursor: cursor.encode(row._id.toHexString()),
        node: toApiKey(row),
      }));
    },

    /** From its answer on the key is refused everywhere. Revoking again changes nothing. */
    async revoke(id: string): Promise<ApiKey> {
      const revoked =
        Types.ObjectId.isValid(id) && isObjectIdText(id) ? await keys.revoke(id, clock.now()) : null;
      if (!revoked) throw new AppError('NOT_FOUND', `There is no API key ${id}.`);
      return toApiKey(revoked);
    },

    /** Writes down which keys were used since the last time. */
    async flushUse(): Promise<void> {
      if (used.size === 0) return;
      const batch = new Map(used);
      used.clear();
      await keys.touch(batch);
    },
  };
}

export type KeyService = ReturnType<typeof keyService>;
