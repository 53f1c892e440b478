/** Alternating names and values, as `writeHead` accepts them. */
type RawHeaders = readonly string[];

const COMMON: RawHeaders = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'X-Frame-Options',
  'DENY',
  'Cross-Origin-Resource-Policy',
  'same-origin',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Permissions-Policy',
  'camera=(), geolocation=(), microphone=()',
];

const DATA_POLICY: RawHeaders = [
  'Content-Security-Policy',
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
];

/** Headers of data, which a browser may only read. `no-store`: responses carry tenant data and secrets. */
export const DATA_HEADERS: RawHeaders = [...COMMON, ...DATA_POLICY, 'Cache-Control', 'no-store'];

export const JSON_TYPE = 'application/json; charset=utf-8';

export const JSON_HEADERS: RawHeaders = [...DATA_HEADERS, 'Content-Type', JSON_TYPE];

/** Headers of data with an entity tag: a client may keep it for itself, and asks each time whether it still applies. */
export const REVALIDATED_HEADERS: RawHeaders = [
  ...COMMON,
  ...DATA_POLICY,
  'Cache-Control',
  'private, no-cache',
];

/** Headers of scripts and styles: `immutable`, since their paths contain a version or a hash. */
export const ASSET_HEADERS: RawHeaders = [
  ...COMMON,
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control',
  'public, max-age=31536000, immutable',
];

/**
 * Headers of a page that runs local files and inline code with `nonce`, and connects to this server only.
 * @param directives further directives of the Content-Security-Policy
 */
export const pageHeaders = (nonce: string, directives: readonly string[] = []): RawHeaders => [
  ...COMMON,
  'Content-Security-Policy',
  [
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
];
