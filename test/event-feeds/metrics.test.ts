import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { readMetrics } from '../support/metrics.ts';
import { postConversion } from '../webhooks/support.ts';
import { act, pull } from './support.ts';

test('the metrics have the lag of the log, and the feeds whose consumers do not follow it', async () => {
  const app = await startApp();
  try {
    const tenant = await app.newTenant();
    for (const name of ['read', 'behind']) await pull(app, tenant, '?consumer=a', name);
    await postConversion(app, tenant);
    for (const name of ['read', 'behind']) await pull(app, tenant, '?consumer=a', name);
    const { cursor } = await pull(app, tenant, '?consumer=a', 'read');
    expect((await act(app, tenant, { action: 'ack', name: 'read', consumer: 'a', cursor })).status).toBe(200);
    app.clock.advance(120_000);
    const page = await readMetrics(app);
    expect(page.value('engagement_event_feed_lag_seconds_count')).toBe(1);
    expect(page.value('engagement_event_feed_lag_seconds_sum')).toBeLessThan(10);
    expect(page.value('engagement_event_feeds_behind')).toBe(1);
  } finally {
    await app.stop();
  }
});
