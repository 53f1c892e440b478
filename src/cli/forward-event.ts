import { WEBHOOK_USER_AGENT } from '../features/webhooks/delivery/attempt-headers.ts';
import { signatureHeaders } from '../features/webhooks/signature/sign.ts';
import { systemClock, unixSeconds } from '../platform/clock.ts';

/** An event as a feed returns it. */
export interface ForwardedEvent {
  id: string;
  event: string;
  payload: string;
  deliveries: { id: string }[];
}

/** An event that was sent to a local address, and the answer. */
export interface Forwarded {
  at: Date;
  id: string;
  event: string;
  /** Null if there was no response. */
  status: number | null;
  /** Reason for the missing response; null if there was one. */
  error: string | null;
  durationMs: number;
}

export interface ForwardTarget {
  url: string;
  /** Signing secret. */
  secret: string;
  /** Aborts the request. */
  signal: AbortSignal;
}

/** Time limit of a response: a developer may have stopped at a breakpoint. Milliseconds. */
const TIMEOUT_MS = 30_000;

/** Sends an event as a delivery is sent: same body, headers and signatures. */
export async function forward(
  { id, event, payload: body, deliveries: [delivery] }: ForwardedEvent,
  { url, secret, signal }: ForwardTarget,
): Promise<Forwarded> {
  const at = systemClock.now();
  const startedAt = performance.now();
  const sent = await fetch(url, {
    method: 'POST',
    body,
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    headers: {
      'content-type': 'application/json',
      'user-agent': WEBHOOK_USER_AGENT,
      // An event without an endpoint has no delivery: the ID identifies the event, and is the same each time.
      'X-SVC-Delivery-Id': delivery?.id ?? id,
      ...signatureHeaders({ secret, eventId: id, body, t: unixSeconds(at) }),
    },
  }).then(
    async (response) => {
      await response.body?.cancel();
      return { status: response.status, error: null };
    },
    ({ message, cause }: Error) => ({
      status: null,
      error: cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : message,
    }),
  );
  return { at, id, event, ...sent, durationMs: Math.round(performance.now() - startedAt) };
}
