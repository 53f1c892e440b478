import { WebhookVerificationError } from './verification-error.ts';
import type { WebhookHeaders } from './verify-webhook.ts';

/** A signature of a delivery, as its headers state it. */
export interface ClaimedSignature {
  /** Id that the signature covers; null if it covers none. */
  id: string | null;
  /** Unix time of the attempt, in digits. */
  timestamp: string;
  /** Signed text before the body. */
  prefix: string;
  /** Key of the HMAC. */
  keyFor(secret: string): Uint8Array<ArrayBuffer>;
  /** One of these signatures must match. */
  signatures: Uint8Array[];
}

const SECRET_PREFIX = 'whsec_';

/**
 * Reads the signature of Standard Webhooks if there is one, otherwise `X-SVC-Signature`. The first one is preferred
 * because it covers the event id as well.
 *
 * @throws WebhookVerificationError if the headers contain neither, or a malformed one
 */
export function readSignature(headers: WebhookHeaders): ClaimedSignature {
  const standard = headerOf(headers, 'webhook-signature');
  if (standard !== null) return readStandard(headers, standard);
  const svc = headerOf(headers, 'x-svc-signature');
  if (svc !== null) return readSvc(svc);
  throw new WebhookVerificationError('missing_headers');
}

function readStandard(headers: WebhookHeaders, value: string): ClaimedSignature {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  if (!id || timestamp === null) throw new WebhookVerificationError('missing_headers');
  // Signatures of other versions are ignored, as the standard requires.
  const signatures = value
    .split(' ')
    .flatMap((part) => (part.startsWith('v1,') ? [decodeBase64(part.slice(3))] : []))
    .filter((bytes) => bytes !== null);
  if (signatures.length === 0) throw new WebhookVerificationError('malformed_headers');
  return {
    id,
    timestamp: checkedTimestamp(timestamp),
    prefix: `${id}.${timestamp}.`,
    keyFor: (secret) => decodeBase64(secret.slice(SECRET_PREFIX.length)) ?? invalidSecret(),
    signatures,
  };
}

/** Reads `t=<Unix seconds>,v1=<hexadecimal>`; parts with other keys are ignored. */
function readSvc(value: string): ClaimedSignature {
  const parts = value.split(',').map((part) => part.trim());
  if (!parts.every((part) => part.indexOf('=') > 0)) throw new WebhookVerificationError('malformed_headers');
  const only = (key: string): string => {
    const [found, second] = parts.filter((part) => part.startsWith(`${key}=`));
    if (found === undefined || second !== undefined) throw new WebhookVerificationError('malformed_headers');
    return found.slice(key.length + 1);
  };
  const timestamp = checkedTimestamp(only('t'));
  return {
    id: null,
    timestamp,
    prefix: `${timestamp}.`,
    keyFor: (secret) => new TextEncoder().encode(secret),
    signatures: [decodeHex(only('v1'))],
  };
}

/** Returns the value of a header, ignoring the case of its name; null if it is absent, empty or repeated. */
function headerOf(headers: WebhookHeaders, name: string): string | null {
  // Not `instanceof`: frameworks bring `Headers` classes of their own.
  if (typeof headers.get === 'function') return headers.get(name);
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  const single = typeof value === 'object' && value.length === 1 ? value[0] : value;
  return typeof single === 'string' && single !== '' ? single : null;
}

function checkedTimestamp(timestamp: string): string {
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookVerificationError('malformed_headers');
  return timestamp;
}

function decodeHex(text: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) throw new WebhookVerificationError('malformed_headers');
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** @throws TypeError */
export function invalidSecret(): never {
  throw new TypeError('secret must be the signing secret of the endpoint: whsec_ and base64.');
}
