import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { KEYS, rawConnection, send, startServer } from './support.ts';

const EVENT = JSON.stringify({ type: 'signup', visitor_id: 'v1' });

/** Starts a request and sends its headers; `100 Continue` proves that the server has begun to handle it. */
async function beginRequest(port: number) {
  const connection = await rawConnection(port);
  connection.socket.write(
    [
      'POST /v1/events HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${KEYS.write}`,
      'Content-Type: application/json',
      'Expect: 100-continue',
      `Content-Length: ${EVENT.length}`,
      '',
      '',
    ].join('\r\n'),
  );
  await eventually(() => connection.received().includes('100 Continue'));
  return connection;
}

test('close finishes the requests in progress, and accepts no further ones', async () => {
  const server = await startServer();
  const { socket, received, closed } = await beginRequest(server.port);
  const serverClosed = server.close(10_000);
  await expect(send(server, 'GET', '/api/health', { key: null })).rejects.toThrow();
  socket.write(EVENT);
  await closed;
  expect(received()).toMatch(/HTTP\/1\.1 201 Created/);
  expect(received()).toMatch(/connection: close/i);
  await serverClosed;
  await server.stop();
});

test('close does not wait for idle connections', async () => {
  const server = await startServer();
  const { socket, received, closed } = await rawConnection(server.port);
  socket.write('GET /api/v1/event-types HTTP/1.1\r\nHost: x\r\n\r\n');
  await eventually(() => received().includes('UNAUTHENTICATED'));
  const started = performance.now();
  await server.close(60_000);
  await closed;
  expect(performance.now() - started).toBeLessThan(30_000);
  await server.stop();
});

test('close aborts requests that are still running after the grace period', async () => {
  const server = await startServer();
  const { received, closed } = await beginRequest(server.port);
  const started = performance.now();
  await server.close(200);
  expect(performance.now() - started).toBeLessThan(30_000);
  await closed;
  expect(received()).not.toContain('201 Created');
  await server.stop();
});

test('listen rejects if the address is in use', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  await expect(startServer({ env: { PORT: String(port) } })).rejects.toThrow(/EADDRINUSE/);
  await new Promise((resolve) => taken.close(resolve));
});
