import type { OutboundResult } from '../../outbound/outbound-request.ts';
import type { SyncCounts, SyncStatus } from './meetings.types.ts';

/** Told of syncs and of requests to the provider, for the operator's numbers: of all tenants together. */
export interface SyncObserver {
  /** A sync has ended. */
  onSyncRun(run: { status: Exclude<SyncStatus, 'running'> }): void;
  /** A page is stored. */
  onSyncPage(page: Pick<SyncCounts, 'fetched' | 'stored' | 'updated' | 'rejected'>): void;
  /** @param request its outcome is one of a few, whatever the provider answers */
  onProviderRequest(request: { outcome: string }): void;
}

/** `succeeded`, the class of a status that is none (`http_4xx`), `rate_limited` for a 429, or why there was no answer. */
export function outcomeOf(answer: OutboundResult): string {
  if (!answer.ok) return answer.error;
  if (answer.status === 429) return 'rate_limited';
  const kind = Math.floor(answer.status / 100);
  if (kind === 2) return 'succeeded';
  return kind <= 5 ? `http_${kind}xx` : 'other';
}
