import { createConnection, mongo } from 'mongoose';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Database, modelsOf, openDatabase } from '../../src/database/models.ts';
import { createMeetingIndexer } from '../../src/features/meetings/search/meeting-indexer.ts';
import { meetingSearchService } from '../../src/features/meetings/search/meeting-search.service.ts';
import { encodePart, GROUP_SIZE } from '../../src/features/meetings/search/postings.ts';
import { postingsId } from '../../src/features/meetings/search/postings-documents.ts';
import {
  type IndexDelay,
  type SearchIndexStore,
  searchIndexStore,
} from '../../src/features/meetings/search/search-index.store.ts';
import { toDocuments } from '../../src/features/meetings/stored-meetings/meeting-documents.ts';
import { meetingRetention } from '../../src/features/meetings/stored-meetings/meeting-retention.store.ts';
import { MEETING_FIELDS } from '../../src/features/meetings/stored-meetings/meetings.model.ts';
import { meetingService } from '../../src/features/meetings/stored-meetings/meetings.service.ts';
import { meetingStore } from '../../src/features/meetings/stored-meetings/meetings.store.ts';
import { encodeTranscript } from '../../src/features/meetings/transcript-json.ts';
import { fieldConversion } from '../../src/features/privacy/field-conversion.ts';
import { NO_ENCRYPTION } from '../../src/features/privacy/field-encryption.ts';
import { NO_SUPPRESSIONS } from '../../src/features/privacy/suppression.service.ts';
import { DEFAULT_MAPPING } from '../../src/shared/field-mapping.ts';
import { freshDatabase } from '../support/databases.ts';
import { sharedEncryption } from '../support/decrypted.ts';

const tenantOf = (customerId: number) => ({
  customerId,
  orgId: `org_${customerId}`,
  name: 'Acme',
  createdAt: new Date(),
});

let uri: string;
let database: Database;

beforeAll(async () => {
  uri = freshDatabase();
  database = await openDatabase(uri);
});
afterAll(async () => {
  await database.connection.close();
});

/** The search of one tenant, and the functions that store and index its meetings. */
function searchOf(customerId: number, encryption = NO_ENCRYPTION, { models } = database) {
  const tenant = tenantOf(customerId);
  const index = searchIndexStore(models, encryption);
  const meetings = meetingStore(models, { search: index, encryption });
  const indexerWith = (delay: IndexDelay) =>
    createMeetingIndexer({ index, suppressions: NO_SUPPRESSIONS, delay });
  const indexer = indexerWith({ quietMs: 0, maxWaitMs: 0 });
  const { search, backlog } = meetingSearchService({ index, meetings });

  /** Stores the meetings `m<from>` to `m<to - 1>`; a higher number is a later start. */
  const store = (title: string, from: number, to: number, text?: string, segments = 1) =>
    meetings.save(
      tenant,
      Array.from({ length: to - from }, (_, position) => {
        const at = new Date(Date.UTC(2026, 0, 1, 0, from + position));
        return toDocuments(
          tenant,
          {
            id: `m${from + position}`,
            title: `${title} ${from + position}`,
            createdAt: at,
            startedAt: at,
            durationSeconds: null,
            participants: [],
            transcriptJson: text
              ? encodeTranscript(Array(segments).fill({ speaker: null, text, startTime: 0, endTime: 1 }))
              : null,
            summary: null,
            updatedAt: null,
            warnings: [],
            warningCount: 0,
            recordJson: null,
          },
          { mapping: { version: 0, fields: DEFAULT_MAPPING }, key: null },
        );
      }),
      { id: title, readAt: new Date() },
    );

  async function indexAll(): Promise<void> {
    while (await indexer.run());
    expect(await backlog(tenant)).toBe(0);
  }
  const ids = async (query: string, limit = 5) =>
    (await search(tenant, { query }, { limit, after: null })).edges.map(
      ({ node }) => node.meeting.recorderMeetingId,
    );
  const list = (words: string) =>
    meetingService({ meetings, index }).list(tenant, { search: words }, { limit: 5, after: null });
  const groups = async () => (await index.groups(tenant)).toSorted((a, b) => a - b);
  return {
    store,
    index,
    indexAll,
    ids,
    list,
    groups,
    backlog: () => backlog(tenant),
    run: indexer.run,
    indexerWith,
  };
}

