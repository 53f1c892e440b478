import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { getIntrospectionQuery } from 'graphql';
import { answerCalls } from '../../support/child-process.ts';
import { type HostileClient, hostileClient } from './hostile-client.ts';

/** What hostile callers know of the service and of their tenant. */
export interface Target {
  port: number;
  customerId: number;
  readKey: string;
  writeKey: string;
  /** Keys that were never used. */
  newKeys: string[];
  /** Conversations with transcripts of 4 MiB. */
  conversationIds: string[];
  bundlePath: string;
  /** URL of a receiver that responds after 4.5 s. */
  slowUrl: string;
  /** Port of `RECORDER_API_URL`, where attacks listen as the meeting provider. */
  providerPort: number;
}

export interface AttackResult {
  /** Number of responses by status; `closed` if the connection was closed before. */
  statuses: Record<string, number>;
  /** Milliseconds from the first request with each new key to its response. */
  firstUsesMs: number[];
}

interface Attack {
  target: Target;
  client: HostileClient;
  firstUsesMs: number[];
  isOver(): boolean;
}

const ZEROS = `[${'0,'.repeat(499_999)}0]`;
const EVENT = '{"type":"conversion","goal":"other","visitor_id":"v"}';
const SLOW_ENDPOINTS = 20;
const BURST = 2_000;
/** Requests of one key that the service executes at a time. */
const PARALLEL = 16;
const SUBSCRIPTIONS = 1_500;

const aliases = (count: number, field: string) =>
  `{${Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ')}}`;

/** Runs `step` in `clients` loops until the attack is over. */
async function repeat({ isOver }: Attack, clients: number, step: (index: number) => Promise<unknown>) {
  let next = 0;
  const loop = async () => {
    while (!isOver()) await step(next++);
  };
  await Promise.all(Array.from({ length: clients }, loop));
}

/** Runs `step` at a rate, whether or not the previous ones have completed. */
async function pace({ isOver }: Attack, perSecond: number, step: (index: number) => unknown) {
  const startedAt = performance.now();
  for (let next = 0; !isOver(); await sleep(5)) {
    const due = ((performance.now() - startedAt) / 1000) * perSecond;
    while (next < due) step(next++);
  }
}

function zeros(attack: Attack): Promise<void> {
  const { client, target } = attack;
  const append =
    'mutation ($zeros: [MessageInput!]!) { appendMessages(conversationId: "x", messages: $zeros) { id } }';
  const bodies = [append, '{ viewer { scope } }'].map(
    (query) => `{"query":${JSON.stringify(query)},"variables":{"zeros":${ZEROS}}}`,
  );
  return repeat(attack, 4, (index) =>
    client.send({ path: '/graphql', key: target.readKey, body: bodies[index % bodies.length] }),
  );
}

/** The most that a document may introspect, and one with three aliases a level, which is refused. */
function introspection(attack: Attack): Promise<void> {
  const { client, target } = attack;
  const whole = getIntrospectionQuery().replace('{', '{ again: __schema { types { ...FullType } }');
  const levels = ['fields', 'type', 'ofType', 'fields', 'type', 'ofType'];
  const nested = levels.reduceRight((selection, field) => aliases(3, `${field} ${selection}`), '{ name }');
  const bodies = [whole, `{ __schema { types ${nested} } }`].map((query) => JSON.stringify({ query }));
  return repeat(attack, 4, (index) =>
    client.send({ path: '/graphql', key: target.readKey, body: bodies[index % bodies.length] }),
  );
}

function nestedJson(attack: Attack): Promise<void> {
  const { client, target } = attack;
  const run = randomBytes(8).toString('hex');
  const body = `{"type":"x","visitor_id":"v","properties":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`;
  return repeat(attack, PARALLEL, (index) =>
    client.send({
      path: '/v1/events',
      key: target.writeKey,
      body,
      headers: { 'idempotency-key': `${run}-${index % 100}` },
    }),
  );
}

/** Every client keeps its unread response for three seconds, then sends the request again. */
function readTranscripts(attack: Attack, keys: readonly string[]): Promise<void> {
  const { client, target } = attack;
  return repeat(attack, 8, async (index) => {
    const id = target.conversationIds[index % target.conversationIds.length];
    const transcript = `conversation(id: "${id}") { transcript(first: 100) { edges { node { id text } } } }`;
    const body = JSON.stringify({ query: aliases(5, transcript) });
    const key = keys[index % keys.length] ?? '';
    const socket = await client.sendUnread({ path: '/graphql', key, body });
    await sleep(3_000);
    socket.destroy();
  });
}

const unreadTranscripts = (attack: Attack) => readTranscripts(attack, [attack.target.readKey]);
const unreadByManyKeys = (attack: Attack) => readTranscripts(attack, attack.target.newKeys);

async function unreadBundles(attack: Attack): Promise<void> {
  const { client, target } = attack;
  await repeat(attack, 60, async () => {
    const socket = await client.sendUnread({ method: 'GET', path: target.bundlePath });
    for (let waits = 0; waits < 40 && !attack.isOver(); waits += 1) await sleep(250);
    socket.destroy();
  });
}

function activity(attack: Attack): Promise<void> {
  const { client, target } = attack;
  const counts = 'events { event count } deliveries { status count } conversations { status count }';
  const query = aliases(3, `activity(since: "2000-01-01T00:00:00Z") { ${counts} }`);
  const body = JSON.stringify({ query });
  return repeat(attack, 6, () => client.send({ path: '/graphql', key: target.readKey, body }));
}

