import { createSecretKey, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/database/models.ts';
import { decryptRecord } from '../../src/features/meetings/provider-records/record-codec.ts';
import { createMeetingIndexer } from '../../src/features/meetings/search/meeting-indexer.ts';
import { meetingSearchService } from '../../src/features/meetings/search/meeting-search.service.ts';
import { searchIndexStore } from '../../src/features/meetings/search/search-index.store.ts';
import { keyOf, toDocuments } from '../../src/features/meetings/stored-meetings/meeting-documents.ts';
import { createMeetingWriter } from '../../src/features/meetings/stored-meetings/meeting-writer.ts';
import { meetingStore } from '../../src/features/meetings/stored-meetings/meetings.store.ts';
import { encodeTranscript } from '../../src/features/meetings/transcript-json.ts';
import { NO_ENCRYPTION } from '../../src/features/privacy/field-encryption.ts';
import { NO_SUPPRESSIONS } from '../../src/features/privacy/suppression.service.ts';
import { DEFAULT_MAPPING } from '../../src/shared/field-mapping.ts';
import { freshDatabase } from '../support/databases.ts';

/** Two writers with connections of their own, as a sync and a webhook in two processes have. */
let held: Database;
let free: Database;

beforeAll(async () => {
  const uri = freshDatabase();
  [held, free] = await Promise.all([openDatabase(uri), openDatabase(uri)]);
});
afterAll(async () => {
  await Promise.all([held.connection.close(), free.connection.close()]);
});

const TENANT = { customerId: 7, orgId: 'org_7', name: '', createdAt: new Date() };
const RECORD_KEY = { id: 'k1', key: createSecretKey(randomBytes(32)) };
const MAPPING = { version: 0, fields: DEFAULT_MAPPING };
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 9, minute));
const storeOf = ({ models }: Database) =>
  meetingStore(models, { search: searchIndexStore(models, NO_ENCRYPTION), encryption: NO_ENCRYPTION });

interface Content {
  word: string;
  /** False if the provider does not send the transcript. */
  hasTranscript?: boolean;
  /** False if the provider's record is too large to be kept. */
  hasRecord?: boolean;
}

function meetingWith(id: string, { word, hasTranscript = true, hasRecord = true }: Content) {
  const segments = [{ speaker: null, text: word, startTime: 0, endTime: 1 }];
  const transcriptJson = hasTranscript ? encodeTranscript(segments) : null;
  return {
    ...{ id, title: word, createdAt: at(0), startedAt: at(0), durationSeconds: null, participants: [] },
    ...{ transcriptJson, summary: null, updatedAt: null, warnings: [], warningCount: 0 },
    recordJson: hasRecord ? JSON.stringify(word) : null,
  };
}

const sourceAt = (minute: number) => ({ id: `read at ${minute}`, readAt: at(minute) });

function save(database: Database, id: string, content: Content, minute: number) {
  const records = toDocuments(TENANT, meetingWith(id, content), { mapping: MAPPING, key: RECORD_KEY });
  return storeOf(database).save(TENANT, [records], sourceAt(minute));
}

/** What each document of a meeting, and the search, contain. */
async function stateOf(id: string) {
  const { Meeting, MeetingActivity, MeetingProviderRecord } = free.models;
  const key = { customerId: TENANT.customerId, _id: keyOf(TENANT, id) };
  const index = searchIndexStore(free.models, NO_ENCRYPTION);
  const meetings = storeOf(free);
  while (
    await createMeetingIndexer({
      index,
      suppressions: NO_SUPPRESSIONS,
      delay: { quietMs: 0, maxWaitMs: 0 },
    }).run()
  );
  const { search } = meetingSearchService({ index, meetings });
  const [meeting, activity, record, transcript, found] = await Promise.all([
    Meeting.findOne(key).lean(),
    MeetingActivity.findOne(key).lean(),
    MeetingProviderRecord.findOne(key).lean(),
    meetings.transcript(TENANT, id),
    Promise.all(['Earlier', 'Later'].map((query) => search(TENANT, { query }, { limit: 100, after: null }))),
  ]);
  return {
    meeting: meeting?.title,
    activity: activity?.properties.title,
    transcript: transcript?.[0]?.text,
    record: record ? decryptRecord(RECORD_KEY, record) : null,
    deleted: [!!meeting?.deletedAt, !!activity?.deletedAt],
    found: found.map(({ edges }) => edges.some(({ node }) => node.meeting.recorderMeetingId === id)),
  };
}

