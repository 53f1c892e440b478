import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Json } from '../support/app.ts';
import { startAppWithFailpoints } from '../support/app-with-failpoints.ts';
import { listening, postConversion } from '../webhooks/support.ts';
import { post } from './support.ts';

const WRITERS = 8;
const DURATION_MS = 5_000;

const { app, mongo } = await startAppWithFailpoints();

/** Delays every second insert: what was planned first is then often committed last. */
const delayInserts = (collection: string) =>
  mongo.failCommands({
    commands: ['insert'],
    collection,
    failure: { blockConnection: true, blockTimeMS: 150 },
    probability: 0.5,
  });

/** Runs writers at random intervals, and meanwhile a poller; the poller runs once more after the writers have ended. */
async function writeAndPoll(write: (writer: number) => Promise<unknown>, poll: () => Promise<void>) {
  const until = performance.now() + DURATION_MS;
  let isWriting = true;
  const writing = Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      while (performance.now() < until) {
        await write(writer);
        await sleep(Math.random() * 20);
      }
    }),
  ).finally(() => {
    isWriting = false;
  });
  while (isWriting) await poll();
  await writing;
  await mongo.failCommands('off');
  await poll();
}

test('a client that reads deliveries newest first until a known one misses none', async () => {
  const { tenant, endpoint } = await listening(app);
  const seen = new Set<string>();
  async function poll(): Promise<void> {
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await app.request('GET', `${endpoint.path}/deliveries?limit=20${query}`, {
        key: tenant.read,
      });
      const ids = (body.data as unknown as Json[]).map(({ id }) => String(id));
      const known = ids.findIndex((id) => seen.has(id));
      found.push(...(known < 0 ? ids : ids.slice(0, known)));
      cursor = known < 0 ? ((body.nextCursor as unknown as string | null) ?? null) : null;
    } while (cursor !== null);
    for (const id of found) seen.add(id);
  }
  await delayInserts('webhookDeliveries');
  await writeAndPoll(() => postConversion(app, tenant), poll);
  const stored = await app.models.Delivery.find({ customerId: tenant.customerId }).distinct('_id');
  expect(stored.length).toBeGreaterThan(WRITERS);
  expect(stored.map(String).filter((id) => !seen.has(id))).toEqual([]);
});

test('a client that reads events in consecutive windows of time misses none', async () => {
  const tenant = await app.newTenant();
  const seen = new Set<string>();
  const recorded = new Set<string>();
  let since = new Date();
  async function poll(): Promise<void> {
    await sleep(5);
    const until = new Date();
    const path = `/v1/events?limit=100&since=${since.toISOString()}&until=${until.toISOString()}`;
    const { body } = await app.request('GET', path, { key: tenant.read });
    for (const { id } of body.data as unknown as Json[]) seen.add(String(id));
    since = until;
  }
  await delayInserts('previewEvents');
  await writeAndPoll(async () => {
    const { body } = await post(app, tenant, { type: 'page.viewed', visitor_id: 'v_1' });
    recorded.add(String(body.id));
  }, poll);
  expect(recorded.size).toBeGreaterThan(WRITERS);
  expect([...recorded].filter((id) => !seen.has(id))).toEqual([]);
});

test('a list contains what its process has acknowledged, while other commits are in progress', async () => {
  const tenant = await app.newTenant();
  await delayInserts('previewEvents');
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      for (let i = 0; i < 10; i += 1) {
        const { body } = await post(app, tenant, { type: 'page.viewed', visitor_id: 'v_1' });
        const listed = await app.request('GET', '/v1/events?limit=100', { key: tenant.read });
        expect((listed.body.data as unknown as Json[]).map(({ id }) => id)).toContain(body.id);
      }
    }),
  );
  await mongo.failCommands('off');
});
