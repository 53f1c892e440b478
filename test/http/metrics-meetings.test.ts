import { expect, test } from 'vitest';
import { connectedTenant, connector, syncOf } from '../meetings/support.ts';
import { eventually } from '../support/app.ts';
import { readMetrics } from '../support/metrics.ts';
import { tooMany, unauthorized } from '../support/provider.ts';

test('syncs, their meetings and the responses of the provider are counted', async () => {
  const { app, provider } = await connector({ count: 60 });
  const tenant = await connectedTenant(app);
  provider.script(tooMany(), 'reset');
  expect(await syncOf(app, tenant)).toMatchObject({ status: 'succeeded' });
  await syncOf(app, tenant);
  provider.behave(unauthorized);
  expect(await syncOf(app, tenant)).toMatchObject({ status: 'failed' });

  const page = await eventually(async () => {
    const read = await readMetrics(app);
    return read.value('engagement_meeting_sync_runs_total', { status: 'failed' }) === 1 && read;
  });
  const runs = (status: string) => page.value('engagement_meeting_sync_runs_total', { status });
  expect([runs('succeeded'), runs('cancelled')]).toEqual([2, 0]);
  const now = Date.now() / 1000;
  expect(now - (page.value('engagement_meeting_sync_last_success_timestamp_seconds') ?? 0)).toBeLessThan(60);

  const meetings = (result: string) => page.value('engagement_meeting_sync_meetings_total', { result }) ?? 0;
  expect([meetings('stored'), meetings('rejected')]).toEqual([60, 0]);
  expect(meetings('fetched')).toBe(meetings('stored') + meetings('updated'));
  // Two pages at first; what the second sync asks for, seven days back, is on two again.
  expect(page.value('engagement_meeting_sync_pages_total')).toBe(4);

  const requests = (outcome: string) => page.value('engagement_recorder_requests_total', { outcome });
  expect(requests('rate_limited')).toBe(1);
  expect(requests('connection_reset')).toBe(1);
  expect(requests('http_4xx')).toBe(1);
  // The key's check and four pages.
  expect(requests('succeeded')).toBe(5);
});
