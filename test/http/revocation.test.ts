import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { recordedEvents } from '../support/recorded-events.ts';
import { KEYS, openChangeStreams, rawConnection, send, startServer } from './support.ts';

const EVENT = { type: 'signup', visitor_id: 'v_1' };

async function serving(options: Parameters<typeof startServer>[0] = {}) {
  const server = await startServer(options);
  onTestFinished(() => server.stop());
  const apiKeys = await server.models.ApiKey.find().lean();
  const idOf = (key: string) =>
    String(apiKeys.find(({ prefix, scope }) => key.startsWith(prefix) && key[3] === scope[0])?._id);
  /** Ids of the keys that the service reads again, in order. */
  const reread: string[] = [];
  /** Ids of keys that are no longer active, without a notification of it. */
  const inactive = new Set<string>();
  const { isActive } = server.services.keys;
  vi.spyOn(server.services.keys, 'isActive').mockImplementation(async (owner) => {
    reread.push(owner.keyId);
    return !inactive.has(owner.keyId) && isActive(owner);
  });
  return { server, idOf, reread, inactive };
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

test('reads the key once for a request that arrives whole', async () => {
  const { server, reread } = await serving();
  for (let i = 0; i < 5; i += 1)
    expect((await send(server, 'POST', '/v1/events', { body: EVENT })).status).toBe(201);
  expect(reread).toEqual([]);
});

test('reads the key of a request again if the end of its body comes later', async () => {
  const { server, idOf, reread, inactive } = await serving();
  const authenticate = vi.spyOn(server.services.keys, 'authenticate');
  const { socket, received } = await rawConnection(server.port);
  const body = JSON.stringify(EVENT);
  socket.write(
    `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEYS.write}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  await eventually(() => authenticate.mock.settledResults[0]?.type === 'fulfilled');
  inactive.add(idOf(KEYS.write));
  socket.write(body.slice(5));
  await eventually(() => received().includes('UNAUTHENTICATED'));
  expect(received()).toMatch(/^HTTP\/1.1 401 /);
  expect(reread).toEqual([idOf(KEYS.write)]);
  expect((await recordedEvents(server.models, { customerId: 42 })).count).toBe(0);
  socket.destroy();
});

test('does not open a subscription whose key was revoked before its listener started', async () => {
  const { server, idOf, reread, inactive } = await serving();
  inactive.add(idOf(KEYS.read));
  const before = await openChangeStreams(server);
  const refused = await subscribe(server, KEYS.read);
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  expect(reread).toEqual([idOf(KEYS.read)]);
  await vi.waitUntil(async () => (await openChangeStreams(server)) <= before, { timeout: 10_000 });
});

test('ends open streams at the next check of their key, and no other streams', async () => {
  const { server, idOf, reread, inactive } = await serving({ streamCheckIntervalMs: 50 });
  const ended: string[] = [];
  for (const key of [KEYS.read, KEYS.read, KEYS.otherWrite]) {
    const response = await subscribe(server, key);
    expect(response.status).toBe(200);
    void response.text().then((text) => ended.push(`${key} ${text.endsWith('event: complete\ndata:\n\n')}`));
  }
  const checksOf = (key: string) => reread.filter((id) => id === idOf(key)).length;
  // Three streams of two keys: a check reads each key once.
  const [read, otherWrite] = [checksOf(KEYS.read), checksOf(KEYS.otherWrite)];
  await eventually(() => checksOf(KEYS.otherWrite) > otherWrite + 3);
  expect(checksOf(KEYS.read) - read).toBeLessThanOrEqual(checksOf(KEYS.otherWrite) - otherWrite + 1);
  expect(ended).toEqual([]);
  inactive.add(idOf(KEYS.read));
  await eventually(() => ended.length === 2);
  expect(ended).toEqual([`${KEYS.read} true`, `${KEYS.read} true`]);

  // The keys of streams that have ended are not read any more.
  const before = reread.length;
  await eventually(() => reread.length > before + 3);
  expect(new Set(reread.slice(before))).toEqual(new Set([idOf(KEYS.otherWrite)]));
});
