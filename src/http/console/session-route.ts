import { AppError } from '../../errors/app-error.ts';
import type { ConsoleSessions } from '../../features/tenants/console-sessions.ts';
import type { Authenticate } from '../access/authenticate.ts';
import { CONSOLE_BASE } from '../pages/console-page.ts';
import type { RequestScope } from '../request-scope.ts';
import { DATA_HEADERS } from '../response/security-headers.ts';
import { sendEmpty, sendJson } from '../response/send-response.ts';
import { isFromOwnPage, readSessionCookie, sessionCookie } from './session-cookie.ts';

export const SESSION_PATH = `${CONSOLE_BASE}/session`;
export const SESSIONS_PATH = `${CONSOLE_BASE}/sessions`;

/** @throws AppError FORBIDDEN */
function requireOwnPage({ req }: RequestScope): void {
  if (!isFromOwnPage(req))
    throw new AppError(
      'FORBIDDEN',
      'Only the console of this service can start or end a session: the Origin header of the request must match its ' +
        'Host header, which a proxy must pass unchanged.',
    );
}

interface SessionRouteOptions {
  authenticate: Authenticate;
  sessions: ConsoleSessions;
}

/**
 * The session of the console in this browser. A page of another origin can neither start one, which would make the user
 * work with a foreign key (login CSRF), nor end it.
 */
export function sessionHandlers({ authenticate, sessions }: SessionRouteOptions) {
  /** Starts a session with the API key of the request. */
  async function start(scope: RequestScope): Promise<void> {
    requireOwnPage(scope);
    const { principal } = await authenticate(scope);
    const { token, expiresAt } = sessions.start(principal);
    scope.signal.throwIfAborted();
    sendJson(scope, {
      status: 201,
      json: JSON.stringify({
        keyId: principal.keyId,
        scope: principal.scope,
        customerId: principal.tenant?.customerId ?? null,
        expiresAt,
      }),
      headers: ['Set-Cookie', sessionCookie(scope.req, token)],
    });
  }

  /** Ends a session, or all of its key, and removes it from the browser. */
  const endWith =
    (end: (token: string | undefined) => Promise<void>) =>
    async (scope: RequestScope): Promise<void> => {
      requireOwnPage(scope);
      await end(readSessionCookie(scope.req));
      scope.signal.throwIfAborted();
      sendEmpty(scope, {
        status: 204,
        headers: [...DATA_HEADERS, 'Set-Cookie', sessionCookie(scope.req, null)],
      });
    };

  return { start, end: endWith(sessions.end), endAll: endWith(sessions.endAll) };
}
