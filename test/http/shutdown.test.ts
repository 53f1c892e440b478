import { expect, test } from 'vitest';
import { rawConnection, send, startServer, until } from './support.ts';

const EVENT = { type: 'signup', visitor_id: 'v1' };

test('close finishes what is running, answers it, and accepts nothing more', async () => {
  const server = await startServer();
  const gate = Promise.withResolvers<void>();
  server.gate = gate.promise;
  const running = send(server, 'POST', '/v1/events', { body: EVENT });
  await until(() => server.recorded !== null);

  const closed = server.close(10_000);
  await expect(send(server, 'GET', '/api/health', { key: null })).rejects.toThrow();
  gate.resolve();
  const answer = await running;
  expect(answer.status).toBe(201);
  expect(answer.headers.get('connection')).toBe('close');
  await closed;
});

test('close does not wait for connections that nothing runs on', async () => {
  const server = await startServer();
  const { socket, received, closed } = await rawConnection(server.port);
  socket.write('GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => received().includes('"status":"ok"'));
  const started = performance.now();
  await server.close(10_000);
  await closed;
  expect(performance.now() - started).toBeLessThan(2_000);
});

test('close cuts off what still runs after its grace', async () => {
  const server = await startServer();
  server.gate = new Promise(() => {});
  const running = send(server, 'POST', '/v1/events', { body: EVENT });
  const outcome = running.then(
    () => 'answered',
    () => 'cut off',
  );
  await until(() => server.recorded !== null);
  const started = performance.now();
  await server.close(200);
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(await outcome).toBe('cut off');
});

test('an address that is taken is an error of listen', async () => {
  const { createServer } = await import('node:http');
  const { createHttpServer } = await import('../../src/http/http-server.ts');
  const { buildSchemas } = await import('../../schema/index.ts');
  const { default: pino } = await import('pino');
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { port: number };
  const server = createHttpServer({
    services: {} as never,
    schemas: buildSchemas(),
    log: pino({ level: 'silent' }),
    config: {
      host: '127.0.0.1',
      port,
      loopback: true,
      rateLimit: null,
      trustedProxies: [],
      metricsToken: null,
    },
  });
  await expect(server.listen()).rejects.toThrow(/EADDRINUSE/);
  await new Promise((resolve) => taken.close(resolve));
});