/** Holds the next command of a writer until `other` has ended. */
async function holding(
  model: { collection: unknown },
  command: 'bulkWrite' | 'updateMany',
  { start, other }: { start: () => Promise<unknown>; other: () => Promise<unknown> },
): Promise<void> {
  const collection = model.collection as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const original = collection[command]?.bind(collection);
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  collection[command] = async (...args) => {
    reached.resolve();
    await released.promise;
    return original?.(...args);
  };
  try {
    const writing = start();
    await reached.promise;
    await other();
    released.resolve();
    await writing;
  } finally {
    delete collection[command];
  }
}

const MODELS = ['MeetingTranscript', 'MeetingProviderRecord', 'MeetingActivity', 'Meeting'] as const;
const EARLIER = { word: 'Earlier' };
const LATER = { word: 'Later' };
const ALL_LATER = {
  ...{ meeting: 'Later', activity: 'Later', transcript: 'Later', record: 'Later' },
  ...{ deleted: [false, false], found: [false, true] },
};

describe.each(MODELS)(
  'of a page and a webhook that store one meeting, the later content stays; the write of %s is held for',
  (name) => {
    test.each([
      ['the earlier content', EARLIER, 1, LATER, 2],
      ['the later content', LATER, 2, EARLIER, 1],
    ])('%s', async (label, first, firstMinute, second, secondMinute) => {
      for (const isStored of [false, true]) {
        const id = `${name} ${label} ${isStored}`;
        if (isStored) await save(free, id, { word: 'Former' }, 0);
        await holding(held.models[name], 'bulkWrite', {
          start: () => save(held, id, first, firstMinute),
          async other() {
            await save(free, id, second, secondMinute);
            await stateOf(id);
          },
        });
        expect(await stateOf(id), id).toEqual(ALL_LATER);
      }
    });

    test('the earlier content, whose transcript stays if the later content has none', async () => {
      for (const isStored of [false, true]) {
        const id = `${name} transcript ${isStored}`;
        const former = { word: 'Later', hasTranscript: false };
        if (isStored) await save(free, id, former, 0);
        await holding(held.models[name], 'bulkWrite', {
          start: () => save(held, id, EARLIER, 1),
          async other() {
            await stateOf(id);
            await save(free, id, { ...former, hasRecord: false }, 2);
            await stateOf(id);
          },
        });
        const withTranscript = { meeting: 'Later', transcript: 'Earlier', found: [true, true] };
        expect(await stateOf(id), id).toMatchObject(withTranscript);
        expect(await storeOf(free).oldestAwaiting(TENANT, at(0)), id).toBeNull();
        // The provider still does not send it.
        await save(free, id, { ...former, hasRecord: false }, 3);
        expect(await stateOf(id), id).toMatchObject(withTranscript);
      }
    });

    test('the earlier content, while the meeting is deleted: it stays deleted', async () => {
      const id = `${name} deleted`;
      await save(free, id, { word: 'Former' }, 0);
      await holding(held.models[name], 'bulkWrite', {
        start: () => save(held, id, EARLIER, 1),
        other: () => storeOf(free).markMeetingDeleted(TENANT, id, at(2)),
      });
      expect(await stateOf(id)).toMatchObject({ deleted: [true, true], found: [false, false] });
    });
  },
);

test('a record that was removed is not stored again by an earlier write', async () => {
  await holding(held.models.MeetingProviderRecord, 'bulkWrite', {
    start: () => save(held, 'removed', EARLIER, 1),
    other: () => save(free, 'removed', { ...LATER, hasRecord: false }, 2),
  });
  expect(await stateOf('removed')).toEqual({ ...ALL_LATER, record: undefined });
});

