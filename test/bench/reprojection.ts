import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '../support/child-process.ts';
import { startTestMongo } from '../support/mongo.ts';
import type { MeetingSourceCalls } from './support/meeting-source.ts';
import { type Figure, single } from './support/report.ts';
import { type BenchService, startService } from './support/service.ts';

const MEETINGS = 10_000;
const POLL_MS = 100;

async function query<T>(service: BenchService, key: string, document: string, variables = {}): Promise<T> {
  const body = { query: document, variables };
  const { data, errors } = await service.request<{ data?: T; errors?: unknown }>(
    'POST',
    '/graphql',
    key,
    body,
  );
  if (!data || errors) throw new Error(JSON.stringify(errors));
  return data;
}

const UPDATE = `mutation ($mappings: [FieldMappingInput!]!) {
  updateRecorderFieldMapping(mappings: $mappings) { sourceField }
}`;

/** Re-projection of stored activities by a mapping that reads the provider's records. */
export async function reprojection(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ database: 'reprojection' }), (started) => started.stop());
  const source: Child<MeetingSourceCalls> = stack.use(
    startChild(import.meta.resolve('./support/meeting-source.ts')),
  );
  const url = await source.call('start', { count: MEETINGS, segments: 1 });
  const service = stack.use(
    await startService(mongo.uri, {
      RECORDER_API_URL: url,
      CONNECTOR_PACING: '1ms',
      MEETING_SYNC_SCHEDULE: 'off',
    }),
  );
  const key = await service.newKey(1);
  await query(service, key, 'mutation { connectRecorder(apiKey: "rec_bench") { status } }');
  await query(service, key, 'mutation { syncMeetings(fullResync: true) { id } }');
  for (;;) {
    const { recorderConnection } = await query<{
      recorderConnection: { lastRun: { status: string; stored: number } };
    }>(service, key, '{ recorderConnection { lastRun { status stored } } }');
    const { status, stored } = recorderConnection.lastRun;
    if (status === 'succeeded' && stored === MEETINGS) break;
    if (status !== 'running') throw new Error(`the sync ${status} with ${stored} meetings`);
    await sleep(POLL_MS);
  }
  const requestsBefore = await source.call('requests', undefined);
  const startedAt = performance.now();
  await query(service, key, UPDATE, {
    mappings: [
      { sourceField: 'id', targetField: 'externalId' },
      { sourceField: 'created_at', targetField: 'occurredAt' },
      { sourceField: '/title', targetField: 'properties.title' },
    ],
  });
  for (;;) {
    const { activityReprojection } = await query<{
      activityReprojection: { status: string; done: number; withoutRecord: number };
    }>(service, key, '{ activityReprojection { status done withoutRecord } }');
    const { status, done, withoutRecord } = activityReprojection;
    if (status === 'succeeded' && done === MEETINGS && withoutRecord === 0) break;
    if (status !== 'running') throw new Error(`the re-projection ${status} with ${done} activities`);
    await sleep(POLL_MS);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const requests = (await source.call('requests', undefined)) - requestsBefore;
  return [
    single(`re-projection of ${MEETINGS} activities from their records, s`, seconds, { atMost: 60 }),
    single('requests to the provider meanwhile', requests, { atMost: 0 }),
  ];
}
