import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifySignature } from '../features/webhooks/signature/verify.ts';

/** Most of a body that is read, in bytes; no event is nearly as long. */
const MAX_BODY = 1024 * 1024;
/** Deliveries whose arrivals are counted; the oldest is forgotten first. */
const MAX_COUNTED = 10_000;

/** One request as it arrived. */
export interface Received {
  at: Date;
  path: string;
  /** Name of the event in the body; null where there is none. */
  event: string | null;
  /** `webhook-id`: the same at every attempt and every endpoint. */
  eventId: string | null;
  /** `X-SVC-Delivery-Id`: the same at every attempt. */
  deliveryId: string | null;
  /** How often this delivery has arrived, this time included. */
  arrival: number;
  /** Whether rule 4 of the specification holds; null when no secret was given. */
  verified: boolean | null;
  /** Why it does not hold, or was not looked at. */
  reason: string | null;
  /** Length of the body in bytes. */
  bytes: number;
  /** The body: parsed when it is JSON, as text when it is not; null when it was too long to read. */
  body: unknown;
  /** Status of the answer. */
  status: number;
}

interface ReceiverOptions {
  /** Signing secrets; a request that any of them verifies is verified. */
  secrets: string[];
  /** Status of every answer. */
  status: number;
  /** Milliseconds before the answer. */
  delayMs: number;
  onReceived(received: Received): void;
}

/** The length of the body, and the body itself unless it is longer than `MAX_BODY`: then its rest is thrown away. */
async function readBody(request: IncomingMessage): Promise<{ bytes: number; raw: Buffer | null }> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY) chunks.push(chunk);
    else chunks = [];
  }
  return { bytes, raw: bytes <= MAX_BODY ? Buffer.concat(chunks) : null };
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

type Verdict = Pick<Received, 'verified' | 'reason'>;

function verify(secrets: string[], header: string | null, rawBody: Buffer | null): Verdict {
  if (!rawBody) return { verified: false, reason: 'body_too_long' };
  const results = secrets.map((secret) => verifySignature({ secret, header, rawBody }));
  const [first] = results;
  if (!first) return { verified: null, reason: 'no secret given' };
  if (first.valid || results.some((result) => result.valid)) return { verified: true, reason: null };
  return { verified: false, reason: first.reason };
}

/** A webhook receiver: reads each POST, says whether its signature holds, and answers. Not listening yet. */
export function createReceiver({ secrets, status, delayMs, onReceived }: ReceiverOptions): Server {
  const arrivals = new Map<string, number>();

  /** Counts one more arrival of a delivery; 1 for a request without an id. */
  function count(deliveryId: string | null): number {
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
    const answer = raw ? status : 413;
    const header = (name: string): string | null => request.headers[name]?.toString() ?? null;
    const deliveryId = header('x-svc-delivery-id');
    onReceived({
      at,
      path: request.url ?? '/',
      ...parse(raw),
      eventId: header('webhook-id'),
      deliveryId,
      arrival: count(deliveryId),
      ...verify(secrets, header('x-svc-signature'), raw),
      bytes,
      status: answer,
    });
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
    response.writeHead(answer, { 'Content-Length': 0 }).end();
  }

  return createServer((request, response) => {
    // A sender that hangs up, at its timeout for one, is no failure of the receiver.
    handle(request, response).catch(() => response.destroy());
  });
}
