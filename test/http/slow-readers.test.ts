import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { storedConversation } from '../bench/support/documents.ts';
import { eventually } from '../support/eventually.ts';
import { collectGarbage } from '../support/garbage.ts';
import { KEYS, startServer } from './support.ts';

type Server = Awaited<ReturnType<typeof startServer>>;

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

/** Connects and sends `request`, a whole one or the head of a GET, without reading the response. */
async function unread({ port }: Server, request: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  open.push(socket);
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  socket.write(request.startsWith('GET') ? `${request}\r\nHost: x\r\n\r\n` : request);
  return socket;
}

async function bundlePath({ url }: Server): Promise<string> {
  const page = await (await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })).text();
  const path = /src="(\/graphql\/assets\/[^"]+\.js)"/.exec(page)?.[1];
  if (!path) throw new Error('The page has no script.');
  // Compressed once, before anything is measured.
  await (await fetch(url + path)).arrayBuffer();
  return path;
}

const subscription = (key: string) => {
  const body = JSON.stringify({ query: 'subscription { webhookDeliveryUpdated { id } }' });
  return [
    'POST /graphql HTTP/1.1',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Accept: text/event-stream',
    `Content-Length: ${body.length}`,
    'Host: x',
    '',
    body,
  ].join('\r\n');
};

describe('clients that do not read', () => {
  test('share the compressed bundle: 20 connections do not hold 20 uncompressed copies', async () => {
    const server = await startServer();
    const path = await bundlePath(server);
    const before = process.memoryUsage();
    const sockets = await Promise.all(
      Array.from({ length: 20 }, () => unread(server, `GET ${path} HTTP/1.1`)),
    );
    await eventually(async () => sockets.every(({ readableLength }) => readableLength > 0), 30_000);
    await wait(1_000);
    const after = process.memoryUsage();
    const grownMiB = Math.round((after.external - before.external) / 2 ** 20);
    console.info(`external memory: +${grownMiB} MiB for 20 unread bundles`);
    expect(grownMiB).toBeLessThan(40);
    await server.stop();
  });

  test('are disconnected when a response makes no progress', async () => {
    let stalled = 0;
    const server = await startServer({ writeTimeoutMs: 600, onStalledConnection: () => stalled++ });
    const path = await bundlePath(server);
    const sockets = await Promise.all(
      Array.from({ length: 5 }, () => unread(server, `GET ${path} HTTP/1.1`)),
    );
    // Data from the client does not count as progress.
    const chatter = setInterval(() => sockets[0]?.write('GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n'), 100);
    await eventually(async () => stalled === 5, 30_000);
    clearInterval(chatter);
    await server.stop();
  });

  test('are disconnected from server-sent events, and the subscription ends', async () => {
    let stalled = 0;
    const server = await startServer({ writeTimeoutMs: 600, onStalledConnection: () => stalled++ });
    const deliveries = endlessDeliveries();
    server.services.deliveryFeed.subscribe = async () => deliveries as never;
    const socket = await unread(server, subscription(KEYS.read));
    await eventually(async () => stalled === 1, 30_000);
    await eventually(async () => (await deliveries.next()).done === true);
    socket.resume();
    await server.stop();
  });
});

async function* endlessDeliveries() {
  for (;;) yield { id: '82', value: { id: 'é'.repeat(50_000) } };
}

