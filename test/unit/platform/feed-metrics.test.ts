import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { feedMetrics } from '../../../src/platform/metrics/feed-metrics.ts';

test('the lag of feeds never decreases its sum, also by a clock that is behind', async () => {
  const registry = new Registry();
  const { onFeedEntry } = feedMetrics([registry]);
  onFeedEntry(0.5);
  onFeedEntry(-3);
  const text = await registry.metrics();
  expect(text).toContain('engagement_event_feed_lag_seconds_sum 0.5');
  expect(text).toContain('engagement_event_feed_lag_seconds_count 2');
});
