import type { Changes } from '../../../platform/mongo/change-stream.ts';
import { type Feed, type FeedPosition, tenantFeed } from '../../tenants/tenant-feed.ts';
import type { Principal, Tenant } from '../../tenants/tenants.types.ts';
import type { MeetingSyncRun, SyncProgress } from '../meetings.types.ts';
import { visibleChanges } from '../visible-changes.ts';
import { estimateOf, START_POSITION } from './sync-position.ts';
import type { SyncRunDoc } from './sync-runs.model.ts';

/** Returns the progress of a run. Runs of earlier versions lack some fields. */
export const progressOf = (run: SyncRunDoc): SyncProgress => ({
  pages: run.pages,
  fetched: run.fetched,
  stored: run.stored,
  updated: run.updated,
  unchanged: run.unchanged ?? 0,
  rejected: run.rejected,
  skipped: run.skipped ?? 0,
  suppressed: run.suppressed ?? 0,
  warnings: run.warnings ?? 0,
  warningDetails: run.warningDetails ?? [],
  rateLimited: run.rateLimited,
  position: { ...(run.position ?? START_POSITION) },
});

/** Returns a run for clients. */
export function toRun(run: SyncRunDoc): MeetingSyncRun {
  const { position: _position, ...progress } = progressOf(run);
  return {
    id: run._id.toHexString(),
    status: run.status === 'running' && run.pausedAt ? 'paused' : run.status,
    scope: run.scope ?? 'incremental',
    since: run.since,
    until: run.until ?? null,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    error: run.error,
    ...progress,
    ...estimateOf(run),
  };
}

/** Publishes the progress of syncs in all processes. */
export function createSyncFeed(changes: Changes) {
  return {
    subscribe: (
      principal: Principal,
      tenant: Tenant,
      position: FeedPosition,
    ): Promise<Feed<MeetingSyncRun>> =>
      tenantFeed<SyncRunDoc, MeetingSyncRun>(changes, {
        collection: 'meetingSyncRuns',
        principal,
        tenant,
        ...position,
        convert: visibleChanges(toRun),
      }),
  };
}

export type SyncFeed = ReturnType<typeof createSyncFeed>;
