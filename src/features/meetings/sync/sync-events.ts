import type { Subscribes } from '../../outbox/event-type.ts';
import { newEvent, type OutboxEvent } from '../../outbox/outbox-event.ts';
import type { GetTenant } from '../../tenants/tenants.types.ts';
import type { ConnectionDoc } from '../connection/connection.model.ts';
import type { ConnectionOutcome } from '../connection/connection.store.ts';
import type { SyncFailure } from '../meetings.types.ts';
import type { ClaimedRun } from './sync-runs.model.ts';

interface Deps {
  getTenant: GetTenant;
  subscribes: Subscribes;
}

interface FailedSync {
  run: ClaimedRun;
  error: SyncFailure;
  /** Before the failure; null if its key was replaced meanwhile. */
  connection: ConnectionDoc | null;
  changes: ConnectionOutcome | null;
  at: Date;
}

/** Returns the operational events of a failed sync, which are committed with its end. */
export type SyncEvents = (failed: FailedSync) => Promise<OutboxEvent[]>;

export const createSyncEvents =
  ({ getTenant, subscribes }: Deps): SyncEvents =>
  async ({ run, error, connection, changes, at: now }) => {
    const isKeyRefused =
      connection !== null && connection.status !== 'key_invalid' && changes?.status === 'key_invalid';
    const [wantsSync, wantsKey] = await Promise.all([
      subscribes(run, 'meeting_sync.failed'),
      isKeyRefused && subscribes(run, 'recorder_key.invalid'),
    ]);
    if (!wantsSync && !wantsKey) return [];
    const tenant = await getTenant(run.customerId);
    const at = now.toISOString();
    const sync = { runId: run._id.toHexString(), code: error.code, message: error.message, failedAt: at };
    return [
      ...(wantsSync ? [newEvent({ tenant, event: 'meeting_sync.failed', data: sync, now })] : []),
      ...(wantsKey
        ? [newEvent({ tenant, event: 'recorder_key.invalid', data: { detectedAt: at }, now })]
        : []),
    ];
  };
