import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { verifySignature } from '../../src/features/webhooks/signature/verify.ts';
import { eventIdentity } from './event-identity.ts';
import type { Ledger } from './ledger.ts';

/** The receiver of all tenants, which enters each arrival in the ledger. */
export interface SoakReceiver extends AsyncDisposable {
  url: string;
  /** Registers the secret of the endpoint with this path. */
  expect(path: string, secret: string): void;
  /** Closes all connections and refuses new ones until `listen`. */
  refuse(): Promise<void>;
  listen(): Promise<void>;
}

/** A request as the receiver has logged it. */
export interface ReceivedRequest {
  delivery: string;
  /** Unix time in milliseconds. */
  atMs: number;
  /** Status of the response; null if the connection was cut instead. */
  status: number | null;
}

interface ReceiverOptions {
  /** Receives each request, once it has its response. */
  onRequest?: (request: ReceivedRequest) => void;
  /** Fails a small share of the requests. */
  fails?: boolean;
}

/** Share of the requests that a receiver with `fails` answers with 500, and share that it cuts after it has processed them. */
const [FAILED_SHARE, CUT_SHARE] = [0.03, 0.01];

export async function startSoakReceiver(
  ledger: Ledger,
  { onRequest = () => {}, fails = false }: ReceiverOptions = {},
): Promise<SoakReceiver> {
  const secrets = new Map<string, string>();
  const sockets = new Set<Socket>();
  let port = 0;

  function receive(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const rawBody = Buffer.concat(chunks).toString('utf8');
      const header = String(request.headers['x-svc-signature']);
      const secret = secrets.get(request.url ?? '');
      const draw = fails ? Math.random() : 1;
      const status = draw < FAILED_SHARE ? 500 : draw < FAILED_SHARE + CUT_SHARE ? null : 200;
      onRequest({ delivery: String(request.headers['x-svc-delivery-id']), atMs: Date.now(), status });
      if (status === 500) {
        response.writeHead(500).end();
        return;
      }
      ledger.arrive({
        event: eventIdentity(JSON.parse(rawBody)),
        eventId: String(request.headers['webhook-id']),
        isSigned: secret !== undefined && verifySignature({ secret, header, rawBody }).valid,
      });
      if (status === null) request.socket.destroy();
      else response.writeHead(200).end();
    });
  }

  const server = createServer(receive);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  async function listen(): Promise<void> {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  }

  async function refuse(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  await listen();
  return {
    url: `http://127.0.0.1:${port}`,
    expect: (path, secret) => secrets.set(path, secret),
    refuse,
    listen,
    [Symbol.asyncDispose]: refuse,
  };
}