test('a meeting counts as listed by the provider when it is stored, first and again', async () => {
  const { Meeting } = free.models;
  for (const minute of [0, 1]) {
    const before = await storeOf(free).databaseTime();
    await save(free, 'listed', EARLIER, minute);
    const meeting = await Meeting.findById(keyOf(TENANT, 'listed')).lean();
    expect(meeting?.listedAt?.getTime()).toBeGreaterThanOrEqual(before.getTime());
    await Meeting.updateOne({ _id: meeting?._id }, { $unset: { recordHash: 1, listedAt: 1 } });
  }
});

test('a deletion does not hide the activity or the meeting of a later write', async () => {
  for (const name of ['MeetingActivity', 'Meeting'] as const) {
    await save(free, name, EARLIER, 0);
    await holding(held.models[name], 'updateMany', {
      start: () => storeOf(held).markMeetingDeleted(TENANT, name, at(1)),
      other: () => save(free, name, LATER, 2),
    });
    expect(await stateOf(name)).toEqual(ALL_LATER);
  }
});

test('a deletion follows the stored content, even if its process has a slower clock', async () => {
  await save(free, 'slow', LATER, 5);
  await storeOf(free).markMeetingDeleted(TENANT, 'slow', at(4));
  expect(await stateOf('slow')).toMatchObject({ deleted: [true, true], found: [false, false] });
});

test('new content beside a deletion does not make the deleted meeting searchable again', async () => {
  await save(free, 'hidden', LATER, 0);
  expect(await stateOf('hidden')).toMatchObject({ found: [false, true] });
  await holding(held.models.Meeting, 'updateMany', {
    start: () => save(held, 'hidden', EARLIER, 1),
    other: () => storeOf(free).markMeetingDeleted(TENANT, 'hidden', at(2)),
  });
  expect(await stateOf('hidden')).toMatchObject({ deleted: [true, true], found: [false, false] });
});

describe('a deletion that found no meeting, since the first of two writers had not stored it yet,', () => {
  test.each([
    [
      'marks what the second one requested before the deletion',
      3,
      { deleted: [true, true], found: [false, false] },
    ],
    ['leaves what the second one requested after the deletion', 1.5, ALL_LATER],
  ])('%s', async (id, receivedAt, expected) => {
    const write = createMeetingWriter({
      mappings: { find: async () => MAPPING },
      meetings: storeOf(held),
      recordKeys: { findOrCreate: async () => RECORD_KEY },
      expiryOf: async () => null,
      limit: null,
      suppressions: NO_SUPPRESSIONS,
      async findDeletions() {
        // The second writer overwrites the meeting just after the first one has stored it.
        await save(free, id, LATER, 2);
        return [{ meetingId: id, receivedAt: at(receivedAt) }];
      },
    });
    await write(TENANT, [meetingWith(id, EARLIER)], sourceAt(1));
    expect(await stateOf(id)).toMatchObject(expected);
  });
});

/** Runs an operation that fails at a command on meetings after `passed` such commands, like in a killed process. */
async function killedAt(
  command: 'bulkWrite' | 'updateMany',
  passed: number,
  run: () => Promise<unknown>,
): Promise<void> {
  const collection = held.models.Meeting.collection as unknown as Record<string, unknown>;
  const original = collection[command] as (...args: unknown[]) => unknown;
  let count = 0;
  collection[command] = (...args: unknown[]) => {
    count += 1;
    if (count > passed) throw new Error('killed');
    return original.apply(collection, args);
  };
  try {
    await expect(run()).rejects.toThrow('killed');
  } finally {
    delete collection[command];
  }
}

test('former content is stored again after a process was killed before it stored the meeting', async () => {
  await save(free, 'killed', LATER, 0);
  await killedAt('bulkWrite', 0, () => save(held, 'killed', EARLIER, 1));
  await save(free, 'killed', LATER, 2);
  expect(await stateOf('killed')).toEqual(ALL_LATER);
});

test('a meeting is listed again after a process was killed between its activity and its deletion', async () => {
  await save(free, 'half', LATER, 0);
  await killedAt('updateMany', 1, () => storeOf(held).markMeetingDeleted(TENANT, 'half', at(1)));
  expect(await stateOf('half')).toMatchObject({ deleted: [false, true] });
  await save(free, 'half', LATER, 2);
  expect(await stateOf('half')).toEqual(ALL_LATER);
});
