import type { ErrorDetail } from '../../../errors/app-error.ts';
import { MAX_HEADER_NAME, MAX_HEADER_VALUE, MAX_HEADERS } from '../../../shared/endpoint-limits.ts';

/**
 * The custom headers of an endpoint (contract 5): sent with every delivery, their values encrypted at rest and masked in
 * every answer.
 */

/** Values by name. The order and spelling of the names are kept. */
export type CustomHeaders = Readonly<Record<string, string>>;

/** Stands for a value in answers; in a PATCH, it keeps the value. */
export const MASK = '***';

/** Servers accept 8 KiB of header fields or more; the service's own take less than 1 KiB. */
const MAX_TOTAL = 6_144;

/** A token of RFC 9110 section 5.6.2. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Printable ASCII without white space around it. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers that the service sets, and those that frame the request or concern the connection (RFC 9110 section 7.6.1). */
const RESERVED = new Set([
  ...['host', 'user-agent', 'connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization'],
  ...['proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', 'http2-settings'],
  ...['traceparent', 'tracestate', 'baggage'],
]);
const RESERVED_PREFIXES = ['content-', 'webhook-', 'x-svc-'];

const isReserved = (name: string): boolean =>
  RESERVED.has(name) || RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));

const INVALID_NAME = `A header name must have letters, digits and !#$%&'*+.^_\`|~- only, at most ${MAX_HEADER_NAME} characters.`;

function problemOf(name: string, value: unknown): string | null {
  if (isReserved(name.toLowerCase()))
    return 'The service sets this header or it frames the request; choose another name.';
  if (typeof value !== 'string') return 'Must be a string.';
  if (value.length > MAX_HEADER_VALUE)
    return `Must be at most ${MAX_HEADER_VALUE.toLocaleString('en')} characters long.`;
  return VALUE.test(value) ? null : 'Must be printable ASCII, without white space at its beginning or end.';
}

/** Returns what is wrong with headers in themselves. The path of an issue has no name that is not a valid one. */
export function headerIssues(headers: Readonly<Record<string, unknown>>): ErrorDetail[] {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS)
    return [{ path: 'headers', message: `Must have at most ${MAX_HEADERS} headers.` }];
  const issues = entries.flatMap(([name, value]) => {
    if (!NAME.test(name) || name.length > MAX_HEADER_NAME)
      return [{ path: 'headers', message: INVALID_NAME }];
    const message = problemOf(name, value);
    return message ? [{ path: `headers.${name}`, message }] : [];
  });
  const names = new Set(entries.map(([name]) => name.toLowerCase()));
  if (names.size < entries.length)
    issues.push({
      path: 'headers',
      message: 'Must have each name once; the case of letters does not matter.',
    });
  const total = entries.reduce((sum, [name, value]) => sum + name.length + String(value).length, 0);
  if (issues.length === 0 && total > MAX_TOTAL)
    issues.push({
      path: 'headers',
      message: `All names and values must have at most ${MAX_TOTAL.toLocaleString('en')} characters together.`,
    });
  return issues;
}

const storedName = (name: string, stored: readonly string[]): string | undefined =>
  stored.find((each) => each.toLowerCase() === name.toLowerCase());

/** Returns an issue for each masked value without a stored one. @param stored names of the stored headers */
export const maskIssues = (headers: CustomHeaders, stored: readonly string[]): ErrorDetail[] =>
  Object.entries(headers)
    .filter(([name, value]) => value === MASK && storedName(name, stored) === undefined)
    .map(([name]) => ({
      path: `headers.${name}`,
      message: `Must be the value itself: ${MASK} keeps a stored value, and the endpoint has none under this name.`,
    }));

/** Returns headers with the stored values for masked ones. */
export const unmasked = (headers: CustomHeaders, stored: CustomHeaders): CustomHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const former = value === MASK ? storedName(name, Object.keys(stored)) : undefined;
      return [name, former === undefined ? value : (stored[former] ?? value)];
    }),
  );

/** Returns headers as answers show them. */
export const masked = (names: readonly string[]): CustomHeaders =>
  Object.fromEntries(names.map((name) => [name, MASK]));
