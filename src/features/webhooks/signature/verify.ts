import { createHmac, timingSafeEqual } from 'node:crypto';

/** Reason for the rejection of a delivery. */
export type VerifyReason =
  | 'missing_header'
  | 'malformed_header'
  | 'invalid_timestamp'
  | 'missing_signature'
  | 'malformed_signature'
  | 'outside_tolerance'
  | 'signature_mismatch';

/** Check `valid` first: never act on a body that was not verified. */
export type VerifyResult = { valid: true } | { valid: false; reason: VerifyReason };

export interface VerifyInput {
  /** Signing secret of the endpoint: the whole string, including `whsec_`. */
  secret: string;
  /**
   * Value of the `X-SVC-Signature` header: `t=<Unix seconds>,v1=<hexadecimal HMAC>`. For some time after a rotation, it
   * can have a second `v1`, by the previous secret.
   */
  header: string | null | undefined;
  /** Raw request body, before JSON parsing. */
  rawBody: string | Uint8Array;
  /** Largest difference between the sender's clock and yours, in seconds; 300 by default. */
  toleranceSeconds?: number;
  /** Unix time in seconds; the current time by default. */
  now?: number;
}

/** Parses the header into its values by key; null if a part is not `key=value`, or `t` is repeated. */
function parseHeader(header: string): Map<string, string[]> | null {
  const parts = new Map<string, string[]>();
  for (const part of header.split(',').map((text) => text.trim())) {
    const at = part.indexOf('=');
    const key = part.slice(0, at);
    const values = parts.get(key) ?? [];
    if (at < 1 || (key === 't' && values.length > 0)) return null;
    parts.set(key, [...values, part.slice(at + 1)]);
  }
  return parts;
}

/**
 * Verifies that a delivery was signed with your endpoint's secret within the tolerance: one of its signatures must
 * match. This file depends only on Node: copy it into your receiver. A signature covers the timestamp and the body, not
 * the id headers: deduplicate by the ids in the body's `data`.
 *
 * @throws TypeError when `secret` is empty
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
  const [t] = parts.get('t') ?? [];
  if (t === undefined || !/^[0-9]{1,15}$/.test(t)) return refuse('invalid_timestamp');
  const signatures = parts.get('v1') ?? [];
  if (signatures.length === 0) return refuse('missing_signature');
  // `Buffer.from` silently drops characters that are not hexadecimal.
  if (!signatures.every((v1) => /^(?:[0-9a-fA-F]{2})*$/.test(v1))) return refuse('malformed_signature');

  const seconds = now ?? Math.floor(Date.now() / 1000);
  if (!(Math.abs(seconds - Number(t)) <= toleranceSeconds)) return refuse('outside_tolerance');

  const expected = createHmac('sha256', secret).update(`${t}.`).update(rawBody).digest();
  const received = signatures.map((v1) => Buffer.from(v1, 'hex'));
  if (received.some(({ length }) => length !== expected.length)) return refuse('malformed_signature');
  return received.some((signature) => timingSafeEqual(signature, expected))
    ? { valid: true }
    : refuse('signature_mismatch');
}
