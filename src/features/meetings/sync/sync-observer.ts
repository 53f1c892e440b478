import type { OutboundResult } from '../../../outbound/outbound-request.ts';
import type { SyncCounts, SyncStatus } from '../meetings.types.ts';

/** Receives the ends of syncs, stored pages and provider requests of all tenants, for metrics. */
export interface SyncObserver {
  onSyncRun(run: { status: Exclude<SyncStatus, 'running'> }): void;
  onSyncPage(page: Pick<SyncCounts, 'fetched' | 'stored' | 'updated' | 'rejected'>): void;
  /** @param request its outcome is a low-cardinality label, see `outcomeOf` */
  onProviderRequest(request: { outcome: string }): void;
}

/** Returns `succeeded`, `rate_limited` for HTTP 429, another status class (`http_4xx`), or the transport error. */
export function outcomeOf(result: OutboundResult): string {
  if (!result.ok) return result.error;
  if (result.status === 429) return 'rate_limited';
  const statusClass = Math.floor(result.status / 100);
  if (statusClass === 2) return 'succeeded';
  return statusClass <= 5 ? `http_${statusClass}xx` : 'other';
}
