import { randomUUID } from 'node:crypto';
import { standardSignature } from '../../platform/standard-webhooks.ts';

/** Where the demo provider sends its webhooks. */
export interface WebhookTarget {
  /** Address of the webhook, as `recorderWebhook` of the service returns it. */
  url: string;
  /** Signing secret, `whsec_…`; the service must have the same one. */
  secret: string;
}

const TIMEOUT_MS = 10_000;

/** Sends a signed webhook (Standard Webhooks) once; returns the status of the response, null if there is none. */
export async function sendProviderWebhook(
  { url, secret }: WebhookTarget,
  event: Record<string, unknown>,
): Promise<number | null> {
  const eventId = `msg_${randomUUID()}`;
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const body = JSON.stringify(event);
  try {
    const { status } = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': eventId,
        'webhook-timestamp': timestamp,
        'webhook-signature': standardSignature({ secret, eventId, timestamp, body }),
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return status;
  } catch {
    return null;
  }
}
