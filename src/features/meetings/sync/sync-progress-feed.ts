import type { Changes } from '../../../platform/mongo/change-stream.ts';
import { type Feed, type FeedPosition, tenantFeed } from '../../tenants/tenant-feed.ts';
import type { Principal, Tenant } from '../../tenants/tenants.types.ts';
import type { MeetingSyncRun } from '../meetings.types.ts';
import { toRun } from './sync-run-view.ts';
import type { SyncRunDoc } from './sync-runs.model.ts';

/** Publishes the progress of syncs, in whichever process they run. */
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
          // A renewal of the lease changes the document, but not what clients see.
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
