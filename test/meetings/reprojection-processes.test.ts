import { expect, test } from 'vitest';
import { eventually } from '../support/app.ts';
import { plainRows } from '../support/decrypted.ts';
import { sizeOf } from '../support/full-size.ts';
import { ask, processesBesideProvider } from './process-support.ts';

const MEETINGS = sizeOf({ small: 3_000, full: 6_000 });
const CUSTOMER = 7;
const REPROJECTION = '{ activityReprojection { mappingVersion status total done withoutRecord skipped } }';
const UPDATE = `mutation ($mappings: [FieldMappingInput!]!) {
  updateRecorderFieldMapping(mappings: $mappings) { sourceField }
}`;
const mappings = [
  { sourceField: 'id', targetField: 'externalId' },
  { sourceField: 'created_at', targetField: 'occurredAt' },
  { sourceField: 'title', targetField: 'properties.renamed' },
];

interface Reprojection {
  status: string;
  total: number | null;
  done: number;
}

/** Processes of the service, a provider, and meetings whose activities the default mapping has built. */
async function cluster() {
  const group = await processesBesideProvider({});
  const { Meeting, MeetingActivity } = group.models;
  const ids = Array.from({ length: MEETINGS }, (_, index) => `m${index}`);
  const at = new Date('2026-01-01T00:00:00Z');
  await Meeting.collection.insertMany(
    ids.map((id) => ({
      _id: `${CUSTOMER}:${id}` as never,
      customerId: CUSTOMER,
      recorderMeetingId: id,
      title: `Meeting ${id}`,
      startedAt: at,
      endedAt: null,
      createdAt: at,
      participantsJson: [],
      summaryText: null,
      order: id,
    })),
  );
  await MeetingActivity.collection.insertMany(
    ids.map((id) => ({
      _id: `${CUSTOMER}:${id}` as never,
      customerId: CUSTOMER,
      externalId: `recorder_${id}`,
      properties: {},
      order: id,
    })),
  );
  const key = await group.newKey(CUSTOMER);
  async function projected(): Promise<number> {
    const query = MeetingActivity.find({ customerId: CUSTOMER, mappingVersion: { $exists: true } });
    const activities = await plainRows(group, query);
    return activities.filter(({ properties }) => /^Meeting m/.test(String(properties.renamed))).length;
  }
  return { ...group, key, projected };
}

test('a re-projection whose process is killed is continued by another one, without a request', async () => {
  const { start, key, projected, provider } = await cluster();
  const first = await start();
  await ask(first, key, UPDATE, { mappings });
  await eventually(async () => (await projected()) > 0, 30_000);
  await first.end('SIGKILL');
  const atKill = await projected();
  expect(atKill).toBeLessThan(MEETINGS);

  const second = await start();
  const found = await eventually(async () => {
    const reprojection = await ask<Reprojection>(second, key, REPROJECTION);
    return reprojection.status !== 'running' && reprojection;
  }, 90_000);
  expect(found).toEqual({
    mappingVersion: 1,
    status: 'succeeded',
    total: MEETINGS,
    done: MEETINGS,
    withoutRecord: 0,
    skipped: 0,
  });
  expect(await projected()).toBe(MEETINGS);
  expect(provider.requests).toHaveLength(0);
  expect(await second.end('SIGTERM')).toBe(0);
}, 180_000);

test('two processes re-project once, by the mapping that is changed last', async () => {
  const { start, key, projected, models } = await cluster();
  const processes = [await start(), await start()] as const;
  await Promise.all(
    processes.map((process, index) =>
      ask(process, key, UPDATE, {
        mappings: [...mappings, { sourceField: 'id', targetField: `properties.by${index}` }],
      }),
    ),
  );
  await ask(processes[0], key, UPDATE, { mappings });
  let most = 0;
  const found = await eventually(async () => {
    const reprojection = await ask<Reprojection>(processes[1], key, REPROJECTION);
    most = Math.max(most, reprojection.done);
    return reprojection.status !== 'running' && reprojection;
  }, 90_000);
  expect(found).toMatchObject({ mappingVersion: 3, status: 'succeeded', total: MEETINGS, done: MEETINGS });
  // No activity is counted twice.
  expect(most).toBe(MEETINGS);
  expect(await projected()).toBe(MEETINGS);
  const outdated = { customerId: CUSTOMER, mappingVersion: { $ne: 3 } };
  expect(await models.MeetingActivity.countDocuments(outdated)).toBe(0);
  for (const process of processes) expect(await process.end('SIGTERM')).toBe(0);
}, 180_000);
