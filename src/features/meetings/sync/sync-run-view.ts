import type { Changes } from '../../../platform/mongo/change-stream.ts';
import { type Feed, type FeedPosition, tenantFeed } from '../../tenants/tenant-feed.ts';
import type { Principal, Tenant } from '../../tenants/tenants.types.ts';
import type { MeetingSyncRun } from '../meetings.types.ts';
import { estimateOf } from './sync-position.ts';
import type { SyncRunDoc } from './sync-runs.model.ts';

/** Returns a run for clients. Runs of earlier versions lack some fields. */
export const toRun = (run: SyncRunDoc): MeetingSyncRun => ({
  id: run._id.toHexString(),
  status: run.status === 'running' && run.pausedAt ? 'paused' : run.status,
  scope: run.scope ?? 'incremental',
  since: run.since,
  until: run.until ?? null,
  startedAt: run.startedAt,
  finishedAt: run.finishedAt,
  error: run.error,
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
  ...estimateOf(run),
});

/** Publishes the progress of syncs in all processes. */
export function createSyncFeed(changes: Changes) {
  return {
    subscribe(principal: Principal, tenant: Tenant, position: FeedPosition): Promise<Feed<MeetingSyncRun>> {
      let last = '';
      return tenantFeed<SyncRunDoc, MeetingSyncRun>(changes, {
        collection: 'meetingSyncRuns',
        principal,
        tenant,
        ...position,
        convert(document) {
          const run = toRun(document);
          // A lease renewal changes the document, but not what clients see.
          const shown = JSON.stringify(run);
          if (shown === last) return null;
          last = shown;
          return run;
        },
      });
    },
  };
}

export type SyncFeed = ReturnType<typeof createSyncFeed>;
