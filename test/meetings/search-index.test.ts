import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/database.ts';
import { DEFAULT_MAPPING } from '../../src/features/meetings/mapping/default-mapping.ts';
import { toRecords } from '../../src/features/meetings/records/meeting-records.ts';
import { meetingStore } from '../../src/features/meetings/records/meetings.store.ts';
import { meetingIndexer } from '../../src/features/meetings/search/meeting-indexer.ts';
import { meetingSearchService } from '../../src/features/meetings/search/meeting-search.service.ts';
import { GROUP_SIZE } from '../../src/features/meetings/search/postings.ts';
import { searchIndexStore } from '../../src/features/meetings/search/search-index.store.ts';
import { freshDatabase } from '../support/app.ts';

const COUNT = GROUP_SIZE + 10;
const owner = { customerId: 1, orgId: 'org_1', name: '', createdAt: new Date() };

let database: Database;

beforeAll(async () => {
  database = await openDatabase(freshDatabase());
});
afterAll(async () => {
  await database.connection.dropDatabase();
  await database.connection.close();
});

test('postings of replaced meetings are removed, and the others stay searchable', async () => {
  const { models } = database;
  const index = searchIndexStore(models);
  const meetings = meetingStore(models, index);
  const indexer = meetingIndexer({ index });
  const { search, backlog } = meetingSearchService({ index, meetings });

  async function store(title: string, from: number, to: number): Promise<void> {
    const records = Array.from({ length: to - from }, (_, position) =>
      toRecords(
        owner,
        {
          id: `m${from + position}`,
          title: `${title} ${from + position}`,
          createdAt: new Date(),
          startedAt: new Date(),
          durationSeconds: null,
          participants: [],
          transcript: [],
          summary: null,
          updatedAt: null,
          warnings: [],
          warningCount: 0,
          record: null,
        },
        DEFAULT_MAPPING,
      ),
    );
    await meetings.save(owner, records, title);
    while (await indexer.run());
    expect(await backlog(owner)).toBe(0);
  }
  const groups = async () => (await index.groups(owner)).toSorted((a, b) => a - b);
  const ids = async (query: string) =>
    (await search(owner, { query }, { limit: 5, after: null })).edges.map(
      ({ node }) => node.meeting.recorderMeetingId,
    );

  await store('Harbour', 0, COUNT);
  expect(await groups()).toEqual([0, 1]);
  await store('Lighthouse', 5, COUNT);
  await store('Breakwater', 6, COUNT);
  // The first five meetings have moved to a new group, and nothing of the first one is left.
  expect(await groups()).not.toContain(0);
  expect(await models.MeetingPostings.countDocuments({ _id: /:0000000$/, customerId: 1 })).toBe(0);
  expect((await ids('harbour')).toSorted()).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
  expect(await ids('lighthouse')).toEqual(['m5']);
  expect(await ids('break 77')).toContain('m77');
});
