import { LRUCache } from 'lru-cache';
import type { OutboundClient } from '../../../outbound/outbound-client.ts';
import { isProxyError } from '../../../outbound/outbound-errors.ts';
import type { OutboundResult } from '../../../outbound/outbound-request.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isObject } from '../../../platform/is-object.ts';
import { nullAfter } from '../../../platform/null-after.ts';
import type { OAuth2Credentials } from '../endpoints/authentication.ts';
import { WEBHOOK_USER_AGENT } from './attempt-headers.ts';

/** Endpoints whose tokens are kept; the least recently used one is fetched again. */
const MAX_TOKENS = 10_000;
/** Lifetime of a token whose server states none; a 401 of the receiver ends it earlier. Seconds. */
const DEFAULT_LIFETIME_SECONDS = 300;
const MAX_LIFETIME_SECONDS = 86_400;
/** A token is fetched again this long before it expires, at most a tenth of its lifetime. Seconds. */
const EARLY_SECONDS = 60;
const EARLY_SHARE = 0.1;
/** Share of its time that an attempt waits for the refresh that it begins, while the token that it has is valid. */
const REFRESH_SHARE = 0.1;

const MAX_RESPONSE_BYTES = 65_536;
/** Printable ASCII: a token is sent in a header. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/;

interface Token {
  text: string;
  /** Times in milliseconds. */
  refreshAt: number;
  expiresAt: number;
}

interface Entry {
  /** Identifies the credentials; with others, the token is fetched again. */
  version: string;
  token: Token | null;
  /** The request in progress, which all attempts share. */
  pending: Promise<TokenResult> | null;
}

export type TokenResult = { ok: true; token: string } | { ok: false; error: string };

const TIMED_OUT: TokenResult = { ok: false, error: 'oauth_timeout' };

interface TokenOwner {
  /** Names the endpoint. */
  key: string;
  /** Changes with the credentials. */
  version: string;
  oauth2: OAuth2Credentials;
}

interface GetOptions {
  /** Time limit of a request to the token server. */
  timeoutMs: number;
  /** Time limit of this call, which may wait for a request that another one has made. */
  remainingMs: number;
  /** A token that the receiver has refused: it is not returned again unless the token server does. */
  refused?: string;
}

/** Access tokens of the client credentials grant (RFC 6749 section 4.4), kept per endpoint in this process. */
export function createOAuthTokens({
  outbound,
  clock,
}: {
  outbound: Pick<OutboundClient, 'send'>;
  clock: Clock;
}) {
  const entries = new LRUCache<string, Entry>({ max: MAX_TOKENS });

  function entryOf({ key, version }: TokenOwner): Entry {
    const known = entries.get(key);
    if (known?.version === version) return known;
    const entry: Entry = { version, token: null, pending: null };
    entries.set(key, entry);
    return entry;
  }

  async function fetchToken(
    entry: Entry,
    oauth2: OAuth2Credentials,
    timeoutMs: number,
  ): Promise<TokenResult> {
    const response = await outbound.send({ ...tokenRequest(oauth2), timeoutMs });
    const result = readResponse(response, clock.now().getTime());
    if ('error' in result) return { ok: false, error: result.error };
    entry.token = result;
    return { ok: true, token: result.text };
  }

  return {
    /** Returns a token; at most one request per endpoint is in progress. A failure has a code that begins with `oauth_`. */
    async get(owner: TokenOwner, { timeoutMs, remainingMs, refused }: GetOptions): Promise<TokenResult> {
      const entry = entryOf(owner);
      if (entry.token?.text === refused) entry.token = null;
      const { token } = entry;
      const now = clock.now().getTime();
      if (token && now < token.refreshAt) return { ok: true, token: token.text };
      const isBegun = entry.pending !== null;
      entry.pending ??= fetchToken(entry, owner.oauth2, timeoutMs).finally(() => {
        entry.pending = null;
      });
      const { pending } = entry;
      if (!token || now >= token.expiresAt) return (await nullAfter(remainingMs, () => pending)) ?? TIMED_OUT;
      // A refresh is early: until the token expires, a token server that fails or hangs does no harm.
      const result = isBegun ? null : await nullAfter(remainingMs * REFRESH_SHARE, () => pending);
      return result?.ok ? result : { ok: true, token: token.text };
    },
  };
}

export type OAuthTokens = ReturnType<typeof createOAuthTokens>;

/** The encoding of RFC 6749 appendix B, which section 2.3.1 requires before the base64 of Basic authentication. */
const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

function tokenRequest(oauth2: OAuth2Credentials) {
  const { tokenUrl, clientId, clientSecret, scope, audience, clientAuthentication } = oauth2;
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope !== null) form.set('scope', scope);
  if (audience !== null) form.set('audience', audience);
  const isBasic = clientAuthentication === 'client_secret_basic';
  if (!isBasic) {
    form.set('client_id', clientId);
    form.set('client_secret', clientSecret);
  }
  const basic = Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64');
  return {
    url: tokenUrl,
    method: 'POST' as const,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      'user-agent': WEBHOOK_USER_AGENT,
      ...(isBasic && { authorization: `Basic ${basic}` }),
    },
    body: form.toString(),
    maxResponseBytes: MAX_RESPONSE_BYTES,
    keepResponseBytes: MAX_RESPONSE_BYTES,
  };
}

/** Reads the response of a token server (RFC 6749 section 5). */
function readResponse(response: OutboundResult, now: number): Token | { error: string } {
  if (!response.ok) {
    // Failures on the side of the service: it is stopping, or its proxy does not work.
    const isOwn = response.error === 'aborted' || isProxyError(response.error);
    return { error: isOwn ? response.error : `oauth_${response.error}` };
  }
  const { status, body, truncated } = response;
  if (status >= 300 && status < 400) return { error: 'oauth_redirect' };
  if (status === 400 || status === 401 || status === 403) return { error: 'oauth_refused' };
  if (status !== 200) return { error: `oauth_http_${status}` };
  return (truncated ? null : readToken(body, now)) ?? { error: 'oauth_bad_response' };
}

function readToken(body: string, now: number): Token | null {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return null;
  }
  if (!isObject(answer)) return null;
  const { access_token: text, token_type: type = 'Bearer', expires_in: lifetime } = answer;
  // Some servers state the lifetime as a string.
  const stated = lifetime === undefined || lifetime === null ? DEFAULT_LIFETIME_SECONDS : Number(lifetime);
  if (typeof text !== 'string' || !TOKEN.test(text)) return null;
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') return null;
  if (!(stated >= 0)) return null;
  const seconds = Math.min(stated, MAX_LIFETIME_SECONDS);
  const expiresAt = now + seconds * 1000;
  return { text, expiresAt, refreshAt: expiresAt - Math.min(EARLY_SECONDS, seconds * EARLY_SHARE) * 1000 };
}
