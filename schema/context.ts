import type { Principal, Tenant } from '../src/features/tenants/tenants.types.ts';
import type { Logger } from '../src/platform/logger.ts';
import type { Services } from '../src/services.ts';

/** What a resolver gets beside its arguments; the HTTP layer makes one for every request, REST and GraphQL alike. */
export interface GraphQLContext {
  principal: Principal;
  /** The tenant acted for: the key's own, or the one an admin named; throws VALIDATION_FAILED (422) when an admin named none. */
  tenant(): Tenant;
  services: Services;
  requestId: string;
  log: Logger;
  /** `Idempotency-Key` of the request, where it carried one. */
  idempotencyKey?: string | null;
  /** Headers that a resolver adds to the answer; written by resolvers, read by the REST layer. */
  responseHeaders: Record<string, string>;
}
