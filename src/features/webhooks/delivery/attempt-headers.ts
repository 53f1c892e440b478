import { unixSeconds } from '../../../platform/clock.ts';
import { MASK } from '../endpoints/custom-headers.ts';
import type { HttpHeader, StoredAttempt } from './delivery.types.ts';

/** `User-Agent` of requests to endpoints and to their token servers. */
export const WEBHOOK_USER_AGENT = 'engagement-webhooks/1';

/** Bounds of the stored headers of a response; further ones are left out, and a longer value is cut. */
const MAX_HEADERS = 30;
const MAX_VALUE = 200;
const MAX_TOTAL = 2_048;

/** Names of headers whose values may be secrets of the receiver. */
const SECRET_NAME = /auth|cookie|token|secret|signature|password|session|key/i;

/** Returns the headers of a response as they are stored: masked, a line each. */
export function storedHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): string {
  let stored = '';
  for (const [name, value] of Object.entries(headers).slice(0, MAX_HEADERS)) {
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(', ') : value;
    const line = `${name}: ${SECRET_NAME.test(name) ? MASK : text.slice(0, MAX_VALUE)}\n`;
    if (stored.length + line.length > MAX_TOTAL) break;
    stored += line;
  }
  return stored;
}

/** Reads stored headers; null if there was no response, or an earlier version of the service stored none. */
export const readHeaders = (stored: string | null | undefined): HttpHeader[] | null =>
  stored == null
    ? null
    : stored
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => {
          const end = line.indexOf(': ');
          return { name: line.slice(0, end), value: line.slice(end + 2) };
        });

interface RequestIds {
  deliveryId: string;
  eventId: string;
}

/**
 * Returns the headers of an attempt's request, without `Host` and other headers of the connection. They are derived from
 * the delivery: only the names of custom headers are stored. Null for an attempt of an earlier version of the service.
 */
export function requestHeadersOf(
  { at, responseHeaders, customHeaders = [] }: StoredAttempt,
  { deliveryId, eventId }: RequestIds,
): HttpHeader[] | null {
  if (responseHeaders === undefined) return null;
  const timestamp = String(unixSeconds(at));
  return Object.entries({
    ...Object.fromEntries(customHeaders.map((name) => [name, MASK])),
    'content-type': 'application/json',
    'user-agent': WEBHOOK_USER_AGENT,
    'X-SVC-Delivery-Id': deliveryId,
    'X-SVC-Signature': MASK,
    'X-SVC-Timestamp': timestamp,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': MASK,
  }).map(([name, value]) => ({ name, value }));
}
