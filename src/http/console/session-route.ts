import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasCode } from '../../errors/app-error.ts';
import type { AuditService } from '../../features/audit/audit.service.ts';
import { actorOf } from '../../features/audit/audit-actor.ts';
import type { ConsoleSessions } from '../../features/tenants/console-sessions.ts';
import type { Principal } from '../../features/tenants/tenants.types.ts';
import type { Authentication } from '../access/authenticate.ts';
import type { ClientAddress } from '../access/client-address.ts';
import { readSessionCookie, sessionCookie } from '../access/session-cookie.ts';
import type { RouteChecks } from '../checks.ts';
import { CONSOLE_BASE } from '../pages/console-page.ts';
import { respondEmpty, respondJson } from '../response/send-response.ts';

const SESSION_PATH = `${CONSOLE_BASE}/session`;
const SESSIONS_PATH = `${CONSOLE_BASE}/sessions`;

interface SessionRouteOptions {
  sessions: ConsoleSessions;
  authenticate: Pick<Authentication, 'authenticateToEnd'>;
  audit: Pick<AuditService, 'perform'>;
  clientAddress: ClientAddress;
  checks: RouteChecks;
}

interface SessionAct<T> {
  action: 'signIn' | 'signOut' | 'signOutEverywhere';
  principal: Principal;
  /** Id of the session; null for all sessions of the key. */
  sessionId: string | null;
  /** Returns the id of a session that the act starts. */
  startedId?(result: T): string;
}

/**
 * Adds the routes of the console's session in this browser. A page of another origin can neither start one, which would
 * make the user work with a foreign key (login CSRF), nor end it. Sign-ins and sign-outs are acts of the audit log.
 */
export function addSessionRoutes(
  app: FastifyInstance,
  { sessions, authenticate, audit, clientAddress, checks }: SessionRouteOptions,
): void {
  function perform<T>(
    { raw, scope }: FastifyRequest,
    { action, principal, sessionId, startedId }: SessionAct<T>,
    make: () => Promise<T>,
  ): Promise<T> {
    const address = clientAddress(raw);
    const type = 'consoleSession';
    return audit.perform(
      {
        customerId: principal.tenant?.customerId ?? null,
        action,
        actor: actorOf(principal),
        clientAddress: address && String(address),
        requestId: scope.requestId,
        target: { type, id: sessionId },
      },
      make,
      (result) => ({
        target: { type, id: startedId?.(result) ?? sessionId },
        before: null,
        after: null,
      }),
    );
  }

  /** Starts a session with the API key of the request, and ends the one that the browser had before. */
  async function start(request: FastifyRequest, reply: FastifyReply) {
    const { principal } = request.caller;
    // A session that cannot be used from here stays, and does not count against the valid key.
    await end(request).catch((error: unknown) => {
      if (!hasCode(error, 'FORBIDDEN') && !hasCode(error, 'RATE_LIMITED')) throw error;
    });
    const { token, expiresAt } = await perform(
      request,
      { action: 'signIn', principal, sessionId: null, startedId: ({ id }) => id },
      () => sessions.start(principal, request.caller.clientAddress),
    );
    request.scope.signal.throwIfAborted();
    return respondJson(reply, {
      status: 201,
      json: JSON.stringify({
        keyId: principal.keyId,
        scope: principal.scope,
        customerId: principal.tenant?.customerId ?? null,
        resources: principal.resources,
        expiresAt,
      }),
      headers: { 'set-cookie': sessionCookie(request.raw, token) },
    });
  }

  /** Signs out: ends the session of the request, if there is one. */
  async function end(request: FastifyRequest): Promise<void> {
    const principal = await authenticate.authenticateToEnd(request.raw).catch((error: unknown) => {
      if (hasCode(error, 'UNAUTHENTICATED')) return null;
      throw error;
    });
    if (!principal) return;
    const sessionId = principal.session?.id ?? null;
    await perform(request, { action: 'signOut', principal, sessionId }, () =>
      sessions.end(readSessionCookie(request.raw)),
    );
  }

  /** Ends all sessions of the key whose session the request has. */
  async function endAll(request: FastifyRequest): Promise<void> {
    const principal = await authenticate.authenticateToEnd(request.raw);
    await perform(request, { action: 'signOutEverywhere', principal, sessionId: null }, () =>
      sessions.endAll(principal),
    );
  }

  /** Removes the session from the browser once it has ended. */
  const endWith =
    (endSession: (request: FastifyRequest) => Promise<void>) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      await endSession(request);
      request.scope.signal.throwIfAborted();
      return respondEmpty(reply, { 'set-cookie': sessionCookie(request.raw, null) });
    };

  const config = { cors: false } as const;
  app.post(SESSION_PATH, { ...checks.sessionStart, config }, start);
  app.delete(SESSION_PATH, { ...checks.sessionEnd, config }, endWith(end));
  app.delete(SESSIONS_PATH, { ...checks.sessionEnd, config }, endWith(endAll));
}