async function subscriptions(attack: Attack): Promise<void> {
  const { client, target } = attack;
  const subscription = {
    path: '/graphql',
    key: target.readKey,
    body: JSON.stringify({ query: 'subscription { webhookDeliveryUpdated { id status attempt } }' }),
    headers: { accept: 'text/event-stream' },
  };
  let left = SUBSCRIPTIONS;
  const open = async () => {
    while (left-- > 0 && !attack.isOver()) await client.sendUnread(subscription);
  };
  await Promise.all([
    ...Array.from({ length: PARALLEL }, open),
    pace(attack, 20, () => client.send({ path: '/v1/events', key: target.writeKey, body: EVENT })),
  ]);
}

/** The endpoints exist for the duration of the attack. */
async function slowEndpoints(attack: Attack): Promise<void> {
  const { client, target } = attack;
  let left = BURST;
  const burst = async () => {
    while (left-- > 0 && !attack.isOver())
      await client.send({ path: '/v1/events', key: target.writeKey, body: EVENT });
  };
  await Promise.all(Array.from({ length: PARALLEL }, burst));
  while (!attack.isOver()) await sleep(100);
}

function sharedKeys(attack: Attack): Promise<void> {
  const { client, target } = attack;
  const run = randomBytes(8).toString('hex');
  return pace(attack, 40, (index) =>
    client.send({
      path: '/v1/events',
      key: target.writeKey,
      body: EVENT,
      headers: { 'idempotency-key': `${run}-${Math.floor(index / 2)}` },
    }),
  );
}

/** 50 keys a second that do not exist, from the address of the healthy tenant, and a new key every two seconds. */
async function badKeys(attack: Attack): Promise<void> {
  const { client, target, firstUsesMs } = attack;
  const localAddress = '127.0.0.1';
  const send = (key: string) => client.send({ method: 'GET', path: '/v1/conversations', key, localAddress });
  await pace(attack, 50, async (index) => {
    if (index % 100 === 99) {
      const key = target.newKeys.pop();
      if (!key) return;
      const sentAt = performance.now();
      const status = await send(key);
      if (status === 200) firstUsesMs.push(performance.now() - sentAt);
    } else await send(`eg_r_${randomBytes(32).toString('base64url')}`);
  });
}

/** Syncs again and again from a provider that responds with these pages in turn. */
async function syncPages({ client, target, isOver }: Attack, pages: readonly string[]): Promise<void> {
  let next = 0;
  const provider = createServer((request, response) => {
    const body = request.url?.startsWith('/user') ? '{}' : pages[next++ % pages.length];
    response.setHeader('content-type', 'application/json').end(body);
  }).listen(target.providerPort, '127.0.0.1');
  await once(provider, 'listening');
  const mutate = (field: string) =>
    client.send({
      path: '/graphql',
      key: target.writeKey,
      body: JSON.stringify({ query: `mutation { ${field} }` }),
    });
  await mutate('connectRecorder(apiKey: "rec_bench") { status }');
  while (!isOver()) {
    await mutate('syncMeetings { id }');
    await sleep(100);
  }
  provider.closeAllConnections();
  provider.close();
}

const hugePages = (attack: Attack) =>
  syncPages(attack, [
    `{"meetings":[${'1,'.repeat(2 ** 19)}1]}`,
    `{"meetings":[${'{},'.repeat(20 * 2 ** 20)}{}]}`,
  ]);

/** Three meetings, each with a letter of 99,000 combining marks in its summary; new ones in each page. */
const combiningMarks = (attack: Attack) =>
  syncPages(
    attack,
    Array.from({ length: 50 }, (_, page) =>
      JSON.stringify({
        meetings: Array.from({ length: 3 }, (_, index) => ({
          id: `m${page}-${index}`,
          created_at: new Date().toISOString(),
          summary: `a${'\u0315\u0300'.repeat(49_500)}`,
        })),
      }),
    ),
  );

const ATTACKS = {
  zeros,
  introspection,
  nestedJson,
  unreadTranscripts,
  unreadByManyKeys,
  unreadBundles,
  activity,
  subscriptions,
  slowEndpoints,
  sharedKeys,
  badKeys,
  hugePages,
  combiningMarks,
};
export type AttackName = keyof typeof ATTACKS;

/** Creates the endpoints of `slowEndpoints` with a client that is not counted. */
async function withEndpoints(target: Target, run: () => Promise<void>): Promise<void> {
  const url = `http://127.0.0.1:${target.port}/api/v1/customers/${target.customerId}/webhook-endpoints`;
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${target.writeKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const ids: number[] = [];
  while (ids.length < SLOW_ENDPOINTS) {
    const { endpoint } = (await call('POST', '', { url: target.slowUrl })) as { endpoint: { id: number } };
    ids.push(endpoint.id);
  }
  await run();
  for (const id of ids) await call('DELETE', `/${id}`);
}

interface AttackRun {
  name: AttackName;
  target: Target;
  durationMs: number;
}

async function attack({ name, target, durationMs }: AttackRun): Promise<AttackResult> {
  const client = hostileClient(target.port);
  const firstUsesMs: number[] = [];
  const run = async () => {
    const endsAt = performance.now() + durationMs;
    const isOver = () => performance.now() >= endsAt;
    // Connections that await a response at the end are closed.
    await Promise.race([ATTACKS[name]({ target, client, firstUsesMs, isOver }), sleep(durationMs + 500)]);
    client.close();
  };
  await (name === 'slowEndpoints' ? withEndpoints(target, run) : run());
  return { statuses: client.statuses, firstUsesMs };
}

const handlers = { attack };
export type AttackCalls = typeof handlers;
answerCalls(handlers);