test('postings of replaced meetings are removed, and the others stay searchable', async () => {
  const { store, indexAll, ids, groups } = searchOf(1);
  const count = GROUP_SIZE + 10;
  await store('Harbour', 0, count);
  await indexAll();
  expect(await groups()).toEqual([0, 1]);
  await store('Lighthouse', 5, count);
  await indexAll();
  await store('Breakwater', 6, count);
  await indexAll();
  // The first five meetings have moved to a new group, and nothing of the first one is left.
  expect(await groups()).not.toContain(0);
  expect(await database.models.MeetingPostings.countDocuments({ _id: /:0000000$/, customerId: 1 })).toBe(0);
  expect((await ids('harbour')).toSorted()).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
  expect(await ids('lighthouse')).toEqual(['m5']);
  expect(await ids('break 77')).toContain('m77');
});

test('a short page finds the only match behind many that were replaced', async () => {
  const { store, indexAll, ids } = searchOf(2);
  await store('Harbour', 0, 600);
  await indexAll();
  await store('Lighthouse', 1, 600);
  await indexAll();
  expect(await ids('harbour', 1)).toEqual(['m0']);
});

test('meetings whose page was stored in part are indexed, even if no sync stores them again', async () => {
  const { store, indexAll, ids, backlog } = searchOf(3);
  await store('Harbour', 0, 3);
  await indexAll();
  const { db } = database.connection;
  const setValidator = (validator: object) =>
    db?.command({ collMod: database.models.Meeting.collection.collectionName, validator });
  await setValidator({ recorderMeetingId: { $ne: 'm5' } });
  try {
    await expect(store('Lighthouse', 0, 6)).rejects.toThrow('Document failed validation');
  } finally {
    await setValidator({});
  }
  expect(await backlog()).toBe(5);
  await indexAll();
  expect(await ids('harbour')).toEqual([]);
  expect(await ids('lighthouse', 10)).toHaveLength(5);
});

test('long transcripts are indexed in several runs, and no run outlasts its lock', async () => {
  const { store, indexAll, ids, run, backlog } = searchOf(5);
  await store(
    'Harbour',
    0,
    3,
    'The seagulls cry over the harbour, and the waves roll onto the beach again. '.repeat(2),
    20_000,
  );
  expect(await run()).toBe(true);
  expect(await backlog()).toBe(2);
  await indexAll();
  expect(await ids('seagulls')).toEqual(['m2', 'm1', 'm0']);
});

test('meetings are indexed once no more are stored for a while, or the first of them waited for long', async () => {
  const { store, indexerWith, backlog } = searchOf(6);
  const hour = 3_600_000;
  await store('Harbour', 0, 3);
  await indexerWith({ quietMs: hour, maxWaitMs: hour }).run();
  expect(await backlog()).toBe(3);
  await indexerWith({ quietMs: 0, maxWaitMs: hour }).run();
  expect(await backlog()).toBe(0);
  await store('Beach', 0, 3);
  await indexerWith({ quietMs: hour, maxWaitMs: hour }).run();
  expect(await backlog()).toBe(3);
  await indexerWith({ quietMs: hour, maxWaitMs: 0 }).run();
  expect(await backlog()).toBe(0);
});

/** Stores that the meetings of a customer have waited for a minute longer. */
const passMinute = (customerId: number) =>
  database.models.MeetingSearchState.updateOne(
    { _id: customerId },
    [{ $set: { pendingSince: { $subtract: ['$pendingSince', 61_000] } } }],
    { updatePipeline: true },
  );

test('the wait of meetings begins with the first of them, and again once they are indexed', async () => {
  const { store, indexerWith, backlog } = searchOf(7);
  const delayed = indexerWith({ quietMs: 3_600_000, maxWaitMs: 60_000 });
  const { MeetingSearchState } = database.models;
  for (const title of ['Harbour', 'Beach']) {
    await store(title, 0, 1);
    await passMinute(7);
    for (let from = 1; from < 3; from += 1) await store(title, from, from + 1);
    await delayed.run();
    expect(await backlog()).toBe(0);
    await store('Island', 0, 1);
    // The delay is still to be waited for.
    expect(await delayed.run()).toBe(true);
    expect(await backlog()).toBe(1);
    await indexerWith({ quietMs: 0, maxWaitMs: 0 }).run();
  }
  await store('Lighthouse', 0, 1);
  await MeetingSearchState.updateOne({ _id: 7 }, { $unset: { markedAt: 1, pendingSince: 1 } });
  await delayed.run();
  expect(await backlog()).toBe(0);
});

