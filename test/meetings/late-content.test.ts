import { describe, expect, test } from 'vitest';
import type { MeetingJson } from '../../src/demo/provider/meeting-json.ts';
import { eventually } from '../support/app.ts';
import { fathomApi, meetingJson, type TestProviderOptions } from '../support/provider.ts';
import {
  activitiesOf,
  connectedTenant,
  connector,
  meetingOf,
  scheduledSync,
  searchedIds,
  syncOf,
} from './support.ts';

const DAY = 24 * 60 * 60 * 1000;

const ADAPTERS: { adapter: string; api?: TestProviderOptions['api'] }[] = [
  { adapter: 'standard' },
  { adapter: 'fathom', api: fathomApi({ limits: { light: 1_000, heavy: 1_000 } }) },
];

/** Twenty meetings, one in twelve hours: fourteen of them are of the last seven days. */
const meetingsOfTenDays = (): MeetingJson[] =>
  Array.from({ length: 20 }, (_, index) => meetingJson(index * 12 + 1));

describe.each(ADAPTERS)('what $adapter sends late', ({ adapter, api }) => {
  const start = async (meetings: MeetingJson[]) => {
    const on = await connector(
      { meetings, ...(api && { api }) },
      { RECORDER_PROVIDER: adapter, MEETING_SYNC_SCHEDULE: '1 hour' },
    );
    return { ...on, tenant: await connectedTenant(on.app) };
  };
  const idOf = (meeting: MeetingJson) => String(meeting.id).slice(adapter === 'fathom' ? 1 : 0);

  test.each([
    { by: 'the next scheduled sync', next: scheduledSync },
    { by: 'a sync that a client starts', next: syncOf },
  ])('appears with $by, in the search and in the activity as well', async ({ next }) => {
    const meetings = meetingsOfTenDays();
    // Six days old.
    const late = meetings[12] as MeetingJson;
    const { transcript, summary } = late;
    Object.assign(late, { summary: null, transcript: [] });
    const { app, tenant } = await start(meetings);
    expect(await syncOf(app, tenant)).toMatchObject({ stored: 20, updated: 0, unchanged: 0 });
    expect(await meetingOf(app, tenant, idOf(late))).toMatchObject({
      transcriptJson: null,
      summaryText: null,
    });

    const spoken = transcript?.map((segment) => ({ ...segment, text: 'The archipelago was discussed.' }));
    Object.assign(late, { summary, transcript: spoken, duration_seconds: 77 });
    const run = await next(app, tenant);
    expect(run).toMatchObject({ status: 'succeeded', fetched: 14, stored: 0, updated: 14, unchanged: 13 });
    expect(Date.parse(run.startedAt) - Date.parse(run.since)).toBe(7 * DAY + 1_000);
    expect(await meetingOf(app, tenant, idOf(late))).toMatchObject({
      transcriptJson: [{ text: 'The archipelago was discussed.' }, {}],
      summaryText: summary,
    });
    const { edges } = await activitiesOf(app, tenant);
    const activity = edges
      .map(({ node }) => node)
      .find(({ externalId }) => externalId === `recorder_${idOf(late)}`);
    expect(activity?.properties).toMatchObject({ durationSeconds: 77 });
    await eventually(async () => (await searchedIds(app, tenant, 'archipel')).length === 1);
    expect(await searchedIds(app, tenant, 'archipel')).toEqual([idOf(late)]);
  });

  test('costs no write and is not hidden from the search if nothing changed', async () => {
    const { app, tenant } = await start(meetingsOfTenDays());
    await syncOf(app, tenant);
    const { customerId } = tenant;
    await eventually(async () => (await searchedIds(app, tenant, 'meeting')).length === 20);
    const stored = () => app.models.Meeting.find({ customerId }).sort({ _id: 1 }).lean();
    const before = await stored();
    const run = await scheduledSync(app, tenant);
    expect(run).toMatchObject({ status: 'succeeded', stored: 0, updated: 14, unchanged: 14 });
    expect(await stored()).toEqual(before);
  });
});
