import { setImmediate } from 'node:timers/promises';
import { getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/errors/app-error.ts';
import type { Services } from '../../../src/features/services.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';
import { caller, endpoint, guardWrite, query, type Reply, TENANT } from './endpoint.ts';

const MIB = 1024 * 1024;
const TEXT = 'x'.repeat(32_768);

/** Conversations whose pages of messages have texts of the maximum length. */
function longConversations(text = TEXT) {
  const state = { reads: 0, running: 0, mostRunning: 0 };
  const conversation = (id: string) => ({ id, status: 'active', startedAt: new Date(0) });
  const services = {
    conversations: {
      find: async (_tenant: unknown, id: string) => conversation(id),
      list: async (_tenant: unknown, _filter: unknown, { limit }: { limit: number }) => ({
        edges: Array.from({ length: limit }, (_, i) => ({ cursor: `c${i}`, node: conversation(`${i}`) })),
        hasMore: false,
      }),
      async transcript(_tenant: unknown, _id: string, { limit }: { limit: number }) {
        state.reads += 1;
        state.running += 1;
        state.mostRunning = Math.max(state.mostRunning, state.running);
        await setImmediate();
        state.running -= 1;
        const node = { id: 'm', role: 'bot', text, sentAt: new Date(0) };
        return { edges: Array.from({ length: limit }, () => ({ cursor: 'c', node })), hasMore: false };
      },
    },
    moves: { end: async (_tenant: unknown, id: string) => conversation(id) },
    guardWrite,
  } as unknown as Services;
  return { services, state };
}

async function run(text: string, services: Services): Promise<Reply & { bytes: number }> {
  const { body, status } = await endpoint.handle(
    { body: { query: text }, accept: 'application/json' },
    caller('write', services).context,
  );
  if (typeof body !== 'string') throw new Error('A stream came where JSON was expected.');
  return { status, bytes: Buffer.byteLength(body), ...JSON.parse(body) };
}

const TOO_LARGE = /exceeds the maximum of 16 MiB/;

describe('a response has at most 16 MiB', () => {
  // The second and the third round of a query: interpreted, then compiled.
  test.each([1, 2, 3, 4])('and its reads stop at the limit, round %i', async () => {
    const { services, state } = longConversations();
    const reply = await run(
      '{ conversations(first: 100) { edges { node { transcript(first: 100) { edges { node { role } } } } } } }',
      services,
    );
    expect(reply).toMatchObject({ status: 400, errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
    expect(reply.errors?.[0]?.message).toMatch(TOO_LARGE);
    expect(reply.bytes).toBeLessThan(10_000);
    // Six pages of 3.1 MiB exceed it, while eight reads run at the same time.
    expect(state.reads).toBeLessThanOrEqual(14);
    expect(state.mostRunning).toBeLessThanOrEqual(8);
  });

  test.each([1, 2, 3, 4])('also when aliases repeat what was read once, round %i', async () => {
    // 196,608 bytes each as JSON.
    const { services } = longConversations('\u0001'.repeat(32_768));
    const texts = ['a', 'b', 'c', 'd', 'e'].map((alias) => `${alias}: text`).join(' ');
    const reply = await run(
      `{ conversation(id: "1") { transcript(first: 60) { edges { node { ${texts} } } } } }`,
      services,
    );
    expect(reply.status).toBe(400);
    expect(reply.errors?.[0]?.message).toMatch(TOO_LARGE);
  });

  test('and a mutation reports that it was executed', async () => {
    const { services } = longConversations('\u0001'.repeat(32_768));
    const texts = ['a', 'b', 'c', 'd', 'e'].map((alias) => `${alias}: text`).join(' ');
    const reply = await run(
      `mutation { endConversation(conversationId: "1") { transcript(first: 60) { edges { node { ${texts} } } } } }`,
      services,
    );
    expect(reply).toMatchObject({ status: 200, data: null });
    expect(reply.errors?.[0]?.message).toMatch(TOO_LARGE);
    expect(reply.bytes).toBeLessThan(10_000);
  });

  test('a large page is returned', async () => {
    const { services } = longConversations();
    const page = 'transcript(first: 100) { edges { cursor node { id role text sentAt } } }';
    const reply = await run(`{ conversation(id: "1") { id ${page} } }`, services);
    expect(reply.status).toBe(200);
    expect(reply.bytes).toBeGreaterThan(3 * MIB);
  });
});

describe('operations with a large response', () => {
  const pageOf = (first: number) =>
    `{ conversation(id: "1") { transcript(first: ${first}) { edges { node { text } } } } }`;
  const large = { query: pageOf(100) };
  const small = { query: pageOf(2) };

  /** Sends for a customer, whose turn no other test has used. */
  function send(customerId: number, body: object, services: Services, signal?: AbortSignal) {
    const { context } = caller('write', services);
    if (signal) context.signal = signal;
    context.principal.tenant = { ...TENANT, customerId };
    return endpoint.handle({ body, accept: undefined }, context);
  }

  test('of one tenant execute one after the other', async () => {
    const { services, state } = longConversations();
    await Promise.all(Array.from({ length: 4 }, () => send(101, large, services)));
    expect(state).toMatchObject({ reads: 4, mostRunning: 1 });
  });

  test.each([
    ['reads of another tenant', 102, 103, large],
    ['small ones', 105, 105, small],
  ])('execute beside %s', async (_name, customerId, other, body) => {
    const { services, state } = longConversations();
    await Promise.all([send(customerId, large, services), send(other, body, services)]);
    expect(state).toMatchObject({ reads: 2, mostRunning: 2 });
  });

  test('do not begin once their client has disconnected', async () => {
    const { services, state } = longConversations();
    const disconnected = AbortSignal.abort(new AppError('SERVICE_UNAVAILABLE', 'closed'));
    await expect(send(104, large, services, disconnected)).rejects.toThrow('closed');
    expect(state.reads).toBe(0);
    await send(104, large, services);
    expect(state.reads).toBe(1);
  });
});

const repeat = (count: number, part: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ');

describe('a document is rejected', () => {
  test.each([
    ['six aliases of a field', `{ viewer { ${repeat(6, (i) => `a${i}: scope`)} } }`],
    ['six aliases of a root field', `{ ${repeat(6, (i) => `a${i}: viewer { scope }`)} }`],
    [
      'six aliases in fragments',
      `{ viewer { ...A ...B } } fragment A on Viewer { ${repeat(3, (i) => `a${i}: scope`)} }
       fragment B on Viewer { ${repeat(3, (i) => `b${i}: scope`)} }`,
    ],
    [
      'six aliases in fields that are merged',
      `{ viewer { ${repeat(3, (i) => `a${i}: scope`)} } viewer { ${repeat(3, (i) => `b${i}: scope`)} } }`,
    ],
  ])('with %s', async (_name, text) => {
    const reply = await query(text);
    expect(reply.status).toBe(400);
    expect(reply.errors?.[0]?.message).toMatch(/more than 5 aliases of the field/);
  });

  test.each([
    ['the events of many conversations', 'events { payload }'],
    ['the records of many conversations', 'conversions { id } resolutions { id } handoffs { id }'],
    ['the texts of many conversations', 'transcript(first: 20) { edges { node { text } } }'],
  ])('whose cost includes %s', async (_name, fields) => {
    const reply = await query(`{ conversations(first: 100) { edges { node { ${fields} } } } }`);
    expect(reply.status).toBe(400);
    expect(reply.errors?.[0]?.message).toMatch(/cost/);
  });

  test('whose cost includes the payloads and attempts of many deliveries', async () => {
    const reply = await query(
      `{ webhookDeliveries(first: 100) { edges { node { payload attempts { at responseBody error } } } }
         more: webhookDeliveries(first: 100) { edges { node { payload attempts { at responseBody error } } } }
         most: webhookDeliveries(first: 100) { edges { node { payload attempts { at responseBody error } } } } }`,
    );
    expect(reply.errors?.[0]?.message).toMatch(/cost/);
  });
});

test('fragments with many combinations are rejected or served quickly', async () => {
  const levels = repeat(
    30,
    (i) => `fragment F${i} on Conversation { ${i % 2 ? 'id' : 'status'} ...F${i + 1} ...F${i + 1} }`,
  );
  const document = `{ conversation(id: "1") { ...F0 } } ${levels} fragment F30 on Conversation { id }`;
  expect(await cpuMsOf(() => query(document))).toBeLessThan(5_000);
});

test('five aliases of a field and the introspection query are within the limits', async () => {
  expect((await query(`{ viewer { ${repeat(5, (i) => `a${i}: scope`)} } }`)).status).toBe(200);
  expect((await query(getIntrospectionQuery())).errors).toBeUndefined();
});
