import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/database/models.ts';
import { searchIndexStore } from '../../src/features/meetings/search/search-index.store.ts';
import { toDocuments } from '../../src/features/meetings/stored-meetings/meeting-documents.ts';
import { meetingStore } from '../../src/features/meetings/stored-meetings/meetings.store.ts';
import { NO_ENCRYPTION } from '../../src/features/privacy/field-encryption.ts';
import { DEFAULT_MAPPING } from '../../src/shared/field-mapping.ts';
import { freshDatabase } from '../support/databases.ts';

let database: Database;

beforeAll(async () => {
  database = await openDatabase(freshDatabase());
});
afterAll(async () => {
  await database.connection.close();
});

const OWNER = { customerId: 7 };
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 9, minute));

function recordsOf(title: string) {
  const meeting = {
    ...{ id: 'm1', title, createdAt: at(0), startedAt: at(0), durationSeconds: null, participants: [] },
    ...{ transcriptJson: null, summary: null, updatedAt: null, warnings: [], warningCount: 0 },
    recordJson: null,
  };
  return toDocuments(OWNER, meeting, { mapping: { version: 0, fields: DEFAULT_MAPPING }, key: null });
}

test('a page that was read earlier does not replace what a webhook fetched or reported as deleted', async () => {
  const { models } = database;
  const search = searchIndexStore(models, NO_ENCRYPTION);
  const meetings = meetingStore(models, { search, encryption: NO_ENCRYPTION });
  const save = (title: string, readAt: Date, id: string) =>
    meetings.save(OWNER, [recordsOf(title)], { id, readAt });
  const state = async () => {
    const found = await meetings.find(OWNER, 'm1');
    return [found?.title, found?.deletedAt ?? null];
  };
  await save('First', at(1), 'run:1');
  await save('Edited', at(3), 'notice');
  expect(await save('First', at(2), 'run:2')).toEqual({ stored: 0, unchanged: 1 });
  expect(await state()).toEqual(['Edited', null]);
  await save('Edited again', at(4), 'run:3');
  expect(await state()).toEqual(['Edited again', null]);

  await meetings.markMeetingDeleted(OWNER, 'm1', at(6));
  await save('Edited again', at(5), 'run:4');
  expect(await state()).toEqual(['Edited again', at(6)]);
  await save('Edited again', at(7), 'run:5');
  expect(await state()).toEqual(['Edited again', null]);
});
