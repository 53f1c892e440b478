import { setImmediate } from 'node:timers/promises';
import { hasCode } from '../../errors/app-error.ts';
import type { ConsoleSessions } from '../../features/tenants/console-sessions.ts';
import {
  EndedSession,
  type KeyLookUp,
  type KeyService,
  unauthenticated,
} from '../../features/tenants/keys.service.ts';
import { hasScope, missingScope, type Scope } from '../../features/tenants/scopes.ts';
import type { Principal } from '../../features/tenants/tenants.types.ts';
import type { KeyRequests } from '../../limits/key-limits.ts';
import { type failureLimiter, keyLimiter } from '../../limits/rate-limits.ts';
import type { SharedQuota } from '../../limits/shared-quota.ts';
import type { TenantTurns } from '../../limits/tenant-turns.ts';
import {
  isUseOfSession,
  presentsSession,
  readSessionCookie,
  sessionCookie,
} from '../console/session-cookie.ts';
import type { Exchange } from '../exchange.ts';
import type { ClientNetwork } from './client-address.ts';

export interface AuthOptions {
  keys: KeyService;
  sessions: ConsoleSessions;
  /** Quota of each API key; null disables it. */
  quota: SharedQuota | null;
  /** Limit on failed authentications; null disables it. */
  failures: ReturnType<typeof failureLimiter> | null;
  requests: KeyRequests;
  clientNetwork: ClientNetwork;
  turns: TenantTurns;
}

/** Authenticates a request and counts it toward the rate limit of its key. */
export type Authenticate = (exchange: Exchange) => Promise<Principal>;

interface Authentication {
  /** Accepts an API key. */
  byKey: Authenticate;
  /** Accepts an API key or, without an `Authorization` header, a request of the console with its session. */
  byKeyOrSession: Authenticate;
}

/**
 * Creates the authentication that REST and GraphQL share.
 * The returned functions throw AppError UNAUTHENTICATED (401) or RATE_LIMITED (429).
 */
export function createAuthenticate(options: AuthOptions): Authentication {
  const { keys, sessions, quota, failures, requests, clientNetwork, turns } = options;
  const countRequest = quota && keyLimiter(quota);

  /** Counts failures of `authenticate` toward the limit of the client's network. @throws AppError RATE_LIMITED */
  async function limited<T>(exchange: Exchange, authenticate: (lookUp: KeyLookUp) => Promise<T>): Promise<T> {
    if (!failures) return authenticate({});
    const network = clientNetwork(exchange.req);
    try {
      // A valid key is accepted regardless of failed authentications of other clients behind the same address.
      return await authenticate({ throttled: failures.isExceeded(network) });
    } catch (error) {
      if (hasCode(error, 'UNAUTHENTICATED') && !(error instanceof EndedSession))
        await failures.count(network);
      throw error;
    }
  }

  async function identifyKey(exchange: Exchange): Promise<Principal> {
    const credential = exchange.req.headers.authorization;
    // A request without a credential is rejected without a lookup; it is not a guess, so it does not count as a failure.
    const principal =
      credential === undefined
        ? await keys.authenticate(credential)
        : await limited(exchange, (lookUp) => keys.authenticate(credential, lookUp));
    exchange.recheckKey = async () => {
      if (!(await keys.isActive(principal))) throw unauthenticated();
    };
    return principal;
  }

  async function identifyKeyOrSession(exchange: Exchange): Promise<Principal> {
    const { req } = exchange;
    if (req.headers.authorization !== undefined || !presentsSession(req)) return identifyKey(exchange);
    const token = readSessionCookie(req);
    const session = await limited(exchange, (lookUp) => sessions.authenticate(token, lookUp));
    const { principal, leftMs, renewedToken } = session;
    exchange.sessionLeftMs = leftMs;
    const renewed = isUseOfSession(req) ? renewedToken() : null;
    if (renewed !== null) exchange.headers.push('Set-Cookie', sessionCookie(req, renewed));
    exchange.recheckKey = async () => {
      await sessions.authenticate(token, { uncached: true });
    };
    return principal;
  }

  const authenticateWith =
    (identify: (exchange: Exchange) => Promise<Principal>): Authenticate =>
    async (exchange) => {
      await bodyOfSamePacket(exchange);
      exchange.receivedBeforeKey = exchange.req.complete;
      const principal = await identify(exchange);
      await countRequest?.(exchange, principal.keyId);
      exchange.endExecution = await requests.begin(principal.keyId, (listener) => exchange.onClose(listener));
      turns.recordRequest(principal);
      return principal;
    };

  return {
    byKey: authenticateWith(identifyKey),
    byKeyOrSession: authenticateWith(identifyKeyOrSession),
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
