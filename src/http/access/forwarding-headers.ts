import type { IncomingHttpHeaders } from 'node:http';

/** Addresses from the client to the last proxy, without ports; null for a hop that the header does not name. */
type Hops = readonly (string | null)[];

/** Returns the hops of `X-Forwarded-For`; null if the request has no such header. */
export function xForwardedForHops(headers: IncomingHttpHeaders): Hops | null {
  const value = headers['x-forwarded-for'];
  if (value === undefined) return null;
  return String(value)
    .split(',')
    .map((hop) => withoutPort(hop.trim()));
}

/** One parameter of `Forwarded` with its delimiter; may be empty. Unquoted values may have more than token characters. */
const PARAMETER = /[ \t]*(?:([^\s",;=]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;=]+))[ \t]*)?([;,]|$)/y;

/**
 * Returns the hops of `Forwarded` (RFC 7239); null if the request has no such header. A malformed header has no hops:
 * an unbalanced quote from the client would hide the hops that the proxies appended.
 */
export function forwardedHops({ forwarded }: IncomingHttpHeaders): Hops | null {
  if (forwarded === undefined) return null;
  const hops: (string | null)[] = [];
  let hop: string | null = null;
  PARAMETER.lastIndex = 0;
  for (;;) {
    const [, name = '', quoted, unquoted = '', delimiter] = PARAMETER.exec(forwarded) ?? [];
    if (delimiter === undefined) return [];
    if (name.toLowerCase() === 'for') {
      if (hop !== null) return [];
      hop = withoutPort(quoted?.replaceAll(/\\(.)/g, '$1') ?? unquoted);
    }
    if (delimiter === ';') continue;
    hops.push(hop);
    if (delimiter === '') return hops;
    hop = null;
  }
}

/** Removes brackets and port: `[2001:db8::1]:4711`, `192.0.2.1:80`. */
function withoutPort(node: string): string {
  const [, bracketed, plain] = /^(?:\[(.*)\]|([^:]*))(?::[\w.-]+)?$/.exec(node) ?? [];
  return bracketed ?? plain ?? node;
}
