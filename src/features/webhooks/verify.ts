import { createHmac, timingSafeEqual } from 'node:crypto';

/** Why a delivery is refused. */
export type VerifyReason =
  | 'missing_header'
  | 'malformed_header'
  | 'invalid_timestamp'
  | 'missing_signature'
  | 'malformed_signature'
  | 'outside_tolerance'
  | 'signature_mismatch';

/** `valid` before anything else: never act on a body that is not. */
export type VerifyResult = { valid: true } | { valid: false; reason: VerifyReason };

export interface VerifyInput {
  /** Signing secret of the endpoint, the whole string with its `whsec_`. */
  secret: string;
  /** Value of the `X-SVC-Signature` header: `t=<Unix seconds>,v1=<hexadecimal HMAC>`. */
  header: string | null | undefined;
  /** The body exactly as it arrived, before any JSON parsing. */
  rawBody: string | Uint8Array;
  /** How far the sender's clock may be from yours, in seconds, either way. */
  toleranceSeconds?: number;
  /** Unix time in seconds; yours unless given. */
  now?: number;
}

/** Parts of the header by key; null where a part is no `key=value`, or one of ours comes twice. */
function parseHeader(header: string): Map<string, string> | null {
  const parts = new Map<string, string>();
  for (const part of header.split(',').map((text) => text.trim())) {
    const at = part.indexOf('=');
    const key = part.slice(0, at);
    if (at < 1 || ((key === 't' || key === 'v1') && parts.has(key))) return null;
    parts.set(key, part.slice(at + 1));
  }
  return parts;
}

/**
 * Whether a delivery was signed with your endpoint's secret, and just now.
 * This file needs nothing but Node: copy it into your receiver. Throws a `TypeError` when `secret` is empty.
 */
export function verifySignature({
  secret,
  header,
  rawBody,
  toleranceSeconds = 300,
  now,
}: VerifyInput): VerifyResult {
  const refuse = (reason: VerifyReason): VerifyResult => ({ valid: false, reason });
  if (!secret) throw new TypeError('The signing secret is not set.');
  if (!header) return refuse('missing_header');

  const parts = parseHeader(header);
  if (!parts) return refuse('malformed_header');
  const t = parts.get('t');
  if (t === undefined || !/^[0-9]{1,15}$/.test(t)) return refuse('invalid_timestamp');
  const v1 = parts.get('v1');
  if (v1 === undefined) return refuse('missing_signature');
  // Buffer.from drops what is not hexadecimal, so it has to be looked for first.
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(v1)) return refuse('malformed_signature');

  const seconds = now ?? Math.floor(Date.now() / 1000);
  if (!(Math.abs(seconds - Number(t)) <= toleranceSeconds)) return refuse('outside_tolerance');

  const expected = createHmac('sha256', secret).update(`${t}.`).update(rawBody).digest();
  const received = Buffer.from(v1, 'hex');
  if (received.length !== expected.length) return refuse('malformed_signature');
  return timingSafeEqual(received, expected) ? { valid: true } : refuse('signature_mismatch');
}
