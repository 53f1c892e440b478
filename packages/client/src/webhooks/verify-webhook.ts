import {
  type ClaimedSignatures,
  decodeBase64,
  readSignatures,
  type WebhookHeaders,
} from './signature-headers.ts';
import { WebhookVerificationError } from './verification-error.ts';
import type { ThinWebhookEvent, VerifiedWebhook, WebhookEvent } from './webhook-events.ts';

/** A received delivery and what is required to verify it. */
export interface VerifyWebhookInput {
  /** Body exactly as received, before JSON parsing. */
  payload: string | Uint8Array | ArrayBuffer;
  /** All headers of the request. */
  headers: WebhookHeaders;
  /**
   * Signing secret of the endpoint, `whsec_…`, or the public key of an endpoint that signs with Ed25519, `whpk_…`.
   * While a rotated one is being replaced, the old and the new one.
   */
  secret: string | readonly string[];
  /** Largest difference between the sender's clock and yours in seconds; 300 by default. */
  toleranceSeconds?: number | undefined;
}

const DEFAULT_TOLERANCE_SECONDS = 300;
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;
const ED25519 = 'Ed25519';
const ED25519_KEY_BYTES = 32;
const PUBLIC_KEY_PREFIX = 'whpk_';
const PREFIX = /^(?:whsec|whpk)_(?=.)/;
/** Ed25519 signatures that are verified: the body is hashed for each, and an attacker can send hundreds. */
const MAX_ED25519_SIGNATURES = 8;

/**
 * Verifies that a delivery was signed with the secret or the key pair of your endpoint, recently, and returns its event.
 * One of its signatures must match; `X-SVC-Signature` counts if there are no others, or some of them are Ed25519.
 * Deliveries are at least once: deduplicate by `id`, or by the ids in `data`.
 *
 * New event types can be added to the service: give a `switch` over `event` a default branch.
 *
 * @typeParam E `ThinWebhookEvent` for an endpoint with `payload: 'thin'`
 * @throws WebhookVerificationError if the delivery is not authentic; `reason` says why
 * @throws TypeError if an argument is invalid, such as a payload that was parsed before
 */
export async function verifyWebhook<E extends WebhookEvent | ThinWebhookEvent = WebhookEvent>({
  payload,
  headers,
  secret,
  toleranceSeconds = DEFAULT_TOLERANCE_SECONDS,
}: VerifyWebhookInput): Promise<VerifiedWebhook<E>> {
  const body = bytesOf(payload);
  const secrets = [secret].flat();
  if (secrets.length === 0 || !secrets.every((one) => PREFIX.test(one))) invalidSecret();
  if (!(toleranceSeconds >= 0)) throw new TypeError('toleranceSeconds must be a number from 0.');

  const { standard, ed25519, svc } = readSignatures(headers);
  const encoder = new TextEncoder();
  /** Signatures that one of the secrets can verify, those that cover the event id first. */
  const candidates = secrets.flatMap((one): Candidate[] => {
    const decoded = decodeBase64(one.replace(PREFIX, ''));
    const isPublicKey = one.startsWith(PUBLIC_KEY_PREFIX);
    if (isPublicKey ? decoded?.length !== ED25519_KEY_BYTES : standard && !decoded) invalidSecret();
    if (isPublicKey) return candidatesOf(ed25519, decoded, isSignedByKey);
    return [...candidatesOf(standard, decoded, hasHmac), ...candidatesOf(svc, encoder.encode(one), hasHmac)];
  });
  // Only the timestamp of the signature is checked: it does not cover that of other headers.
  const recent = candidates.filter(
    ({ claimed }) => Math.abs(Date.now() / 1000 - Number(claimed.timestamp)) <= toleranceSeconds,
  );
  for (const { claimed, key, isAuthentic } of recent)
    if (await isAuthentic(claimed, key, concatenated(encoder.encode(claimed.prefix), body)))
      return {
        ...(eventOf(body) as E),
        id: claimed.id,
        attemptedAt: new Date(Number(claimed.timestamp) * 1000),
      };
  const isLate = candidates.length > 0 && recent.length === 0;
  throw new WebhookVerificationError(isLate ? 'outside_tolerance' : 'signature_mismatch');
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Signatures of one form, and the key that one of them must match. */
interface Candidate {
  claimed: ClaimedSignatures;
  key: Bytes;
  isAuthentic: (claimed: ClaimedSignatures, key: Bytes, signed: Bytes) => Promise<boolean>;
}

const candidatesOf = (
  claimed: ClaimedSignatures | null,
  key: Bytes | null,
  isAuthentic: Candidate['isAuthentic'],
): Candidate[] => (claimed && key ? [{ claimed, key, isAuthentic }] : []);

async function hasHmac({ signatures }: ClaimedSignatures, secret: Bytes, signed: Bytes): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', secret, HMAC, false, ['sign']);
  // Computed once: `verify` would hash the body for each signature, and an attacker can send thousands.
  const expected = new Uint8Array(await crypto.subtle.sign(HMAC.name, key, signed));
  return signatures.some((signature) => equalInConstantTime(signature, expected));
}

async function isSignedByKey(
  { signatures }: ClaimedSignatures,
  publicKey: Bytes,
  signed: Bytes,
): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', publicKey, ED25519, false, ['verify']);
  for (const signature of signatures.slice(0, MAX_ED25519_SIGNATURES))
    if (await crypto.subtle.verify(ED25519, key, signature, signed)) return true;
  return false;
}

/** @throws TypeError */
function invalidSecret(): never {
  throw new TypeError(
    'secret must be the signing secret of the endpoint, whsec_ and base64, or its public key, whpk_ and base64.',
  );
}

function bytesOf(payload: VerifyWebhookInput['payload']): Uint8Array {
  if (typeof payload === 'string') return new TextEncoder().encode(payload);
  if (payload instanceof Uint8Array) return payload;
  if (payload instanceof ArrayBuffer) return new Uint8Array(payload);
  throw new TypeError('payload must be the body as received: a string or bytes, not parsed JSON.');
}

/** Compares in constant time: the duration does not reveal where two signatures differ. */
function equalInConstantTime(signature: Uint8Array, expected: Uint8Array): boolean {
  let difference = signature.length ^ expected.length;
  for (const [index, byte] of expected.entries()) difference |= byte ^ (signature[index] ?? 0);
  return difference === 0;
}

function concatenated(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/** @throws WebhookVerificationError if the body is not an event */
function eventOf(body: Uint8Array): WebhookEvent {
  let value: Partial<WebhookEvent> | null = null;
  try {
    value = JSON.parse(new TextDecoder().decode(body));
  } catch {
    // Not JSON.
  }
  const isEvent =
    typeof value?.event === 'string' && typeof value.data === 'object' && typeof value.ts === 'number';
  if (!isEvent) throw new WebhookVerificationError('invalid_payload');
  return value as WebhookEvent;
}