test('meetings that are stored while others are indexed wait from then on', async () => {
  const { store, index, backlog, indexerWith } = searchOf(8);
  await store('Harbour', 0, 1);
  const pending = await index.pending({ quietMs: 0, maxWaitMs: 0 }, 8);
  const before = pending.find(({ _id }) => _id === 8);
  if (!before) throw new Error('no state is pending');
  await passMinute(8);
  await store('Beach', 0, 1);
  await index.settle(before);
  await indexerWith({ quietMs: 3_600_000, maxWaitMs: 60_000 }).run();
  expect(await backlog()).toBe(1);
});

test('a search holds the postings of few groups in memory, and reads its words one after the other', async () => {
  const connection = await createConnection(uri, {
    monitorCommands: true,
    autoIndex: false,
    autoCreate: false,
  }).asPromise();
  onTestFinished(() => connection.close());
  const reads: string[] = [];
  connection.getClient().on('commandStarted', ({ commandName }) => {
    if (['find', 'getMore'].includes(commandName)) reads.push(commandName);
  });
  const { index, list } = searchOf(16, NO_ENCRYPTION, { connection, models: modelsOf(connection) });
  // Three of these documents are more than one response of the database.
  const part = encodePart(new Map([['harbour', new Array<number>(3_000_000).fill(0)]]));
  for (const group of [0, 1, 2, 3])
    await database.models.MeetingPostings.collection.insertOne({
      _id: postingsId(tenantOf(16), 'har', group),
      customerId: 16,
      parts: [new mongo.Binary(part)],
    } as never);
  for await (const { group } of index.parts(tenantOf(16), 'har', null)) {
    expect(group).toBe(0);
    break;
  }
  expect(reads).toEqual(['find']);
  reads.length = 0;
  await list('harb harbo');
  expect(reads).toEqual(['find', 'getMore', 'find', 'getMore', 'find']);
});

test('two indexers at once index each meeting, without an error', async () => {
  const [one, other] = [searchOf(4), searchOf(4)];
  for (let round = 0; round < 4; round += 1) {
    await one.store(`Harbour${round}`, 0, 100, `Round ${round} of the seagulls`);
    await Promise.all([one.run(), other.run()]);
    await Promise.all([one.run(), other.run()]);
  }
  await one.indexAll();
  expect(await one.ids('harbour3', 200)).toHaveLength(100);
  expect(await one.ids('seagulls', 200)).toHaveLength(100);
  expect(await one.ids('harbour2', 200)).toEqual([]);
});

/** As `searchOf`, of a customer with encrypted meetings. */
async function encryptedSearchOf(customerId: number) {
  await database.models.Tenant.create(tenantOf(customerId));
  return searchOf(customerId, sharedEncryption(database, { isOn: true }));
}

test('meetings that a conversion changes while they are indexed become visible', async () => {
  const plain = searchOf(10);
  const { index, ids, backlog } = await encryptedSearchOf(10);
  await plain.store('Harbour', 0, 3);
  const { run: convert } = fieldConversion({
    connection: database.connection,
    personalFields: [MEETING_FIELDS],
    encryption: sharedEncryption(database, { isOn: true }),
    hasTenant: async () => true,
  });
  const published: number[] = [];
  const { run } = createMeetingIndexer({
    suppressions: NO_SUPPRESSIONS,
    index: {
      ...index,
      async publish(...of) {
        if (published.length === 0) await convert({ tenants: [tenantOf(10)], onProgress() {} });
        const count = await index.publish(...of);
        published.push(count);
        return count;
      },
    },
    delay: { quietMs: 0, maxWaitMs: 0 },
  });
  expect(await run()).toBe(true);
  expect(await backlog()).toBe(3);
  while (await run());
  expect(published).toEqual([0, 3]);
  expect(await ids('harbour')).toEqual(['m2', 'm1', 'm0']);
});

test('meetings whose key is unknown hold up no others, and are indexed once it returns', async () => {
  const { store, ids, run, backlog } = await encryptedSearchOf(11);
  const { PrivacyKey } = database.models;
  await store('Harbour', 0, 150);
  const key = await PrivacyKey.findByIdAndDelete(11).lean();
  await store('Lighthouse', 150, 153);
  // Each run looks at the next 64.
  for (const left of [153, 153, 150]) {
    expect(await run()).toBe(false);
    expect(await backlog()).toBe(left);
  }
  expect(await ids('lighthouse')).toEqual(['m152', 'm151', 'm150']);
  await PrivacyKey.replaceOne({ _id: 11 }, key as never);
  while (await run());
  expect(await backlog()).toBe(0);
  expect(await ids('harbour')).toEqual(['m149', 'm148', 'm147', 'm146', 'm145']);
});