describe('unsent responses of all callers', () => {
  const MIB = 2 ** 20;
  const MESSAGES = 100;
  const TEXT = 'x'.repeat(32_768);
  const TRANSCRIPT = 'transcript(first: 100) { edges { node { id text } } }';

  /** A server with a transcript of 3.2 MB and as many keys of the same rights as asked for. */
  async function serverWith(keyCount: number, options: Parameters<typeof startServer>[0]) {
    const server = await startServer(options);
    const { models, services } = server;
    const now = new Date();
    const conversation = storedConversation({ number: 1, customerId: 42, startedAt: now });
    Object.assign(conversation, { messageCount: MESSAGES, textBytes: MESSAGES * TEXT.length });
    const { _id: conversationId } = conversation;
    await models.Conversation.collection.insertOne(conversation as never);
    await models.Message.collection.insertMany(
      Array.from({ length: MESSAGES }, (_, seq) => ({
        customerId: 42,
        conversationId,
        seq,
        role: 'visitor',
        text: TEXT,
        sentAt: now,
      })) as never[],
    );
    const keys: string[] = [];
    while (keys.length < keyCount) {
      const { key } = await services.keys.create({ scope: 'read', customerId: 42, expiresAt: null });
      keys.push(key);
    }
    const aliases = Array.from(
      { length: 5 },
      (_, i) => `a${i}: conversation(id: "${conversationId.toHexString()}") { ${TRANSCRIPT} }`,
    );
    return { server, keys, body: JSON.stringify({ query: `{ ${aliases.join(' ')} }` }) };
  }

  test('share 64 MiB: eight unread ones of 16 MB do not grow the process by more, and the slowest are cut', async () => {
    let unsentBytes = 0;
    let mostUnsentBytes = 0;
    let cut = 0;
    const { server, keys, body } = await serverWith(9, {
      onUnsentBytes(bytes) {
        unsentBytes = bytes;
        mostUnsentBytes = Math.max(mostUnsentBytes, bytes);
      },
      onSlowestReader: () => cut++,
    });
    const request = (key = '') =>
      [
        'POST /graphql HTTP/1.1',
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Host: x',
        '',
        body,
      ].join('\r\n');
    const heldBytes = () => {
      collectGarbage();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const read = async (key = '') => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const response = await fetch(`${server.url}/graphql`, { method: 'POST', headers, body });
      let size = 0;
      for await (const chunk of response.body ?? []) size += chunk.length;
      return { status: response.status, size };
    };
    // The first answer compiles the query and fills the caches.
    const whole = await read(keys[8]);
    expect(whole).toEqual({ status: 200, size: expect.toSatisfy((size: number) => size > 16_000_000) });

    const before = heldBytes();
    const sockets = await Promise.all(keys.slice(0, 8).map((key) => unread(server, request(key))));
    const isAnswered = ({ readableLength, closed }: Socket) => readableLength > 0 || closed;
    await eventually(() => sockets.every(isAnswered), 120_000);
    const grownMiB = (heldBytes() - before) / MIB;
    expect(await read(keys[8])).toEqual(whole);
    console.info(
      `held memory: +${grownMiB.toFixed(0)} MiB for 8 unread responses of ${(whole.size / MIB).toFixed(1)} MiB; ${cut} cut`,
    );
    expect(cut).toBeGreaterThan(0);
    expect(mostUnsentBytes).toBeLessThanOrEqual(64 * MIB);
    expect(grownMiB).toBeLessThan(64);
    for (const socket of sockets) socket.destroy();
    await eventually(() => unsentBytes === 0);
    await server.stop();
  }, 180_000);

  test('give their room back when clients leave, those that wait included', async () => {
    let unsentBytes = 0;
    const { server, keys, body } = await serverWith(6, {
      onUnsentBytes(bytes) {
        unsentBytes = bytes;
      },
    });
    const abort = new AbortController();
    const responses = keys.map((key) =>
      fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
        signal: abort.signal,
      }).then(
        ({ status }) => status,
        () => 'aborted',
      ),
    );
    await eventually(() => unsentBytes > 32 * MIB);
    abort.abort();
    await Promise.all(responses);
    await eventually(() => unsentBytes === 0);
    const { status } = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ viewer { scope } }' }),
    });
    expect(status).toBe(200);
    await server.stop();
  });
});

test('a slow client that keeps reading receives the whole response', async () => {
  let stalled = 0;
  const server = await startServer({ writeTimeoutMs: 8_000, onStalledConnection: () => stalled++ });
  const path = await bundlePath(server);
  const socket = await unread(server, `GET ${path} HTTP/1.1\r\nConnection: close`);
  const started = performance.now();
  let received = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    if (received.length < 4_096) received = Buffer.concat([received, chunk]);
    size += chunk.length;
    await wait(80);
  }
  const head = received.toString('latin1');
  const headLength = head.indexOf('\r\n\r\n') + 4;
  expect(size - headLength).toBe(Number(/content-length: (\d+)/i.exec(head)?.[1]));
  expect(performance.now() - started).toBeGreaterThan(8_000);
  expect(stalled).toBe(0);
  await server.stop();
});

describe('the number of connections is bounded', () => {
  test.each([
    ['process', { HTTP_MAX_CONNECTIONS: '5' }],
    ['address', { HTTP_MAX_CONNECTIONS_PER_ADDRESS: '5' }],
  ])('per %s', async (limit, env: Record<string, string>) => {
    const refused: string[] = [];
    const server = await startServer({ env, onConnectionRefused: (by) => refused.push(by) });
    const sockets = await Promise.all(
      Array.from({ length: 5 }, () => unread(server, 'GET /api/health HTTP/1.1')),
    );
    await eventually(async () => sockets.every(({ readableLength }) => readableLength > 0));
    const beyond = await unread(server, 'GET /api/health HTTP/1.1');
    beyond.resume();
    await eventually(async () => beyond.closed);
    expect(refused).toEqual([limit]);

    sockets[0]?.destroy();
    await eventually(async () => sockets[0]?.closed === true);
    await wait(200);
    const again = await unread(server, 'GET /api/health HTTP/1.1');
    await eventually(async () => again.readableLength > 0);
    expect(refused).toEqual([limit]);
    for (const socket of [...sockets, again]) socket.destroy();
    await server.stop();
  });
});

test('a trusted proxy may open any number of connections', async () => {
  const env = { HTTP_MAX_CONNECTIONS_PER_ADDRESS: '5', TRUSTED_PROXIES: '127.0.0.1' };
  const refused: string[] = [];
  const server = await startServer({ env, onConnectionRefused: (by) => refused.push(by) });
  const sockets = await Promise.all(
    Array.from({ length: 20 }, () => unread(server, 'GET /api/health HTTP/1.1')),
  );
  await eventually(async () => sockets.every(({ readableLength }) => readableLength > 0));
  expect(refused).toEqual([]);
  for (const socket of sockets) socket.destroy();
  await server.stop();
});
