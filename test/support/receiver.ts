import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { verifySignature } from '../../src/features/webhooks/signature/verify.ts';
import { LIVENESS_TIMEOUT_MS } from './eventually.ts';

/** A received request. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  /** The exact body. */
  body: string;
  /** The body, parsed. */
  envelope: { event: string; data: Record<string, unknown>; ts: number };
  /** `performance.now()` when the body was complete. */
  at: number;
}

type Answer =
  | number
  | {
      status: number;
      headers?: Record<string, string>;
      body?: string;
      delayMs?: number;
      /** Holds the response until the promise resolves. */
      until?: Promise<unknown>;
    }
  | 'hang'
  | 'reset';

/** A constant response, or a function of the request. */
export type Behaviour = Answer | ((request: Received, index: number) => Answer);

/** An HTTP server that acts as a customer's receiver. */
export interface Receiver {
  url: string;
  received: Received[];
  /** Maximum number of concurrent requests. */
  peak(): number;
  behave(behaviour: Behaviour): void;
  /** Resolves when this number of requests has been received. */
  waitFor(count: number, timeoutMs?: number): Promise<Received[]>;
  /** Verifies a signature by rule 4 of the specification, at `now` in Unix seconds or the current time. */
  verifies(request: Received, secret: string, now?: number): boolean;
  stop(): Promise<void>;
}

export async function startReceiver(behaviour: Behaviour = 200, port = 0): Promise<Receiver> {
  let current = behaviour;
  let open = 0;
  let peak = 0;
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();

  function answer(what: Answer, response: ServerResponse): void {
    if (what === 'hang') return;
    if (what === 'reset') {
      response.socket?.resetAndDestroy();
      return;
    }
    const {
      status,
      headers = {},
      body = 'ok',
      delayMs = 0,
      until = Promise.resolve(),
    } = typeof what === 'number' ? { status: what } : what;
    void until.then(() => setTimeout(() => response.writeHead(status, headers).end(body), delayMs));
  }

  const server = createServer((request, response) => {
    open += 1;
    peak = Math.max(peak, open);
    // A request ends when its response is written; the sender may proceed before `close`.
    let counted = true;
    const over = () => {
      if (counted) open -= 1;
      counted = false;
    };
    response.once('finish', over).once('close', over);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const entry: Received = {
        path: request.url ?? '',
        headers: request.headers,
        body,
        envelope: JSON.parse(body),
        at: performance.now(),
      };
      received.push(entry);
      answer(typeof current === 'function' ? current(entry, received.length - 1) : current, response);
      for (const check of waiting) check();
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    peak: () => peak,
    behave(next) {
      current = next;
    },
    waitFor(count, timeoutMs = LIVENESS_TIMEOUT_MS) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(`${received.length} of ${count} requests came within ${timeoutMs} ms`));
        }, timeoutMs);
        const check = () => {
          if (received.length < count) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve(received);
        };
        waiting.add(check);
        check();
      });
    },
    verifies: ({ headers, body }, secret, now) =>
      verifySignature({ secret, header: String(headers['x-svc-signature']), rawBody: body, now }).valid,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
