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

export async function startSoakReceiver(ledger: Ledger): Promise<SoakReceiver> {
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
      ledger.arrive({
        event: eventIdentity(JSON.parse(rawBody)),
        eventId: String(request.headers['webhook-id']),
        isSigned: secret !== undefined && verifySignature({ secret, header, rawBody }).valid,
      });
      response.writeHead(200).end();
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
