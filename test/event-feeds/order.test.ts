import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventLogStore } from '../../src/features/event-feeds/event-log.store.ts';
import { createSequencer } from '../../src/features/event-feeds/sequencer.ts';
import { outboxEventStore } from '../../src/features/outbox/outbox-event.store.ts';
import { NO_ENCRYPTION } from '../../src/features/privacy/field-encryption.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { act, pull } from './support.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** Stores an event whose id was assigned a while before, as a commit that takes long does. */
async function commitAfter(customerId: number, delayMs: number): Promise<string> {
  const at = new Date();
  const _id = newObjectId(at);
  await sleep(delayMs);
  const payload = JSON.stringify({ event: 'conversion.recorded', data: { customerId }, ts: 0 });
  await app.models.Event.create([{ _id, customerId, event: 'conversion.recorded', payload, createdAt: at }]);
  return _id.toHexString();
}

const logOf = (customerId: number) =>
  app.models.EventLogEntry.find({ customerId }).sort({ sequence: 1 }).lean();

describe('the order of a feed', () => {
  test('skips no event with a random delay between its id and its commit, for a reader that reads along', async () => {
    const tenant = await app.newTenant();
    await pull(app, tenant, '?consumer=a');
    const received: string[] = [];
    let isDone = false;
    const reading = (async () => {
      while (!isDone) {
        const { data, cursor } = await pull(app, tenant, '?wait=1&limit=7&consumer=a');
        received.push(...data.map(({ id }) => id));
        await act(app, tenant, { action: 'ack', cursor, consumer: 'a' });
      }
    })();
    const committed = await Promise.all(
      Array.from({ length: 400 }, async () => {
        await sleep(Math.random() * 3_000);
        return commitAfter(tenant.customerId, Math.random() ** 3 * 2_500);
      }),
    );
    await eventually(() => received.length >= committed.length, 20_000);
    isDone = true;
    await reading;
    expect(received.toSorted()).toEqual(committed.toSorted());
    const late = received.filter((id, index) => received.slice(0, index).some((earlier) => earlier > id));
    expect(late.length).toBeGreaterThan(50);
  });

  test('continues with an event that commits an hour after its id', async () => {
    const tenant = await app.newTenant();
    await commitAfter(tenant.customerId, 0);
    const { cursor } = await pull(app, tenant);
    const at = new Date(Date.now() - 3_600_000);
    const payload = JSON.stringify({ event: 'conversion.recorded', data: {}, ts: 0 });
    const late = newObjectId(at);
    await app.models.Event.create([
      { _id: late, customerId: tenant.customerId, event: 'conversion.recorded', payload, createdAt: at },
    ]);
    const page = await eventually(async () => {
      const next = await pull(app, tenant, `?wait=1&cursor=${cursor}`);
      return next.data.length > 0 && next;
    });
    expect(page.data.map(({ id }) => id)).toEqual([late.toHexString()]);
  });

  test('is dense and unique while two processes write the log, as after a lost lease', async () => {
    const tenant = await app.newTenant();
    await pull(app, tenant);
    const logs = eventLogStore(app.models, app.clock);
    const store = {
      ...logs,
      // Neither notices that it has lost its lease.
      acquire: async () => ({ _id: 'events', token: 'stale', expiresAt: new Date(), position: null }),
      renew: async () => true,
      release: async () => {},
      restartScans: async () => {},
    };
    const { db: connection } = app.models.Event;
    const rival = createSequencer({
      connection,
      store,
      events: outboxEventStore(app.models, NO_ENCRYPTION),
      onEntry: () => {},
      log: createLogger('silent'),
    });
    const end = new AbortController();
    const running = rival.run(end.signal);
    const committed = await Promise.all(
      Array.from({ length: 500 }, async () => {
        await sleep(Math.random() * 2_000);
        return commitAfter(tenant.customerId, 0);
      }),
    );
    await eventually(async () => (await logOf(tenant.customerId)).length >= committed.length);
    end.abort();
    await running;
    const log = await logOf(tenant.customerId);
    expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, index) => index + 1));
    expect(log.map(({ _id }) => _id.toHexString()).toSorted()).toEqual(committed.toSorted());
  });

  test('has the events from before the first feed first, more than one read of the scan takes', async () => {
    const tenant = await app.newTenant();
    const { customerId } = tenant;
    const payload = JSON.stringify({ event: 'conversion.recorded', data: {}, ts: 0 });
    const stored = Array.from({ length: 2_500 }, () => ({
      _id: newObjectId(new Date()),
      customerId,
      event: 'conversion.recorded' as const,
      payload,
      createdAt: new Date(),
    }));
    await app.models.Event.insertMany(stored);
    const received: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await pull(app, tenant, `?wait=1${cursor && `&cursor=${cursor}`}`);
      received.push(...page.data.map(({ id }) => id));
      cursor = page.cursor;
      if (page.data.length === 0) break;
    }
    expect(received).toEqual(stored.map(({ _id }) => _id.toHexString()).toSorted());
  });

  test('is the same after the history of changes was lost', async () => {
    const tenant = await app.newTenant();
    for (let i = 0; i < 3; i += 1) await commitAfter(tenant.customerId, 0);
    const before = await pull(app, tenant);
    await app.models.EventSequencer.updateOne(
      {},
      { $set: { position: null, expiresAt: new Date(0) }, $unset: { token: 1 } },
    );
    await eventually(async () => (await app.models.EventSequencer.findOne({}).lean())?.position);
    const later = await commitAfter(tenant.customerId, 0);
    const after = await pull(app, tenant);
    expect(after.data.map(({ id }) => id)).toEqual([...before.data.map(({ id }) => id), later]);
  });
});