test('meetings whose group is removed while they are indexed are indexed again', async () => {
  const { store, index, ids, backlog, groups } = searchOf(12);
  await store('Harbour', 0, 3);
  let isFirst = true;
  const { run } = createMeetingIndexer({
    suppressions: NO_SUPPRESSIONS,
    index: {
      ...index,
      async publish(...of) {
        // As the deletion of another meeting of the group, after the words of this batch were stored.
        if (isFirst) await index.removeGroups(tenantOf(12), [0]);
        isFirst = false;
        return index.publish(...of);
      },
    },
    delay: { quietMs: 0, maxWaitMs: 0 },
  });
  expect(await run()).toBe(true);
  expect(await backlog()).toBe(3);
  while (await run());
  expect(await backlog()).toBe(0);
  expect(await ids('harbour')).toEqual(['m2', 'm1', 'm0']);
  // A removal that has begun removes no words that are stored later.
  expect(await groups()).toEqual([1]);
});

test('the words of a transcript that retention removes while it is indexed are not found', async () => {
  const { store, index, ids } = searchOf(13);
  await store('Harbour', 0, 3, 'breakwater');
  const steps = meetingRetention({ models: database.models, index, removeContents: async () => {} });
  const retention = steps.find(({ kind }) => kind === 'transcripts');
  let isFirst = true;
  const { run } = createMeetingIndexer({
    suppressions: NO_SUPPRESSIONS,
    index: {
      ...index,
      async reserve(...of) {
        if (isFirst) await retention?.remove(tenantOf(13), ['13:m0', '13:m1', '13:m2'], new Date());
        isFirst = false;
        return index.reserve(...of);
      },
    },
    delay: { quietMs: 0, maxWaitMs: 0 },
  });
  while (await run());
  expect(await ids('breakwater')).toEqual([]);
  expect(await Array.fromAsync(index.parts(tenantOf(13), 'bre', null))).toEqual([]);
  expect(await ids('harbour')).toEqual(['m2', 'm1', 'm0']);
});

/** The retention of the meetings `m0` to `m2` of a tenant. */
function retentionOf(customerId: number, index: SearchIndexStore) {
  const steps = meetingRetention({ models: database.models, index, removeContents: async () => {} });
  const step = steps.find(({ kind }) => kind === 'meetings');
  return async () =>
    step?.remove(
      tenantOf(customerId),
      MEETINGS.map((id) => `${customerId}:${id}`),
      new Date(),
    );
}
const MEETINGS = ['m0', 'm1', 'm2'];

test('no words stay of meetings that retention removes while they are indexed', async () => {
  const { store, index } = searchOf(14);
  await store('Harbour', 0, 3);
  const [appended, removed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { run } = createMeetingIndexer({
    suppressions: NO_SUPPRESSIONS,
    index: {
      ...index,
      async publish(...of) {
        appended.resolve();
        await removed.promise;
        return index.publish(...of);
      },
    },
    delay: { quietMs: 0, maxWaitMs: 0 },
  });
  let indexing: Promise<boolean> | undefined;
  const remove = retentionOf(14, {
    ...index,
    async outdateBatches(tenant) {
      await index.outdateBatches(tenant);
      // This batch has read the meetings, and begins too late to be outdated.
      indexing = run();
      await appended.promise;
    },
  });
  expect(await remove()).toBe(3);
  removed.resolve();
  await indexing;
  expect(await Array.fromAsync(index.parts(tenantOf(14), 'har', null))).toEqual([]);
});

test('meetings that are indexed while retention removes them stay with their words until its next run', async () => {
  const { store, index, indexAll, ids } = searchOf(15);
  await store('Harbour', 0, 3);
  const remove = retentionOf(15, index);
  const { Meeting } = database.models;
  const { distinct } = Meeting;
  vi.spyOn(Meeting, 'distinct').mockImplementationOnce((async (...of: Parameters<typeof distinct>) => {
    const found = await distinct.apply(Meeting, of);
    await indexAll();
    return found;
  }) as never);
  expect(await remove()).toBe(0);
  expect(await ids('harbour')).toEqual(MEETINGS.toReversed());
  expect(await remove()).toBe(3);
  expect(await Array.fromAsync(index.parts(tenantOf(15), 'har', null))).toEqual([]);
});
