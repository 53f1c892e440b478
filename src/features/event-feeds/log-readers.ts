import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../platform/logger.ts';
import type { Changes } from '../../platform/mongo/change-stream.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { LogEntryDoc } from './event-log.model.ts';
import type { Sequencer } from './sequencer.ts';

/** How long a tenant's log is watched, and the sequencer kept running, after the last pull. Milliseconds. */
const LINGER_MS = 60_000;
/** Interval at which a process tries to become the sequencer. Milliseconds. */
const CANDIDATE_INTERVAL_MS = 1_000;

/** A log that this process watches. */
export interface WatchedLog {
  /** Resolves when the log next has new entries, or may have. */
  changed(): Promise<void>;
}

interface Watched extends WatchedLog {
  timer: NodeJS.Timeout;
  stop(): void;
}

interface Deps {
  changes: Pick<Changes, 'listen' | 'opened'>;
  sequencer: Pick<Sequencer, 'run'>;
  log: Logger;
}

/**
 * The logs whose feeds are read through this process. All pulls of a tenant share a listener of the process's change
 * stream, so that a pull that waits does not poll the database. While there are any, the process is a candidate for the
 * sequencer: without readers of feeds, no process writes logs, and a service that uses no feeds does nothing for them.
 */
export function createLogReaders({ changes, sequencer, log }: Deps) {
  const watched = new Map<number, Watched>();
  /** Ends the candidacy; null while there is none. */
  let candidacy: AbortController | null = null;
  let ended: Promise<void> = Promise.resolve();

  async function runAsCandidate(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sequencer
        .run(signal)
        .catch((error: unknown) => log.warn({ err: error }, 'the sequencer of events was interrupted'));
      await sleep(CANDIDATE_INTERVAL_MS, undefined, { ref: false, signal }).catch(() => {});
    }
  }

  function startCandidacy(): void {
    if (candidacy) return;
    candidacy = new AbortController();
    const { signal } = candidacy;
    ended = ended.then(() => runAsCandidate(signal));
  }

  function remove(customerId: number): void {
    const entry = watched.get(customerId);
    if (!entry) return;
    clearTimeout(entry.timer);
    entry.stop();
    watched.delete(customerId);
    if (watched.size > 0) return;
    candidacy?.abort();
    candidacy = null;
  }

  function watchNew(customerId: number): Watched {
    let next = Promise.withResolvers<void>();
    const wake = () => {
      next.resolve();
      next = Promise.withResolvers<void>();
    };
    const stop = changes.listen<LogEntryDoc>('eventLog', customerId, { onChange: wake, onGap: wake });
    const timer = setTimeout(() => remove(customerId), LINGER_MS).unref();
    return { timer, stop, changed: () => next.promise };
  }

  return {
    /** Watches the log of a tenant for a while. @throws the error of the database if it cannot */
    async watch({ customerId }: TenantRef): Promise<WatchedLog> {
      const entry = watched.get(customerId) ?? watchNew(customerId);
      watched.set(customerId, entry);
      entry.timer.refresh();
      startCandidacy();
      await changes.opened();
      return entry;
    },

    /** Stops watching, and lets another process become the sequencer. */
    async close(): Promise<void> {
      for (const customerId of [...watched.keys()]) remove(customerId);
      await ended;
    },
  };
}

export type LogReaders = ReturnType<typeof createLogReaders>;
