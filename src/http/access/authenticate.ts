import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { AppError, hasCode } from '../../errors/app-error.ts';
import type { AuditService } from '../../features/audit/audit.service.ts';
import type { AuditAct } from '../../features/audit/audit.types.ts';
import { ANONYMOUS_ACTOR } from '../../features/audit/audit-actor.ts';
import { countRefusal } from '../../features/audit/refusals.ts';
import { permitsClient } from '../../features/tenants/client-networks.ts';
import type { ConsoleSessions } from '../../features/tenants/console-sessions.ts';
import {
  EndedSession,
  InactiveKey,
  type KeyLookUp,
  type KeyService,
  unauthenticated,
} from '../../features/tenants/keys.service.ts';
import type { Principal } from '../../features/tenants/tenants.types.ts';
import type { KeyRequests } from '../../limits/key-limits.ts';
import { type failureLimiter, keyLimiter } from '../../limits/rate-limits.ts';
import type { SharedQuota } from '../../limits/shared-quota.ts';
import type { TenantTurns } from '../../limits/tenant-turns.ts';
import type { Address } from '../../platform/address-ranges.ts';
import type { RequestScope } from '../request-scope.ts';
import { type ClientAddress, networkOf } from './client-address.ts';
import { isUseOfSession, presentsSession, readSessionCookie, sessionCookie } from './session-cookie.ts';

export interface AuthOptions {
  audit: Pick<AuditService, 'countRefusal'>;
  keys: KeyService;
  sessions: ConsoleSessions;
  /** Quota of each API key; null disables it. */
  quota: SharedQuota | null;
  /** Limit on failed authentications; null disables it. */
  failures: ReturnType<typeof failureLimiter> | null;
  requests: KeyRequests;
  clientAddress: ClientAddress;
  turns: TenantTurns;
}

/** The authenticated sender of a request, and what the request uses of its API key. */
export interface Caller {
  principal: Principal;
  /** Address of the client; null if its connection has ended. */
  clientAddress: string | null;
  /**
   * Checks that the API key or the session is still active.
   * @throws AppError UNAUTHENTICATED
   */
  recheck(): Promise<void>;
  /**
   * Takes further points from the quota of the API key.
   * @throws AppError RATE_LIMITED
   */
  charge(points: number): Promise<void>;
  /** Returns the time left of the console session that authenticated the request; null if an API key did. */
  sessionLeftMs: (() => number) | null;
  /** Ends the count of this request as one in execution, before its response is complete: a stream begins. */
  endExecution(): void;
  /** True if the last byte of the request was received before its API key was looked up. */
  isReceivedBeforeKey: boolean;
}

/** Authenticates a request and counts it toward the limits of its key. */
export type Authenticate = (scope: RequestScope) => Promise<Caller>;

const ANONYMOUS = { customerId: null, actor: ANONYMOUS_ACTOR };

/** Returns a request without a valid key as an act: of the key if it has expired or was revoked, otherwise of the service's log. */
const refusedAuthentication = (error: unknown, address: Address | null): AuditAct => ({
  ...(error instanceof InactiveKey ? ownerOf(error.stored) : ANONYMOUS),
  action: 'authenticate',
  clientAddress: address && String(address),
  requestId: null,
  target: { type: 'apiKey', id: null },
});

const ownerOf = ({
  _id,
  name,
  prefix,
  customerId,
}: InactiveKey['stored']): Pick<AuditAct, 'customerId' | 'actor'> => ({
  customerId,
  actor: { type: 'key', id: _id.toHexString(), name: name ?? null, prefix },
});

type Identity = Pick<Caller, 'principal' | 'recheck' | 'sessionLeftMs'>;

export interface Authentication {
  /** Accepts an API key. */
  byKey: Authenticate;
  /** Accepts an API key or, without an `Authorization` header, a request of the console with its session. */
  byKeyOrSession: Authenticate;
  /**
   * Returns the caller that the session of a request has, to end it; also of a suspended tenant.
   * @throws AppError UNAUTHENTICATED; FORBIDDEN, RATE_LIMITED as for any use of its key from another network
   */
  authenticateToEnd(req: IncomingMessage): Promise<Principal>;
}

/**
 * Creates the authentication that REST and GraphQL share.
 * The returned functions throw AppError UNAUTHENTICATED (401), FORBIDDEN (403) or RATE_LIMITED (429).
 */
