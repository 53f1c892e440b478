import type { Changes } from '../../../platform/mongo/change-stream.ts';
import { type Feed, type FeedPosition, tenantFeed } from '../../tenants/tenant-feed.ts';
import type { Principal, Tenant } from '../../tenants/tenants.types.ts';
import type { MeetingSyncRun } from '../meetings.types.ts';
import { estimateOf } from './sync-position.ts';
import type { SyncRunDoc } from './sync-runs.model.ts';

/** Returns the run without its checkpoint and lease. */
export function toRun(document: SyncRunDoc): MeetingSyncRun {
  const {
    _id,
    customerId: _customerId,
    generation: _generation,
    after: _after,
    lease: _lease,
    claims: _claims,
    position: _position,
    logged: _logged,
    byChange: _byChange,
    comparison: _comparison,
    pausedAt,
    status,
    scope = 'incremental',
    until = null,
    unchanged = 0,
    skipped = 0,
    warnings = 0,
    warningDetails = [],
    ...run
  } = document;
  return {
    id: _id.toHexString(),
    ...run,
    status: status === 'running' && pausedAt ? 'paused' : status,
    scope,
    until,
    unchanged,
    skipped,
    warnings,
    warningDetails,
    ...estimateOf(document),
  };
}

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
