import { Counter, Gauge, type Registry } from 'prom-client';
import { cached } from '../cached.ts';
import { nullAfter } from '../null-after.ts';
import { memoize } from './memoize.ts';

/** How long the number of recent syncs is cached. */
const RECENT_MAX_AGE_MS = 15_000;
/** Timeout of its query, below the 10 s scrape timeout of Prometheus. */
const RECENT_TIMEOUT_MS = 2_000;

/** Counts of one page of the provider's meetings. */
interface SyncPageCounts {
  fetched: number;
  stored: number;
  updated: number;
  rejected: number;
}

/** Registers the metrics of the meeting connector, summed over all tenants. */
export function meetingMetrics(registers: Registry[]) {
  const runs = new Counter({
    name: 'engagement_meeting_sync_runs_total',
    help: 'Meeting syncs that this process finished, by status.',
    labelNames: ['status'],
    registers,
  });
  for (const status of ['succeeded', 'failed', 'cancelled']) runs.inc({ status }, 0);
  const lastSuccess = new Gauge({
    name: 'engagement_meeting_sync_last_success_timestamp_seconds',
    help: 'Unix time of the last successful meeting sync of this process; 0 before the first one.',
    registers,
  });
  const pages = new Counter({
    name: 'engagement_meeting_sync_pages_total',
    help: 'Pages of meetings fetched from the provider.',
    registers,
  });
  const meetings = new Counter({
    name: 'engagement_meeting_sync_meetings_total',
    help: 'Meetings from the provider, by result: fetched counts all; stored, updated and rejected are parts of it.',
    labelNames: ['result'],
    registers,
  });
  const counts = {
    fetched: meetings.labels('fetched'),
    stored: meetings.labels('stored'),
    updated: meetings.labels('updated'),
    rejected: meetings.labels('rejected'),
  };
  for (const child of Object.values(counts)) child.inc(0);
  const requests = new Counter({
    name: 'engagement_recorder_requests_total',
    help: 'Requests to the meeting provider, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const requestsOf = memoize((outcome) => requests.labels(outcome));

  return {
    onSyncRun({ status }: { status: string }): void {
      runs.inc({ status });
      if (status === 'succeeded') lastSuccess.setToCurrentTime();
    },
    onSyncPage(page: SyncPageCounts): void {
      pages.inc();
      counts.fetched.inc(page.fetched);
      counts.stored.inc(page.stored);
      counts.updated.inc(page.updated);
      counts.rejected.inc(page.rejected);
    },
    /** @param outcome from a fixed set, because each becomes a series */
    onProviderRequest: ({ outcome }: { outcome: string }): void => requestsOf(outcome).inc(),
  };
}

/** Returns the number of syncs of all processes that ended in the last three hours, by status. */
export type RecentSyncs = () => Promise<Readonly<Record<string, number>>>;

/** Registers the gauge of recent syncs, which all processes share. */
export function meetingGauges(registers: Registry[], countRecent: RecentSyncs): void {
  // Null while the database is down: `GET /metrics` then omits the series.
  const recent = cached(() => nullAfter(RECENT_TIMEOUT_MS, countRecent), RECENT_MAX_AGE_MS);
  new Gauge({
    name: 'engagement_meeting_syncs_recent',
    help: 'Meeting syncs of all processes that ended in the last three hours, by status. Counted up to 1,000.',
    labelNames: ['status'],
    registers,
    async collect() {
      this.reset();
      for (const [status, count] of Object.entries((await recent()) ?? {})) this.set({ status }, count);
    },
  });
}