export function createAuthenticate(options: AuthOptions): Authentication {
  const { audit, keys, sessions, quota, failures, requests, clientAddress, turns } = options;
  const limitRequests = quota && keyLimiter(quota);

  /**
   * Counts failures of `authenticate` in the audit log, and toward the limit of the client's network, as well as requests
   * for suspended customers, which take nothing from a quota.
   * @throws AppError RATE_LIMITED
   */
  async function limited<T>(
    address: Address | null,
    authenticate: (lookUp: KeyLookUp) => Promise<T>,
  ): Promise<T> {
    const network = networkOf(address);
    try {
      // A valid key is accepted regardless of failed authentications of other clients behind the same address.
      return await authenticate({
        clientAddress: address,
        ...(failures && { throttled: failures.isExceeded(network) }),
      });
    } catch (error) {
      if (hasCode(error, 'UNAUTHENTICATED') && !(error instanceof EndedSession)) {
        audit.countRefusal(refusedAuthentication(error, address));
        await failures?.count(network);
      }
      if (hasCode(error, 'CUSTOMER_SUSPENDED')) await failures?.count(network);
      throw error;
    }
  }

  /**
   * A refused client counts toward the limit of its network, not toward the quota of the key: it may have stolen the key.
   *
   * @throws AppError FORBIDDEN if the networks of the key do not contain the client, RATE_LIMITED
   */
  async function checkClient(principal: Principal, address: Address | null): Promise<void> {
    if (permitsClient(principal.networks, address)) return;
    const target = { type: 'network', id: null };
    const refused = { principal, clientAddress: address && String(address), action: 'authenticate', target };
    countRefusal(audit, refused);
    await failures?.count(networkOf(address));
    throw new AppError('FORBIDDEN', 'The API key cannot be used from this client address.');
  }

  async function identifyKey(scope: RequestScope, address: Address | null): Promise<Identity> {
    const credential = scope.req.headers.authorization;
    if (credential === undefined) {
      // Rejected without a lookup; it is not a guess, so it does not count as a failure.
      const missing = unauthenticated();
      audit.countRefusal(refusedAuthentication(missing, address));
      throw missing;
    }
    const principal = await limited(address, (lookUp) => keys.authenticate(credential, lookUp));
    await checkClient(principal, address);
    return {
      principal,
      async recheck() {
        if (!(await keys.isActive(principal))) throw unauthenticated();
      },
      sessionLeftMs: null,
    };
  }

  async function identifyKeyOrSession(scope: RequestScope, address: Address | null): Promise<Identity> {
    const { req } = scope;
    if (req.headers.authorization !== undefined || !presentsSession(req)) return identifyKey(scope, address);
    const token = readSessionCookie(req);
    const session = await limited(address, (lookUp) => sessions.authenticate(token, lookUp));
    const { principal, leftMs, renewedToken } = session;
    // A refused client must not keep the session from ending without use.
    await checkClient(principal, address);
    const renewed = isUseOfSession(req) ? renewedToken() : null;
    if (renewed !== null) scope.headers['set-cookie'] = sessionCookie(req, renewed);
    return {
      principal,
      async recheck() {
        await sessions.authenticate(token, { uncached: true });
      },
      sessionLeftMs: leftMs,
    };
  }

  const authenticateWith =
    (identify: (scope: RequestScope, address: Address | null) => Promise<Identity>): Authenticate =>
    async (scope) => {
      await yieldForBufferedBody(scope);
      const isReceivedBeforeKey = scope.req.complete;
      const address = clientAddress(scope.req);
      const identity = await identify(scope, address);
      const { principal } = identity;
      const charge = async (points: number) => limitRequests?.(scope, principal.keyId, points);
      await charge(1);
      const endExecution = await requests.begin(principal.keyId, scope);
      turns.recordRequest(principal);
      return {
        ...identity,
        clientAddress: address && String(address),
        charge,
        endExecution,
        isReceivedBeforeKey,
      };
    };

  return {
    byKey: authenticateWith(identifyKey),
    byKeyOrSession: authenticateWith(identifyKeyOrSession),
    async authenticateToEnd(req) {
      const { principal } = await sessions.authenticate(readSessionCookie(req), { evenSuspended: true });
      await checkClient(principal, clientAddress(req));
      return principal;
    },
  };
}

/** Lets the parser process a body that arrived in the same packet as the headers, which it reports first. */
async function yieldForBufferedBody({ req: { headers } }: RequestScope): Promise<void> {
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
    await setImmediate();
}
