import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleSessions } from '../../features/tenants/console-sessions.ts';
import type { RouteChecks } from '../checks.ts';
import { CONSOLE_BASE } from '../pages/console-page.ts';
import { respondEmpty, respondJson } from '../response/send-response.ts';
import { readSessionCookie, sessionCookie } from './session-cookie.ts';

const SESSION_PATH = `${CONSOLE_BASE}/session`;
const SESSIONS_PATH = `${CONSOLE_BASE}/sessions`;

interface SessionRouteOptions {
  sessions: ConsoleSessions;
  checks: RouteChecks;
}

/**
 * Adds the routes of the console's session in this browser. A page of another origin can neither start one, which would
 * make the user work with a foreign key (login CSRF), nor end it.
 */
export function addSessionRoutes(app: FastifyInstance, { sessions, checks }: SessionRouteOptions): void {
  /** Starts a session with the API key of the request. */
  function start({ raw, caller }: FastifyRequest, reply: FastifyReply) {
    const { principal } = caller;
    const { token, expiresAt } = sessions.start(principal);
    reply.send(
      respondJson(reply, {
        status: 201,
        json: JSON.stringify({
          keyId: principal.keyId,
          scope: principal.scope,
          customerId: principal.tenant?.customerId ?? null,
          expiresAt,
        }),
        headers: { 'set-cookie': sessionCookie(raw, token) },
      }),
    );
  }

  /** Ends a session, or all of its key, and removes it from the browser. */
  const endWith =
    (end: (token: string | undefined) => Promise<void>) =>
    async ({ raw, scope }: FastifyRequest, reply: FastifyReply) => {
      await end(readSessionCookie(raw));
      scope.signal.throwIfAborted();
      return respondEmpty(reply, { 'set-cookie': sessionCookie(raw, null) });
    };

  const config = { cors: false } as const;
  app.post(SESSION_PATH, { ...checks.sessionStart, config }, start);
  app.delete(SESSION_PATH, { ...checks.sessionEnd, config }, endWith(sessions.end));
  app.delete(SESSIONS_PATH, { ...checks.sessionEnd, config }, endWith(sessions.endAll));
}
