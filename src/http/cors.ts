import type { CorsOrigins } from '../config/config.ts';
import type { RequestScope } from './request-scope.ts';

/** Response headers that a script may read besides the safelisted ones (Fetch standard). */
const EXPOSED = [
  'Allow',
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Location',
  'RateLimit',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');

/** Seconds for which a browser may cache the response to a preflight; the maximum of Chromium. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * Permits scripts of other origins to call the APIs (contract 4). Never with credentials: their requests are
 * authenticated with an API key that the script itself must have, not with the session that the browser has stored.
 */
export function createCors(origins: CorsOrigins): (scope: RequestScope) => void {
  const permission = (origin: string) => [
    'Access-Control-Allow-Origin',
    origin,
    'Access-Control-Expose-Headers',
    EXPOSED,
  ];
  if (origins === '*') {
    const headers = permission('*');
    return (scope) => {
      scope.corsHeaders = headers;
    };
  }
  // A cache must not reuse a response for another origin, whether or not that one is permitted.
  const byOrigin = new Map(origins.map((origin) => [origin, [...permission(origin), 'Vary', 'Origin']]));
  const none = origins.length > 0 ? ['Vary', 'Origin'] : [];
  return (scope) => {
    scope.corsHeaders = byOrigin.get(scope.req.headers.origin ?? '') ?? none;
  };
}

/** Returns the headers that answer a preflight; none if the request is not one or its origin is not permitted. */
export function preflightHeaders({ req, corsHeaders }: RequestScope, methods: readonly string[]): string[] {
  if (req.headers['access-control-request-method'] === undefined) return [];
  if (!corsHeaders.includes('Access-Control-Allow-Origin')) return [];
  return [
    'Access-Control-Allow-Methods',
    methods.join(', '),
    'Access-Control-Allow-Headers',
    // The wildcard does not include Authorization.
    'Authorization, *',
    'Access-Control-Max-Age',
    String(PREFLIGHT_SECONDS),
  ];
}
