import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';
import { createOutboundClient, type OutboundClient } from '../../src/outbound/outbound-client.ts';
import type { OutboundRequest, OutboundResult } from '../../src/outbound/outbound-request.ts';
import { certificate, privateKey } from './certificate.ts';

export interface Receiver {
  port: number;
  /** `http://127.0.0.1:<port>`, or `https:`. */
  origin: string;
  /** Every connection that was ever made to it. */
  connections: Socket[];
}

/** Listens on a free loopback port until the test is over. */
async function listen(server: Server, scheme: 'http' | 'https'): Promise<Receiver> {
  const connections: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    connections.push(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, origin: `${scheme}://127.0.0.1:${port}`, connections };
}

export const httpReceiver = (onRequest: RequestListener): Promise<Receiver> =>
  listen(createServer(onRequest), 'http');

export const httpsReceiver = (onRequest: RequestListener, options: TlsOptions = {}): Promise<Receiver> =>
  listen(
    createHttpsServer(
      { cert: certificate, key: privateKey, ALPNProtocols: ['http/1.1'], ...options },
      onRequest,
    ),
    'https',
  );

/** A receiver that speaks whatever bytes the test likes. */
export const tcpReceiver = (onConnection: (socket: Socket) => void): Promise<Receiver> =>
  listen(createTcpServer(onConnection), 'http');

/** Answers each request that arrives with these bytes. */
export const rawReceiver = (response: string | Buffer): Promise<Receiver> =>
  tcpReceiver((socket) => socket.on('data', () => socket.write(response)));

/** An outbound client that is closed when the test is over; targets on loopback are allowed unless said otherwise. */
export function testOutbound(
  options: Partial<Parameters<typeof createOutboundClient>[0]> = {},
): OutboundClient {
  const outbound = createOutboundClient({ allowPrivate: true, ...options });
  onTestFinished(() => outbound.close(0));
  return outbound;
}

/** A delivery as the service makes them, with time for a slow machine. */
export const delivery = (url: string, overrides: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"event":"conversation.started"}',
  timeoutMs: 30_000,
  ...overrides,
});

export const send = (url: string, overrides: Partial<OutboundRequest> = {}): Promise<OutboundResult> =>
  testOutbound().send(delivery(url, overrides));
