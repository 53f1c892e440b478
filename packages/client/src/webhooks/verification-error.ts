import { EngagementError } from '../errors.ts';

const MESSAGES = {
  missing_headers:
    'The request has no signature: webhook-id, webhook-timestamp and webhook-signature, or X-SVC-Signature. Pass all headers of the request.',
  malformed_headers: 'The signature headers are malformed.',
  outside_tolerance:
    'The timestamp differs from the current time by more than the tolerance. Check the clock; otherwise the request is a replay.',
  signature_mismatch:
    'The signature does not match. Check that the secret belongs to the endpoint, and that the payload is the body as received.',
  invalid_payload: 'The payload is signed, but is not the JSON of an event.',
} as const;

/** Reason for the rejection of a delivery. */
export type WebhookVerificationReason = keyof typeof MESSAGES;

/** The delivery is not authentic, or not verifiable: respond with HTTP 400 and do not act on it. */
export class WebhookVerificationError extends EngagementError {
  override name = 'WebhookVerificationError';
  /** Reason for the rejection. */
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason) {
    super(MESSAGES[reason]);
    this.reason = reason;
  }
}
