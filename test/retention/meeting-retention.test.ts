import { afterAll, beforeAll, expect, test } from 'vitest';
import { backfillOf } from '../meetings/backfill-support.ts';
import {
  type Connector,
  connectedTenant,
  idsOf,
  searchedIds,
  startConnector,
  syncOf,
} from '../meetings/support.ts';
import { hookOf, newSigningSecret, send, signed } from '../meetings/webhook-support.ts';
import { eventually } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { meetingJson } from '../support/provider.ts';

const DAY = 24 * 60 * 60_000;
const spoken = (text: string) => [{ speaker: 'Zoë', text, start_time: 0, end_time: 9 }];
const meeting = (id: string, daysAgo: number) => ({
  ...meetingJson(0, { newest: new Date(Date.now() - daysAgo * DAY) }),
  id,
  title: 'Kick-off',
  summary: null,
  transcript: spoken(`They like the harbour of ${id}.`),
});

let on: Connector;
beforeAll(async () => {
  on = await startConnector({ meetings: [meeting('recent', 1), meeting('old', 5), meeting('older', 12)] });
});
afterAll(() => on.stop());

test('transcripts are removed before their meetings, and a sync brings neither back', async () => {
  const { app } = on;
  const tenant = await connectedTenant(app);
  const { customerId } = tenant;
  await syncOf(app, tenant);
  await eventually(async () => (await searchedIds(app, tenant, 'harbour')).length === 3, 30_000);
  /** Sets the retention times and runs what they require. */
  const retain = async (input: object) => {
    const path = `/api/v1/customers/${customerId}/retention`;
    const changed = await app.request('PATCH', path, { key: tenant.write, body: input });
    expect(changed.status).toBe(200);
    await runJob(app, 'privacy.retain');
    return eventually(async () => {
      const { body } = await app.request('GET', path, { key: tenant.read });
      return body.lastRunAt && String(body.lastRunAt) > String(body.updatedAt) ? body.removed : null;
    });
  };

  expect(await retain({ transcripts: 3 })).toMatchObject({ transcripts: 2, meetings: 0 });
  expect(await app.models.MeetingTranscript.countDocuments({ customerId })).toBe(1);
  expect(await app.models.MeetingProviderRecord.countDocuments({ customerId, data: { $exists: true } })).toBe(
    1,
  );
  expect((await idsOf(app, tenant)).length).toBe(3);
  await eventually(async () => (await searchedIds(app, tenant, 'kick-off')).length === 3, 30_000);
  expect(await searchedIds(app, tenant, 'harbour')).toEqual(['recent']);
  await syncOf(app, tenant);
  expect(await app.models.MeetingTranscript.countDocuments({ customerId })).toBe(1);

  expect(await retain({ meetings: 9 })).toMatchObject({ meetings: 1 });
  expect(await idsOf(app, tenant)).toEqual(['recent', 'old']);
  expect(await app.models.MeetingActivity.countDocuments({ customerId })).toBe(2);
  await eventually(async () => (await searchedIds(app, tenant, 'kick-off')).length === 2, 30_000);
  // Neither a list of the provider nor its webhook brings the older one back.
  expect(await backfillOf(app, tenant, { fullResync: true })).toMatchObject({ stored: 0, skipped: 1 });
  const secret = newSigningSecret();
  const { path } = await hookOf(app, tenant, secret);
  const body = JSON.stringify({
    type: 'meeting.updated',
    data: { id: 'older', created_at: meeting('older', 12).created_at },
  });
  expect((await send(app.url, path, body, signed({ body, secret }))).status).toBe(204);
  await eventually(async () => app.models.ProviderNotice.exists({ customerId, status: 'done' }));
  expect(await idsOf(app, tenant)).toEqual(['recent', 'old']);

  // As a crash leaves it.
  const removed = await app.models.Meeting.findOneAndDelete({ customerId, recorderMeetingId: 'old' }).lean();
  const run = { removed: {}, removing: { kind: 'meetings', ids: [String(removed?._id)] } };
  await app.models.RetentionPolicy.updateOne({ customerId }, { $set: { run } as object });
  await retain({ meetings: 8 });
  const { MeetingActivity, MeetingProviderRecord } = app.models;
  for (const model of [MeetingActivity, MeetingProviderRecord])
    expect(await (model as typeof MeetingActivity).countDocuments({ customerId })).toBe(1);
});
