import type { Services } from '../src/features/services.ts';
import type { Principal, Tenant } from '../src/features/tenants/tenants.types.ts';
import type { BoundedReads } from '../src/limits/bounded-reads.ts';
import type { IdempotentCommit } from '../src/platform/commit/idempotency/idempotent-commit.ts';
import type { Logger } from '../src/platform/logger.ts';

/** Context of resolvers; the HTTP layer creates one per request, for REST and GraphQL. */
export interface GraphQLContext {
  principal: Principal;
  /**
   * Returns the tenant that the request acts for: the API key's own, or the one that an admin key names.
   * @throws AppError VALIDATION_FAILED if an admin key names none; NOT_FOUND
   */
  tenant(): Tenant;
  /**
   * Returns the same tenant; null if an admin key names none.
   * @throws AppError VALIDATION_FAILED if an admin key names it wrongly; NOT_FOUND
   */
  namedTenant(): Tenant | null;
  services: Services;
  /** Bounds the size of what resolvers read for the response. */
  reads: BoundedReads;
  requestId: string;
  /** Address of the client (`TRUSTED_PROXIES`); null if the connection has ended. */
  clientAddress: string | null;
  /** Aborted when the request ends: its client disconnects, the database is unavailable, or a stream has to end. */
  signal: AbortSignal;
  /** Aborted when the server stops: a request that waits responds with what it has. */
  readonly stopping: AbortSignal;
  log: Logger;
  /**
   * `Idempotency-Key` of the request; null if it has none or does not use it.
   * @throws AppError VALIDATION_FAILED if it is malformed
   */
  readonly idempotencyKey: string | null;
  /**
   * Commit that writes the record of the key: an operation with the extension `COMMITS_ONCE` passes it to its service. Null
   * if the request has no key, or the key was claimed. Set before the operation is executed.
   */
  idempotency: IdempotentCommit | null;
  /** Revisions of the resource that a change applies to (`If-Match`); null for any revision. */
  readonly expectedRevisions: readonly number[] | null;
  /** Revision of the resource in the response; null if the resource has none. */
  revision: number | null;
  /** Response headers of the operation. */
  responseHeaders: Record<string, string>;
  /** Position in the events of a subscription. */
  subscription: {
    /** Id of the event after which the subscription begins, as the client sent it; null for events from now on. */
    readonly lastEventId: string | null;
    /** Id of the event that is being resolved; null before the first one. */
    eventId: string | null;
  };
}
