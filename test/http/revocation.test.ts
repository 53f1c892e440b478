import { expect, onTestFinished, test } from 'vitest';
import { KEYS, rawConnection, send, startServer, until } from './support.ts';

async function serving(options: Parameters<typeof startServer>[0] = {}) {
  const server = await startServer(options);
  onTestFinished(() => server.close());
  return server;
}

const subscribe = (server: { url: string }, key: string) =>
  fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query: 'subscription { webhookDeliveryUpdated { id } }' }),
  });

test('the key of a request that arrives at once is read once', async () => {
  const server = await serving();
  const body = { type: 'signup', visitor_id: 'v_1' };
  for (let i = 0; i < 5; i += 1)
    expect((await send(server, 'POST', '/v1/events', { body })).status).toBe(201);
  expect(server.lookups).toHaveLength(5);
  expect(server.rechecks).toEqual([]);
});

test('the key of a request whose body comes later is read again', async () => {
  const server = await serving();
  const { socket, received } = await rawConnection(server.port);
  const body = JSON.stringify({ type: 'signup', visitor_id: 'v_1' });
  socket.write(
    `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEYS.write}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  await until(() => server.lookups.length === 1);
  server.revoked.add('k-write');
  socket.write(body.slice(5));
  await until(() => received().includes('UNAUTHENTICATED'));
  expect(received()).toMatch(/^HTTP\/1.1 401 /);
  expect(server.rechecks).toEqual(['k-write']);
  expect(server.recorded).toBeNull();
  socket.destroy();
});

test('a subscription reads its key again once it listens, and does not open if the key was revoked', async () => {
  const server = await serving();
  server.revoked.add('k-read');
  const refused = await subscribe(server, KEYS.read);
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toBe('Bearer');
  await until(() => server.subscribers === 0);
  expect(server.rechecks).toEqual(['k-read']);
});

test('open streams end at the next check of their key, other streams stay open', async () => {
  const server = await serving({ streamCheckIntervalMs: 50 });
  const ended: string[] = [];
  for (const key of [KEYS.read, KEYS.read, KEYS.otherWrite]) {
    const response = await subscribe(server, key);
    expect(response.status).toBe(200);
    void response.text().then((text) => ended.push(`${key} ${text.endsWith('event: complete\ndata:\n\n')}`));
  }
  await until(() => server.rechecks.filter((id) => id === 'k-other').length > 3);
  expect(server.subscribers).toBe(3);
  server.revoked.add('k-read');
  await until(() => ended.length === 2);
  expect(server.subscribers).toBe(1);
  expect(ended.every((line) => line.startsWith(KEYS.read))).toBe(true);

  // The keys of streams that have ended are not read any more.
  const before = server.rechecks.length;
  await until(() => server.rechecks.length > before + 2);
  expect(new Set(server.rechecks.slice(before))).toEqual(new Set(['k-other']));
});
