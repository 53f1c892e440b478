import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { readMetrics } from '../support/metrics.ts';
import { KEYS, rawConnection, send, startServer } from './support.ts';

const EVENT = { type: 'signup', visitor_id: 'v1' };
const VIEWER = { query: '{ viewer { scope } }' };

let server: Awaited<ReturnType<typeof startServer>>;
/** Lets the events that are being recorded complete. */
let release: () => void;
/** Number of events whose recording began. */
let begun: number;
/** Visitors of the events whose recording began, in this order. */
let visitors: string[];
/** Number of requests in the queue of their key. */
let queued: number;
let longestQueue: number;
/** Requests of `occupy`. */
let occupying: Promise<unknown>[];
/** Number of subscriptions that have not ended. */
let subscribers: number;

beforeEach(async () => {
  queued = 0;
  longestQueue = 0;
  server = await startServer({
    onQueueChange: (change) => {
      queued += change;
      longestQueue = Math.max(longestQueue, queued);
    },
  });
  const gate = Promise.withResolvers<void>();
  release = gate.resolve;
  begun = 0;
  visitors = [];
  occupying = [];
  const { record: recordEvent } = server.services.previewEvents;
  server.services.previewEvents.record = async (...args) => {
    begun += 1;
    visitors.push(args[1].visitorId);
    await gate.promise;
    return recordEvent(...args);
  };
  subscribers = 0;
  server.services.deliveryFeed.subscribe = async () => {
    subscribers += 1;
    const ended = Promise.withResolvers<IteratorResult<never>>();
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () => ended.promise,
      async return() {
        subscribers -= 1;
        ended.resolve({ done: true, value: undefined });
        return { done: true, value: undefined };
      },
    } as never;
  };
});
afterEach(async () => {
  release();
  await Promise.allSettled(occupying);
  await server.stop();
});

const record = () => send(server, 'POST', '/v1/events', { body: EVENT });

async function subscribe(key: string, leave: AbortSignal): Promise<Response> {
  return fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query: 'subscription { webhookDeliveryUpdated { id } }' }),
    signal: leave,
  });
}

describe('a key has at most 16 requests in execution', () => {
  test('on all surfaces together; further ones are a 429, and other keys are not affected', async () => {
    const running = Array.from({ length: 16 }, record);
    await eventually(async () => begun === 16);

    const refused = await record();
    expect(refused.status).toBe(429);
    expect(refused.body.error?.code).toBe('RATE_LIMITED');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const graphql = await send(server, 'POST', '/graphql', { body: VIEWER });
    expect(graphql.status).toBe(429);
    expect(graphql.text).toContain('"code":"RATE_LIMITED"');

    const other = await send(server, 'POST', '/graphql', { body: VIEWER, key: KEYS.otherWrite });
    expect(other.status).toBe(200);

    release();
    const statuses = (await Promise.all(running)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect((await send(server, 'POST', '/graphql', { body: VIEWER })).status).toBe(200);
  });

  test('including those whose client has disconnected, until their work ends', async () => {
    const { socket } = await rawConnection(server.port);
    const body = JSON.stringify(EVENT);
    const request = [
      'POST /v1/events HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${KEYS.write}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
    socket.write(request.repeat(16));
    await eventually(async () => begun === 16);
    expect((await record()).status).toBe(429);
    socket.destroy();
    // It waits for a second, in which the service sees the disconnection.
    expect((await record()).status).toBe(429);
    release();
    for (let i = 0; i < 50 && (await record()).status === 429; i++)
      await new Promise((r) => setTimeout(r, 50));
    const statuses = await Promise.all(Array.from({ length: 16 }, async () => (await record()).status));
    expect(new Set(statuses)).toEqual(new Set([201]));
  });

  test('and rejected or completed requests are no longer counted', async () => {
    release();
    for (let round = 0; round < 5; round++) {
      const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await record()).status));
      expect(statuses.filter((status) => status === 201).length).toBeGreaterThanOrEqual(16);
    }
    const statuses = await Promise.all(Array.from({ length: 16 }, async () => (await record()).status));
    expect(new Set(statuses)).toEqual(new Set([201]));
  });
});

