import type { OutboxEvent } from '../../outbox/outbox-event.ts';
import type { OperationalEvents } from '../../webhooks/operational-events.ts';
import type { ConnectionDoc } from '../connection/connection.model.ts';
import type { ConnectionOutcome } from '../connection/connection.store.ts';
import type { SyncFailure } from '../meetings.types.ts';
import type { ClaimedRun } from './sync-runs.model.ts';

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
  (operationalEvents: OperationalEvents): SyncEvents =>
  async ({ run, error, connection, changes, at: now }) => {
    const at = now.toISOString();
    const sync = { runId: run._id.toHexString(), code: error.code, message: error.message, failedAt: at };
    const events = await operationalEvents(run, { event: 'meeting_sync.failed', data: sync, now });
    if (connection && connection.status !== 'key_invalid' && changes?.status === 'key_invalid')
      events.push(
        ...(await operationalEvents(run, { event: 'recorder_key.invalid', data: { detectedAt: at }, now })),
      );
    return events;
  };
