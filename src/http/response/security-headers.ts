/** Response headers by lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string>>;

const COMMON: ResponseHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

const DATA_POLICY = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Headers of data, which a browser may only read. `no-store`: responses carry tenant data and secrets. */
export const DATA_HEADERS: ResponseHeaders = { ...COMMON, ...DATA_POLICY, 'cache-control': 'no-store' };

export const JSON_TYPE = 'application/json; charset=utf-8';

export const JSON_HEADERS: ResponseHeaders = { ...DATA_HEADERS, 'content-type': JSON_TYPE };

/** Headers of data with an entity tag: a client may cache the data privately, and revalidates it before each use. */
export const REVALIDATED_HEADERS: ResponseHeaders = {
  ...COMMON,
  ...DATA_POLICY,
  'cache-control': 'private, no-cache',
};

/** Headers of scripts and styles: `immutable`, since their paths contain a version or a hash. */
export const ASSET_HEADERS: ResponseHeaders = {
  ...COMMON,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'public, max-age=31536000, immutable',
};

/**
 * Headers of a page that runs local files and inline code with `nonce`, and connects to this server only.
 * @param directives further directives of the Content-Security-Policy
 */
export const pageHeaders = (nonce: string, directives: readonly string[] = []): ResponseHeaders => ({
  ...COMMON,
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...directives,
  ].join('; '),
});
