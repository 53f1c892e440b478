import { WebhookVerificationError } from './verification-error.ts';

/** Headers of a request: a `Headers` object, or an object such as `req.headers` of Node.js and its frameworks. */
export type WebhookHeaders =
  | Pick<Headers, 'get'>
  | { readonly [name: string]: string | readonly string[] | undefined };

/** Signatures of a delivery of one form, as its headers state them. */
export interface ClaimedSignatures {
  /** Id that the signatures cover; null if they cover none. */
  id: string | null;
  /** Unix time of the attempt, in digits. */
  timestamp: string;
  /** Signed text before the body. */
  prefix: string;
  /** One of these must match. */
  signatures: Uint8Array<ArrayBuffer>[];
}

/** Unix seconds. */
const TIMESTAMP = /^\d{1,15}$/;

/** The signatures of a delivery by their form; null for a form that its headers do not have. */
interface DeliverySignatures {
  /** `v1` of Standard Webhooks. */
  standard: ClaimedSignatures | null;
  /** `v1a` of Standard Webhooks: Ed25519. */
  ed25519: ClaimedSignatures | null;
  /**
   * `X-SVC-Signature`; null as well if it is malformed beside signatures of Standard Webhooks, or if these are all `v1`:
   * they are of the same secrets, and cover the event id.
   */
  svc: ClaimedSignatures | null;
}

/**
 * Reads the signatures of Standard Webhooks and, unless these are all `v1`, `X-SVC-Signature`. During an overlap, a `v1a` of
 * the new secret can be beside a `v1` of the previous one: then only `X-SVC-Signature` has an HMAC of each.
 *
 * @throws WebhookVerificationError if the headers contain neither, or malformed ones
 */
export function readSignatures(headers: WebhookHeaders): DeliverySignatures {
  const value = headerOf(headers, 'webhook-signature');
  const { standard, ed25519 } =
    value === null ? { standard: null, ed25519: null } : readStandard(headers, value);
  const header = standard && !ed25519 ? null : headerOf(headers, 'x-svc-signature');
  if (value === null && header === null) throw new WebhookVerificationError('missing_headers');
  const svc = header === null ? null : readSvc(header);
  if (svc === null && value === null) throw new WebhookVerificationError('malformed_headers');
  return { standard, ed25519, svc };
}

function readStandard(headers: WebhookHeaders, value: string): Omit<DeliverySignatures, 'svc'> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  if (!id || timestamp === null) throw new WebhookVerificationError('missing_headers');
  if (!TIMESTAMP.test(timestamp)) throw new WebhookVerificationError('malformed_headers');
  // Signatures of other versions are ignored, as the standard requires.
  const ofVersion = (version: string) =>
    value
      .split(' ')
      .flatMap((part) => (part.startsWith(version) ? [decodeBase64(part.slice(version.length))] : []))
      .filter((bytes) => bytes !== null);
  const [hmacs, ed25519] = [ofVersion('v1,'), ofVersion('v1a,')];
  if (hmacs.length + ed25519.length === 0) throw new WebhookVerificationError('malformed_headers');
  const claimed = { id, timestamp, prefix: `${id}.${timestamp}.` };
  return {
    standard: hmacs.length > 0 ? { ...claimed, signatures: hmacs } : null,
    ed25519: ed25519.length > 0 ? { ...claimed, signatures: ed25519 } : null,
  };
}

/**
 * Reads `t=<Unix seconds>,v1=<hexadecimal>`, with one `v1` or more; parts with other keys are ignored. Returns null if it is
 * malformed.
 */
function readSvc(value: string): ClaimedSignatures | null {
  const parts = value.split(',').map((part) => part.trim());
  if (!parts.every((part) => part.indexOf('=') > 0)) return null;
  const valuesOf = (key: string): string[] =>
    parts.filter((part) => part.startsWith(`${key}=`)).map((part) => part.slice(key.length + 1));
  const [t, second] = valuesOf('t');
  const signatures = valuesOf('v1').map(decodeHex);
  if (t === undefined || second !== undefined || !TIMESTAMP.test(t)) return null;
  const known = signatures.filter((signature) => signature !== null);
  return known.length > 0 && known.length === signatures.length
    ? { id: null, timestamp: t, prefix: `${t}.`, signatures: known }
    : null;
}

/** Returns the value of a header, ignoring the case of its name; null if it is absent, empty or repeated. */
function headerOf(headers: WebhookHeaders, name: string): string | null {
  // Not `instanceof`: frameworks bring `Headers` classes of their own.
  if (typeof headers.get === 'function') return headers.get(name);
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  const single = typeof value === 'object' && value.length === 1 ? value[0] : value;
  return typeof single === 'string' && single !== '' ? single : null;
}

/** Returns the bytes; null if the text is not hexadecimal. */
function decodeHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return null;
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
