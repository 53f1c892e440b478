import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { conversationStore } from '../../src/features/conversations/conversations.store.ts';
import { createConversions } from '../../src/features/conversations/conversions.ts';
import { importStore } from '../../src/features/conversations/import/import.store.ts';
import { parseLine } from '../../src/features/conversations/import/import-line.ts';
import { createImportWriter } from '../../src/features/conversations/import/import-writer.ts';
import type { Outbox } from '../../src/features/outbox/outbox.ts';
import { NO_ENCRYPTION } from '../../src/features/privacy/field-encryption.ts';
import { NO_SUPPRESSIONS } from '../../src/features/privacy/suppression.service.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { ended, idOf } from './import-support.ts';

const CONVERSATIONS = 3;
const MESSAGES_EACH = 2;

let app: TestApp;
let tenant: TestTenant;
/** Ids of the published events. */
let published: string[];
let family = 0xe00;

beforeAll(async () => {
  app = await startApp({ ROLE: 'api' });
});
afterAll(() => app.stop());
beforeEach(async () => {
  tenant = await app.newTenant();
  published = [];
  family += 1;
});

/** Blocks one process at a step, as a stalled virtual machine does. */
function createPause() {
  const reached = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    resume: resumed.resolve,
    async wait() {
      reached.resolve();
      await resumed.promise;
    },
  };
}
type Pause = ReturnType<typeof createPause>;

/** Returns the writer of one process. Its lease check never fails: the process stalls after the check. */
function writerOf(pauses: { beforeMark?: Pause; beforePublish?: Pause; beforeCommit?: Pause } = {}) {
  const { beforeMark, beforePublish, beforeCommit } = pauses;
  const { models, clock } = app;
  const store = importStore(models, NO_ENCRYPTION);
  const conversations = conversationStore(models, NO_ENCRYPTION);
  const imports = {
    ...store,
    async beginPublishing(...args: Parameters<typeof store.beginPublishing>) {
      await beforeMark?.wait();
      return store.beginPublishing(...args);
    },
    async insertEach(writes: Parameters<typeof store.insertEach>[0]) {
      if (writes[0]?.collection.collectionName === 'conversations') await beforePublish?.wait();
      return store.insertEach(writes);
    },
  };
  const outbox = {
    async commit(plan: Parameters<Outbox['commit']>[0]) {
      await beforeCommit?.wait();
      const { writes, events, result } = await plan();
      for (const { collection, operation } of writes) await collection.bulkWrite([operation]);
      published.push(...events.map(({ id }) => id.toHexString()));
      return { result, effects: [] };
    },
  } as unknown as Outbox;
  const writer = createImportWriter({
    conversations,
    conversions: createConversions(conversations),
    imports,
    outbox,
    suppressions: NO_SUPPRESSIONS,
    clock,
  });
  const batch = Array.from({ length: CONVERSATIONS }, (_, n) =>
    parseLine(Buffer.from(JSON.stringify(ended(idOf(family.toString(16), n + 1)))), clock.now()),
  );
  return {
    discardLeftovers: () => writer.discardLeftovers(tenant.tenant),
    storeAll: (emit: boolean, completed?: Set<string>) =>
      writer.storeAll(tenant.tenant, batch, { emit, requireLease: () => {}, completed }),
  };
}

/** Number of messages of each stored conversation. */
async function transcripts(): Promise<number[]> {
  const { Conversation, Message } = app.models;
  const rows = await Conversation.find({ customerId: tenant.customerId }, { _id: 1 }).lean();
  return Promise.all(rows.map(({ _id }) => Message.countDocuments({ conversationId: _id })));
}

const whole = Array.from({ length: CONVERSATIONS }, () => MESSAGES_EACH);

async function expectNothingLeft(): Promise<void> {
  const { customerId } = tenant;
  expect(await app.models.StagedConversation.countDocuments({ customerId })).toBe(0);
  expect(await app.models.Message.countDocuments({ customerId })).toBe(CONVERSATIONS * MESSAGES_EACH);
}

