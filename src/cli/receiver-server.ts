import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { VERIFICATION_EVENT } from '../features/outbox/event-catalog.ts';
import { verifySignature } from '../features/webhooks/signature/verify.ts';
import { isObject } from '../platform/is-object.ts';

/** Maximum size of a body. Events are much smaller. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Number of deliveries whose arrivals are counted; beyond it, the least recent is forgotten. */
const MAX_COUNTED = 10_000;

export interface Received {
  at: Date;
  path: string;
  /** Event type in the body; null if the body has none. */
  event: string | null;
  /** `webhook-id`: the same at all attempts and all endpoints; null if the header is missing. */
  eventId: string | null;
  /** `X-SVC-Delivery-Id`: the same at all attempts; null if the header is missing. */
  deliveryId: string | null;
  /** Number of arrivals of this delivery, including this one. */
  arrival: number;
  /** Result of the signature verification; null if the receiver has no secret. */
  verified: boolean | null;
  /** Reason for a failed or skipped verification; null if the signature is valid. */
  reason: string | null;
  bytes: number;
  /** Parsed JSON, or the text of a body that is not JSON; null if the body exceeds the maximum size. */
  body: unknown;
  status: number;
}

interface ReceiverOptions {
  /** Signing secrets; a delivery is verified if one of them matches. */
  secrets: string[];
  status: number;
  delayMs: number;
  onReceived(received: Received): void;
}

/** Returns the size of the body, and its content unless it exceeds `MAX_BODY_BYTES`. */
async function readBody(request: IncomingMessage): Promise<{ bytes: number; raw: Buffer | null }> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks = [];
  }
  return { bytes, raw: bytes <= MAX_BODY_BYTES ? Buffer.concat(chunks) : null };
}

function parse(raw: Buffer | null): Pick<Received, 'event' | 'body'> {
  if (!raw) return { event: null, body: null };
  const text = raw.toString('utf8');
  try {
    const body: unknown = JSON.parse(text);
    const event = typeof body === 'object' && body !== null && 'event' in body ? body.event : null;
    return { event: typeof event === 'string' ? event : null, body };
  } catch {
    return { event: null, body: text };
  }
}

/** Returns the response body that confirms a challenge; empty for other requests. */
function challengeAnswer({ event, body }: Received): string {
  if (event !== VERIFICATION_EVENT || !isObject(body) || !isObject(body.data)) return '';
  return JSON.stringify({ challenge: body.data.challenge });
}

interface SignedRequest {
  header: string | null;
  /** Null if the body exceeds the maximum size. */
  rawBody: Buffer | null;
}

function verify(
  secrets: string[],
  { header, rawBody }: SignedRequest,
): Pick<Received, 'verified' | 'reason'> {
  if (!rawBody) return { verified: false, reason: 'body_too_long' };
  const results = secrets.map((secret) => verifySignature({ secret, header, rawBody }));
  const [first] = results;
  if (!first) return { verified: null, reason: 'no secret given' };
  if (first.valid || results.some((result) => result.valid)) return { verified: true, reason: null };
  return { verified: false, reason: first.reason };
}

/** Creates an HTTP server that receives webhooks and verifies their signatures. The caller starts it. */
export function createReceiver({ secrets, status, delayMs, onReceived }: ReceiverOptions): Server {
  const arrivals = new Map<string, number>();

  /** Counts an arrival and returns the number of arrivals of the delivery; 1 for a request without an id. */
  function countArrival(deliveryId: string | null): number {
    if (deliveryId === null) return 1;
    const arrival = (arrivals.get(deliveryId) ?? 0) + 1;
    arrivals.delete(deliveryId);
    arrivals.set(deliveryId, arrival);
    if (arrivals.size > MAX_COUNTED) arrivals.delete(arrivals.keys().next().value ?? '');
    return arrival;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      response.writeHead(405, { Allow: 'POST' }).end();
      return;
    }
    const at = new Date();
    const { bytes, raw } = await readBody(request);
    const responseStatus = raw ? status : 413;
    const header = (name: string): string | null => request.headers[name]?.toString() ?? null;
    const deliveryId = header('x-svc-delivery-id');
    const received: Received = {
      at,
      path: request.url ?? '/',
      ...parse(raw),
      eventId: header('webhook-id'),
      deliveryId,
      arrival: countArrival(deliveryId),
      ...verify(secrets, { header: header('x-svc-signature'), rawBody: raw }),
      bytes,
      status: responseStatus,
    };
    onReceived(received);
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
    const answer = challengeAnswer(received);
    response
      .writeHead(responseStatus, answer === '' ? {} : { 'Content-Type': 'application/json' })
      .end(answer);
  }

  return createServer((request, response) => {
    // The sender may have closed the connection, for example at its timeout.
    handle(request, response).catch(() => response.destroy());
  });
}
