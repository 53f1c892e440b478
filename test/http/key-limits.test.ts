import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { KEYS, rawConnection, send, startServer } from './support.ts';

const EVENT = { type: 'signup', visitor_id: 'v1' };
const VIEWER = { query: '{ viewer { scope } }' };

let server: Awaited<ReturnType<typeof startServer>>;
/** Lets the events that are being recorded complete. */
let release: () => void;
/** Number of events whose recording began. */
let begun: number;
/** Number of subscriptions that have not ended. */
let subscribers: number;

beforeEach(async () => {
  server = await startServer();
  const gate = Promise.withResolvers<void>();
  release = gate.resolve;
  begun = 0;
  const { record: recordEvent } = server.services.events;
  server.services.events.record = async (...args) => {
    begun += 1;
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

  test('not counting those whose connection is closed, including pipelined ones', async () => {
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

describe('a key has at most 50 subscriptions', () => {
  test('which do not count as requests in execution; further ones are a 429 until one ends', async () => {
    const leave = Array.from({ length: 50 }, () => new AbortController());
    for (const { signal } of leave) expect((await subscribe(KEYS.read, signal)).status).toBe(200);
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
    expect((await subscribe(KEYS.read, leave[0].signal)).status).toBe(200);
    for (const controller of leave) controller.abort();
    await eventually(async () => subscribers === 0);
  });
});
