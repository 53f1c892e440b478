/** Names and values in turn, as `writeHead` takes them. */
type RawHeaders = readonly string[];

const EVERYWHERE: RawHeaders = [
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

/** An answer that no browser may do anything with but read it. `no-store`: answers carry a tenant's data, some a secret. */
export const DATA_HEADERS: RawHeaders = [
  ...EVERYWHERE,
  'Content-Security-Policy',
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cache-Control',
  'no-store',
];

/** Script and style files of the pages: the same bytes for as long as their address is the same. */
export const ASSET_HEADERS: RawHeaders = [
  ...EVERYWHERE,
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control',
  'public, max-age=31536000, immutable',
];

/**
 * A page that runs local files and what carries `nonce`, and talks to nobody but this server.
 * @param extra further directives of its Content-Security-Policy
 */
export const pageHeaders = (nonce: string, extra: readonly string[] = []): RawHeaders => [
  ...EVERYWHERE,
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
    ...extra,
  ].join('; '),
  'Cache-Control',
  'no-cache',
];
