import type { Types } from 'mongoose';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { SyncLogEntry, SyncLogType } from '../meetings.types.ts';
import type { SyncLogStore } from './sync-log.store.ts';

type Note = Partial<Omit<SyncLogEntry, 'at' | 'type'>>;

/** The log of one run. */
export interface SyncLog {
  /** Appends an entry in the background, in order. A failure is only logged: the log never fails its run. */
  note(type: SyncLogType, note?: Note): void;
  /** Resolves when all entries are stored. */
  flush(): Promise<void>;
}

/** Creates the function that opens the log of a run. */
export const createSyncLogs =
  ({ store, clock, log }: { store: SyncLogStore; clock: Clock; log: Logger }) =>
  (tenant: TenantRef, run: Types.ObjectId): SyncLog => {
    let pending: SyncLogEntry[] = [];
    let writing: Promise<void> = Promise.resolve();

    async function write(): Promise<void> {
      const entries = pending;
      pending = [];
      if (entries.length === 0) return;
      try {
        await store.append(tenant, run, entries);
      } catch (error) {
        log.warn({ err: error, run: run.toHexString() }, 'failed to write the log of a meeting sync');
      }
    }

    return {
      note(type, { page = null, count = null, durationMs = null, detail = null } = {}) {
        pending.push({ at: clock.now(), type, page, count, durationMs, detail });
        writing = writing.then(write);
      },
      flush: () => writing,
    };
  };

export type SyncLogs = ReturnType<typeof createSyncLogs>;
