import { setImmediate } from 'node:timers/promises';
import { hasCode } from '../../errors/app-error.ts';
import { type KeyService, unauthenticated } from '../../features/tenants/keys.service.ts';
import { hasScope, missingScope, type Scope } from '../../features/tenants/scopes.ts';
import type { Principal } from '../../features/tenants/tenants.types.ts';
import type { SharedQuota } from '../../platform/mongo/shared-quota.ts';
import type { Exchange } from '../exchange.ts';
import type { ClientNetwork } from './client-address.ts';
import type { ClientLimits } from './client-limits.ts';
import { executionLimiter } from './key-limits.ts';
import { type failureLimiter, keyLimiter } from './rate-limits.ts';
import type { TenantTurns } from './tenant-turns.ts';

export interface AuthOptions {
  keys: KeyService;
  /** Quota of each API key; null disables it. */
  quota: SharedQuota | null;
  /** Limit on failed authentications; null disables it. */
  failures: ReturnType<typeof failureLimiter> | null;
  /** Maximum number of requests in execution per API key. */
  maxRequestsPerKey: number;
  limits: ClientLimits;
  clientNetwork: ClientNetwork;
  turns: TenantTurns;
}

/** Authenticates a request and counts it toward the rate limit of its key. */
export type Authenticate = (exchange: Exchange) => Promise<Principal>;

/**
 * Creates the authentication that REST and GraphQL share.
 * The returned function throws AppError UNAUTHENTICATED (401) or RATE_LIMITED (429).
 */
export function createAuthenticate(options: AuthOptions): Authenticate {
  const { keys, quota, failures, maxRequestsPerKey, limits, clientNetwork, turns } = options;
  const countRequest = quota && keyLimiter(quota);
  const beginExecution = executionLimiter(limits, maxRequestsPerKey);

  async function identify(exchange: Exchange): Promise<Principal> {
    const credential = exchange.req.headers.authorization;
    // A request without a credential is rejected without a lookup; it is not a guess, so it does not count as a failure.
    if (!failures || credential === undefined) return keys.authenticate(credential);
    const network = clientNetwork(exchange.req);
    try {
      // A valid key is accepted regardless of failed authentications of other clients behind the same address.
      return await keys.authenticate(credential, { throttled: failures.isExceeded(network) });
    } catch (error) {
      if (hasCode(error, 'UNAUTHENTICATED')) await failures.count(network);
      throw error;
    }
  }

  return async (exchange) => {
    await bodyOfSamePacket(exchange);
    exchange.receivedBeforeKey = exchange.req.complete;
    const principal = await identify(exchange);
    exchange.recheckKey = async () => {
      if (!(await keys.isActive(principal.keyId))) throw unauthenticated();
    };
    await countRequest?.(exchange, principal.keyId);
    await beginExecution(exchange, principal.keyId);
    turns.recordRequest(principal);
    return principal;
  };
}

/** Lets the parser process a body that arrived in the same packet as the headers, which it reports first. */
async function bodyOfSamePacket({ req: { headers } }: Exchange): Promise<void> {
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
    await setImmediate();
}

/** @throws AppError FORBIDDEN */
export function requireScope({ scope }: Principal, required: Scope): void {
  if (!hasScope(scope, required)) throw missingScope(required);
}
