import type { GraphQLContext } from '../../schema/context.ts';
import { AppError, hasCode } from '../errors/app-error.ts';
import { InputIssues } from '../errors/input-issues.ts';
import type { Services } from '../features/services.ts';
import type { Principal, Tenant } from '../features/tenants/tenants.types.ts';
import { BoundedReads } from '../limits/bounded-reads.ts';
import type { Logger } from '../platform/logger.ts';
import { unnamedTenant } from './access/tenant-resolution.ts';
import { checkIdempotencyKey } from './idempotency-key.ts';
import type { RequestScope } from './request-scope.ts';

interface ContextOptions {
  clientAddress: string | null;
  principal: Principal;
  /** As `resolveTenant`: an error is thrown only if a resolver uses the tenant. */
  tenant: Tenant | AppError | null;
  /** As sent; null if absent. An invalid key is an error only in an operation that uses it. */
  idempotencyKey: string | null;
  /** `Last-Event-ID` as sent; null or absent if the request has none. */
  lastEventId?: string | null;
  scope: Pick<RequestScope, 'requestId' | 'signal' | 'stopping'>;
  /** Null or absent if a change applies to any revision. */
  expectedRevisions?: readonly number[] | null;
  services: Services;
  log: Logger;
}

/** Creates the context of one request's resolvers, for REST and GraphQL. */
export function createContext(options: ContextOptions): GraphQLContext {
  const { scope, clientAddress, principal, tenant, idempotencyKey, services, log } = options;
  const { lastEventId = null, expectedRevisions = null } = options;
  const namedTenant = () => {
    if (tenant instanceof AppError) throw tenant;
    return tenant;
  };
  return {
    principal,
    namedTenant,
    tenant() {
      const named = namedTenant();
      if (!named) throw unnamedTenant();
      return named;
    },
    get idempotencyKey() {
      if (idempotencyKey === null) return null;
      // The tenant's 404 precedes the 422 of an invalid key (contract 4).
      if (hasCode(tenant, 'NOT_FOUND')) throw tenant;
      const issues = new InputIssues();
      checkIdempotencyKey(idempotencyKey, issues);
      issues.throwIfAny();
      return idempotencyKey;
    },
    idempotency: null,
    services,
    reads: new BoundedReads(),
    requestId: scope.requestId,
    clientAddress,
    signal: scope.signal,
    get stopping() {
      return scope.stopping;
    },
    log,
    expectedRevisions,
    revision: null,
    responseHeaders: {},
    subscription: { lastEventId, eventId: null },
  };
}