describe('an import that stalls while publishing, and whose leftovers another import removes,', () => {
  test('stores complete conversations or none', async () => {
    const pause = createPause();
    const stalled = writerOf({ beforePublish: pause }).storeAll(false);
    await pause.reached;
    await writerOf().discardLeftovers();
    pause.resume();
    await stalled.catch(() => {});
    expect(await transcripts()).toEqual(whole);
    await expectNothingLeft();
  });

  test('does not affect what the other import stores', async () => {
    const pause = createPause();
    const stalled = writerOf({ beforePublish: pause }).storeAll(false);
    await pause.reached;
    const other = writerOf();
    const completed = await other.discardLeftovers();
    expect((await other.storeAll(false, completed)).stored).toBe(CONVERSATIONS);
    pause.resume();
    expect((await stalled).stored).toBe(0);
    expect(await transcripts()).toEqual(whole);
    await expectNothingLeft();
  });

  test('publishes no removed conversation', async () => {
    const pause = createPause();
    const stalled = writerOf({ beforeMark: pause }).storeAll(false);
    const refused = expect(stalled).rejects.toMatchObject({ code: 'CONFLICT' });
    await pause.reached;
    const other = writerOf();
    expect(await other.discardLeftovers()).toEqual(new Set());
    pause.resume();
    await refused;
    expect(await transcripts()).toEqual([]);
    expect((await other.storeAll(false)).stored).toBe(CONVERSATIONS);
    expect(await transcripts()).toEqual(whole);
    await expectNothingLeft();
  });

  test('publishes each event once', async () => {
    const pause = createPause();
    const stalled = writerOf({ beforeCommit: pause }).storeAll(true);
    await pause.reached;
    await writerOf().discardLeftovers();
    pause.resume();
    await stalled.catch(() => {});
    expect(await transcripts()).toEqual(whole);
    // Started and ended, of each conversation.
    expect(published).toHaveLength(CONVERSATIONS * 2);
    expect(new Set(published).size).toBe(published.length);
    await expectNothingLeft();
  });

  test('does not hold up later imports: its events are published as of the time when they complete them', async () => {
    const pause = createPause();
    const stalled = writerOf({ beforeCommit: pause }).storeAll(true);
    await pause.reached;
    // Longer than a publication can take.
    app.clock.advance(60_000);
    const completedAt = app.clock.now();
    await app.services.imports.importLines(tenant.tenant, noLines(), { emit: false, progress: () => {} });
    expect(await transcripts()).toEqual(whole);
    const { customerId } = tenant;
    const events = await app.models.Event.find({ customerId }, { createdAt: 1 }).lean();
    expect(events).toHaveLength(CONVERSATIONS * 2);
    const second = Math.floor(completedAt.getTime() / 1_000);
    for (const { _id } of events) expect(_id.getTimestamp().getTime() / 1_000).toBeGreaterThanOrEqual(second);
    const last = await app.models.Conversation.findOne({ customerId }, { lastEventAt: 1 }).lean();
    expect(last?.lastEventAt?.getTime()).toBeGreaterThanOrEqual(completedAt.getTime());
    pause.resume();
    await stalled.catch(() => {});
    await expectNothingLeft();
  });

  test('restores no conversation that is deleted meanwhile', async () => {
    const pause = createPause();
    const stalled = writerOf({ beforePublish: pause }).storeAll(false);
    await pause.reached;
    const staged = await app.models.StagedConversation.find({ customerId: tenant.customerId }).lean();
    for (const { _id } of staged)
      await expect(
        app.services.deletions.deleteConversation(tenant.tenant, String(_id)),
      ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await writerOf().discardLeftovers();
    expect(await transcripts()).toEqual([]);
    pause.resume();
    await stalled.catch(() => {});
  });
});

async function* noLines(): AsyncGenerator<never> {}
