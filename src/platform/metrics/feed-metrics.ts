import { Histogram, type Registry } from 'prom-client';
import { cached } from '../cached.ts';
import { nullAfter } from '../null-after.ts';
import { storedGauge } from './stored-gauge.ts';

/** How long the number of feeds is cached. */
const BEHIND_MAX_AGE_MS = 15_000;
/** Timeout of its query, below the 10 s scrape timeout of Prometheus. */
const BEHIND_TIMEOUT_MS = 2_000;

/** Registers the metric of the sequencer, which one process at a time runs. */
export function feedMetrics(registers: Registry[]) {
  const lag = new Histogram({
    name: 'engagement_event_feed_lag_seconds',
    help: 'Time from the commit of an event to its entry in the log of event feeds, by the clocks of the database and of this process.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers,
  });
  // A clock that is behind the database's makes the difference negative, and a sum must not decrease.
  return { onFeedEntry: (seconds: number): void => lag.observe(Math.max(0, seconds)) };
}

/** Registers the gauge of feeds that are not read, which all processes share. */
export function feedGauges(registers: Registry[], countBehind: () => Promise<number>): void {
  storedGauge({
    name: 'engagement_event_feeds_behind',
    help: 'Event feeds of all processes whose next event was committed more than a minute ago; of the 1,000 used last.',
    registers,
    read: cached(() => nullAfter(BEHIND_TIMEOUT_MS, countBehind), BEHIND_MAX_AGE_MS),
  });
}
