import type { Changes } from '../../../platform/mongo/change-stream.ts';
import { type Feed, type FeedPosition, tenantFeed } from '../../tenants/tenant-feed.ts';
import type { Principal, Tenant } from '../../tenants/tenants.types.ts';
import type { MeetingSyncRun } from '../meetings.types.ts';
import { visibleChanges } from '../visible-changes.ts';
import { toRun } from './sync-run-view.ts';
import type { SyncRunDoc } from './sync-runs.model.ts';

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
