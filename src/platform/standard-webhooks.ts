import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export const SECRET_PREFIX = 'whsec_';
/** Largest difference between the sender's clock and the service's. Seconds. */
const TOLERANCE_SECONDS = 300;
/** Maximum number of signatures to compare: senders send one per active secret. */
const MAX_SIGNATURES = 8;
const MESSAGE_ID = /^[\x21-\x7e]{1,256}$/;
const SECRET = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

interface SignedMessage {
  /** Signing secret, `whsec_…`. */
  secret: string;
  /** Id of the message, constant over all attempts (`webhook-id`). */
  eventId: string;
  /** Unix time of the attempt in whole seconds. */
  timestamp: string;
  /** Exact request body. */
  body: string;
}

/** Returns a signature of Standard Webhooks: `v1,` and the base64 of the HMAC, keyed by the decoded secret. */
export const standardSignature = ({ secret, eventId, timestamp, body }: SignedMessage): string =>
  `v1,${createHmac('sha256', secret.slice(SECRET_PREFIX.length), { encoding: 'base64' })
    .update(`${eventId}.${timestamp}.${body}`)
    .digest('base64')}`;

/** Returns true for a signing secret of Standard Webhooks: `whsec_` and the base64 of 16 to 96 bytes. */
export const isSigningSecret = (text: string): boolean =>
  SECRET.test(text) && text.length >= 28 && text.length <= 134;

const isEqual = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

/**
 * Verifies an incoming webhook by Standard Webhooks: one of its version 1 signatures must match, and the timestamp must
 * be within the tolerance.
 *
 * @param secret null if there is none; no signature matches then
 * @returns the id of the message, the same at all attempts; null if the webhook is not authentic
 */
export function verifyStandardWebhook({
  secret,
  headers,
  body,
  now,
}: {
  secret: string | null;
  headers: IncomingHttpHeaders;
  body: string;
  now: Date;
}): string | null {
  const { 'webhook-id': eventId, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (secret === null || typeof eventId !== 'string' || !MESSAGE_ID.test(eventId)) return null;
  if (typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp) || typeof signatures !== 'string')
    return null;
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) return null;
  const expected = Buffer.from(standardSignature({ secret, eventId, body, timestamp }));
  const matching = signatures
    .split(' ', MAX_SIGNATURES)
    .filter((signature) => isEqual(Buffer.from(signature), expected));
  return matching.length > 0 ? eventId : null;
}
