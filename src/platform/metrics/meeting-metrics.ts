import { Counter, Gauge, type Registry } from 'prom-client';
import { remembered } from './memoize.ts';

/** What one page of the provider's meetings came to. */
interface SyncPage {
  fetched: number;
  stored: number;
  updated: number;
  rejected: number;
}

/** Numbers of the meeting connector, all tenants together. */
export function meetingMetrics(registers: Registry[]) {
  const runs = new Counter({
    name: 'engagement_meeting_sync_runs_total',
    help: 'Meeting syncs that ended in this process, by status.',
    labelNames: ['status'],
    registers,
  });
  for (const status of ['succeeded', 'failed', 'cancelled']) runs.inc({ status }, 0);
  const lastSuccess = new Gauge({
    name: 'engagement_meeting_sync_last_success_timestamp_seconds',
    help: 'Unix time at which a meeting sync last succeeded in this process; 0 before the first time.',
    registers,
  });
  const pages = new Counter({
    name: 'engagement_meeting_sync_pages_total',
    help: 'Pages of meetings taken from the provider.',
    registers,
  });
  const meetings = new Counter({
    name: 'engagement_meeting_sync_meetings_total',
    help: 'Meetings taken from the provider: fetched is all of them, then what became of each.',
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
  const requestsOf = remembered((outcome) => requests.labels(outcome));

  return {
    /** A sync has ended. */
    onSyncRun({ status }: { status: string }): void {
      runs.inc({ status });
      if (status === 'succeeded') lastSuccess.setToCurrentTime();
    },
    /** A page was taken and stored. */
    onSyncPage(page: SyncPage): void {
      pages.inc();
      counts.fetched.inc(page.fetched);
      counts.stored.inc(page.stored);
      counts.updated.inc(page.updated);
      counts.rejected.inc(page.rejected);
    },
    /** @param outcome one of a fixed few: each becomes a series */
    onProviderRequest: ({ outcome }: { outcome: string }): void => requestsOf(outcome).inc(),
  };
}