describe('a request beyond the 16 of its key waits', () => {
  /** Starts as many requests as a key may have in execution; they complete after `release`. */
  async function occupy(): Promise<void> {
    occupying = Array.from({ length: 16 }, record);
    await eventually(async () => begun === 16);
  }

  /** Sends one request per visitor over one connection, without waiting for a response. */
  async function pipeline(names: string[]) {
    const connection = await rawConnection(server.port);
    const requests = names.map((name) => {
      const body = JSON.stringify({ ...EVENT, visitor_id: name });
      return `${postHead(body.length)}\r\n${body}`;
    });
    connection.socket.write(requests.join(''));
    return connection;
  }

  const postHead = (length: number) =>
    [
      'POST /v1/events HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${KEYS.write}`,
      'Content-Type: application/json',
      `Content-Length: ${length}`,
      '',
    ].join('\r\n');

  test('so that 20 parallel workers are never refused', async () => {
    release();
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const own: number[] = [];
        for (let i = 0; i < 25; i++) own.push((await record()).status);
        return own;
      }),
    );
    expect(statuses.flat().filter((status) => status === 201)).toHaveLength(500);
    expect(queued).toBe(0);
  });

  test('for a second at most, in a queue of 64 at most; beyond either it is a 429', async () => {
    await occupy();
    const waiting = Array.from({ length: 64 }, record);
    const beyond = Array.from({ length: 6 }, record);
    const statuses = (await Promise.all([...waiting, ...beyond])).map(({ status, headers, body }) => {
      expect(body.error?.code).toBe('RATE_LIMITED');
      expect(headers.get('retry-after')).toBe('1');
      return status;
    });
    expect(new Set(statuses)).toEqual(new Set([429]));
    expect(longestQueue).toBe(64);
    expect(begun).toBe(16);
    expect(queued).toBe(0);
  });

  test('unless its client disconnects: the request leaves the queue and is not executed', async () => {
    await occupy();
    const { socket } = await pipeline(['gone 1', 'gone 2']);
    await eventually(async () => queued === 2);
    socket.destroy();
    await eventually(async () => queued === 0);
    release();
    expect((await record()).status).toBe(201);
    expect(visitors).toHaveLength(17);
    expect(visitors).not.toContain('gone 1');
  });

  test('without its body: the client is asked for it when the request has a slot', async () => {
    await occupy();
    const { socket, received } = await rawConnection(server.port);
    const body = JSON.stringify({ ...EVENT, visitor_id: 'late body' });
    socket.write(`${postHead(body.length)}Expect: 100-continue\r\n\r\n`);
    await eventually(async () => queued === 1);
    expect(received()).toBe('');
    release();
    await eventually(async () => received().includes('100 Continue'));
    socket.write(body);
    await eventually(async () => received().includes('HTTP/1.1 201'));
    socket.destroy();
  });

  test('and the metrics count it', async () => {
    const observed = await startApp({ HTTP_MAX_REQUESTS_PER_KEY: '2' });
    onTestFinished(() => observed.stop());
    const read = () => observed.request('GET', '/api/v1/event-types', { key: observed.admin });
    const statuses = (await Promise.all(Array.from({ length: 40 }, read))).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const page = await readMetrics(observed);
    expect(page.value('engagement_http_queued_requests')).toBe(0);
    expect(page.value('engagement_http_queue_wait_seconds_count')).toBeGreaterThan(0);
  });
});

describe('a key has at most 50 subscriptions', () => {
  test('which do not count as requests in execution; further ones are a 429 until one ends', async () => {
    const leave = Array.from({ length: 50 }, () => new AbortController());
    // Referenced until the end: `fetch` closes the connection of a response that is garbage.
    const open: Response[] = [];
    for (const { signal } of leave) open.push(await subscribe(KEYS.read, signal));
    expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await subscribe(KEYS.read, new AbortController().signal);
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain('"code":"RATE_LIMITED"');
    expect(subscribers).toBe(50);
    expect((await send(server, 'POST', '/graphql', { body: VIEWER, key: KEYS.read })).status).toBe(200);
    const other = new AbortController();
    expect((await subscribe(KEYS.otherWrite, other.signal)).status).toBe(200);
    other.abort();

    leave[0]?.abort();
    await eventually(async () => subscribers === 49);
    leave[0] = new AbortController();
    open[0] = await subscribe(KEYS.read, leave[0].signal);
    expect(open[0].status).toBe(200);
    for (const controller of leave) controller.abort();
    await eventually(async () => subscribers === 0);
  });
});
