import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { getCookies, Headers, setCookie } from 'undici';
import { AppError } from '../../errors/app-error.ts';

/**
 * Header of every request of the console: a form cannot send it, and a script of another origin only after a preflight.
 * Its value is `background` for requests that the user did not cause.
 */
const CONSOLE_HEADER = 'x-engagement-console';

interface CookieScope {
  name: string;
  secure: boolean;
}

/**
 * Returns name and attributes of the cookie for the origin of a request. All ports of a host
 * share its cookies, over HTTP and HTTPS, and each port may run a service. No other host and no HTTP response can set a cookie with the
 * prefix `__Host-` (RFC 6265bis).
 */
function cookieScope({ host = '', origin }: IncomingMessage['headers']): CookieScope {
  const name = `engagement-session-${hash('sha256', host.toLowerCase()).slice(0, 16)}`;
  // A proxy may have ended TLS: the origin has the scheme that the browser uses.
  return origin?.startsWith('http:') ? { name, secure: false } : { name: `__Host-${name}`, secure: true };
}

/**
 * Returns true if a browser sent the request from a page of this service. Browsers add `Sec-Fetch-Site` where the
 * connection is trustworthy (HTTPS, or loopback), and `Origin` to each POST request; no script can change them.
 */
function isFromOwnPage({ headers }: IncomingMessage): boolean {
  if (headers[CONSOLE_HEADER] === undefined) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin = '', host } = headers;
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/** @throws AppError FORBIDDEN */
export function requireOwnPage(req: IncomingMessage): void {
  if (!isFromOwnPage(req))
    throw new AppError(
      'FORBIDDEN',
      'Only the console of this service can start or end a session: the Origin header of the request must match its ' +
        'Host header, which a proxy must pass unchanged.',
    );
}

/** Returns true if a request of the console counts as a use of its session. */
export const isUseOfSession = ({ headers }: IncomingMessage): boolean =>
  headers[CONSOLE_HEADER] !== 'background';

/** Returns true if the session cookie of a request may authenticate it, in case the request has one. */
export const presentsSession = (req: IncomingMessage): boolean => req.method === 'POST' && isFromOwnPage(req);

/** Returns the session token of a request; undefined if it has none. */
export const readSessionCookie = ({ headers }: IncomingMessage): string | undefined =>
  getCookies(new Headers({ cookie: headers.cookie ?? '' }))[cookieScope(headers).name];

/**
 * Returns the value of `Set-Cookie` that stores a session until the browser is closed.
 * @param token null removes the session
 */
export function sessionCookie({ headers }: IncomingMessage, token: string | null): string {
  const fields = new Headers();
  setCookie(fields, {
    ...cookieScope(headers),
    path: '/',
    value: token ?? '',
    httpOnly: true,
    sameSite: 'Strict',
    ...(token === null && { maxAge: 0 }),
  });
  return fields.get('set-cookie') ?? '';
}
