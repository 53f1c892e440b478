import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';

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

interface Received {
  /** Raw request body, before JSON parsing. */
  rawBody: string | Uint8Array;
  /** Largest difference between the sender's clock and yours, in seconds; 300 by default. */
  toleranceSeconds?: number;
  /** Unix time in seconds; the current time by default. */
  now?: number;
}

export interface VerifyInput extends Received {
  /** Signing secret of the endpoint: the whole string, including `whsec_`. */
  secret: string;
  /**
   * Value of the `X-SVC-Signature` header: `t=<Unix seconds>,v1=<hexadecimal HMAC>`. For some time after a rotation, it
   * can have a second `v1`, by the previous secret.
   */
  header: string | null | undefined;
}

export interface VerifyEd25519Input extends Received {
  /** Public key of the endpoint: the whole string, including `whpk_`. */
  publicKey: string;
  /** Value of the `webhook-id` header: id of the event, which the signature covers. */
  id: string | null | undefined;
  /** Value of the `webhook-timestamp` header: Unix seconds. */
  timestamp: string | null | undefined;
  /**
   * Value of the `webhook-signature` header: `v1a,<base64 signature>`. For some time after a rotation, it has a second
   * signature after a space, by the previous key.
   */
  signature: string | null | undefined;
}

const TIMESTAMP = /^[0-9]{1,15}$/;
/** Ed25519 signatures to verify: the body is hashed for each, and an attacker can send hundreds. */
const MAX_ED25519_SIGNATURES = 8;

const refuse = (reason: VerifyReason): VerifyResult => ({ valid: false, reason });

const isRecent = (timestamp: string, { toleranceSeconds = 300, now }: Received): boolean =>
  Math.abs((now ?? Math.floor(Date.now() / 1000)) - Number(timestamp)) <= toleranceSeconds;

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
export function verifySignature({ secret, header, ...received }: VerifyInput): VerifyResult {
  if (!secret) throw new TypeError('The signing secret is not set.');
  if (!header) return refuse('missing_header');

  const parts = parseHeader(header);
  if (!parts) return refuse('malformed_header');
  const [t] = parts.get('t') ?? [];
  if (t === undefined || !TIMESTAMP.test(t)) return refuse('invalid_timestamp');
  const values = parts.get('v1') ?? [];
  if (values.length === 0) return refuse('missing_signature');
  // `Buffer.from` silently drops characters that are not hexadecimal.
  if (!values.every((v1) => /^(?:[0-9a-fA-F]{2})*$/.test(v1))) return refuse('malformed_signature');
  if (!isRecent(t, received)) return refuse('outside_tolerance');

  const expected = createHmac('sha256', secret).update(`${t}.`).update(received.rawBody).digest();
  const signatures = values.map((v1) => Buffer.from(v1, 'hex'));
  if (signatures.some(({ length }) => length !== expected.length)) return refuse('malformed_signature');
  return signatures.some((signature) => timingSafeEqual(signature, expected))
    ? { valid: true }
    : refuse('signature_mismatch');
}

/**
 * Verifies that a delivery was signed with the key pair of your endpoint within the tolerance, for an endpoint with
 * `signing: ed25519`: one of its signatures must match. Signatures cover the id: deduplicate by it.
 *
 * @throws TypeError when `publicKey` is not a public key
 */
export function verifyEd25519Signature({
  publicKey,
  id,
  timestamp,
  signature,
  ...received
}: VerifyEd25519Input): VerifyResult {
  const key = readPublicKey(publicKey);
  if (!id || !timestamp || !signature) return refuse('missing_header');
  if (!TIMESTAMP.test(timestamp)) return refuse('invalid_timestamp');
  // Signatures of other versions are ignored, as Standard Webhooks requires.
  const values = signature.split(' ').flatMap((part) => (part.startsWith('v1a,') ? [part.slice(4)] : []));
  const signatures = values.flatMap((v1a) =>
    /^[A-Za-z0-9+/]{86}==$/.test(v1a) ? [Buffer.from(v1a, 'base64')] : [],
  );
  if (signatures.length === 0) return refuse(values.length > 0 ? 'malformed_signature' : 'missing_signature');
  if (!isRecent(timestamp, received)) return refuse('outside_tolerance');

  const { rawBody } = received;
  const body = typeof rawBody === 'string' ? Buffer.from(rawBody) : rawBody;
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  return signatures.slice(0, MAX_ED25519_SIGNATURES).some((bytes) => verify(null, signed, key, bytes))
    ? { valid: true }
    : refuse('signature_mismatch');
}

function readPublicKey(publicKey: string): KeyObject {
  if (!/^whpk_[A-Za-z0-9+/]{43}=$/.test(publicKey))
    throw new TypeError('The public key must be whpk_ and the base64 of 32 bytes.');
  const x = Buffer.from(publicKey.slice(5), 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
