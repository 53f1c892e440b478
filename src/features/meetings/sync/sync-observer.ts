import type { FinalSyncStatus, SyncCounts } from '../meetings.types.ts';

/** Receives the ends of syncs and the stored pages of all tenants, for metrics. */
export interface SyncObserver {
  onSyncRun(run: { status: FinalSyncStatus }): void;
  onSyncPage(page: Pick<SyncCounts, 'fetched' | 'stored' | 'updated' | 'rejected'>): void;
}
