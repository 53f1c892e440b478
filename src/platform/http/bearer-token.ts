import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Characters of a bearer token (RFC 6750, section 2.1), for messages. */
export const BEARER_TOKEN_CHARACTERS = 'letters, digits and - . _ ~ + / with optional = at the end';

/** Returns true if a text can be sent as a bearer token. */
export const isBearerToken = (text: string): boolean => /^[A-Za-z0-9\-._~+/]+=*$/.test(text);

/** Returns a constant-time check of `Authorization` headers against a bearer token. */
export function bearerTokenCheck(token: string): (authorization: string | undefined) => boolean {
  const expected = digest(`Bearer ${token}`);
  return (authorization) => timingSafeEqual(digest(authorization ?? ''), expected);
}
