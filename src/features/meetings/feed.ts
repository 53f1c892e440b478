import type { Repeater } from '@repeaterjs/repeater';
import type { Changes } from '../../platform/mongo/changes.ts';
import { tenantFeed } from '../tenants/tenant-feed.ts';
import type { Principal, Tenant } from '../tenants/tenants.types.ts';
import type { MeetingSyncRun } from './meetings.types.ts';
import type { SyncRunDoc } from './runs.model.ts';
import { toRun } from './views.ts';

/** Syncs as they get on, whichever process they run in. */
export function createSyncFeed(changes: Changes) {
  return {
    subscribe(principal: Principal, tenant: Tenant): Repeater<MeetingSyncRun> {
      let last = '';
      return tenantFeed<SyncRunDoc, MeetingSyncRun>(changes, {
        collection: 'meetingSyncRuns',
        principal,
        tenant,
        pick(document) {
          const run = toRun(document);
          // The lease is renewed all the time, which is nobody's progress.
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
