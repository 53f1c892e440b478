import type { Logger } from '../../platform/logger.ts';
import type { Owner, SyncCounts } from './meetings.types.ts';
import { LEASE_MS, type RunLease, type RunStore } from './runs.store.ts';

/** So often a run is renewed: as often it is noticed that it was cancelled elsewhere. Milliseconds. */
const RENEW_MS = 2_000;
/** Later than this the next process may have it: nothing is begun any more. */
const SAFE_MS = LEASE_MS - 1_000;

/** A run that this process is at, for as long as it may be. */
export interface HeldRun extends Disposable {
  /** Aborts when the run was cancelled, taken over, or could not be renewed in time. */
  readonly lost: AbortSignal;
  /** Whether something may be begun. */
  isHeld(): boolean;
}

/** Keeps a run alive while a page or a wait takes its time. */
export function holdRun(
  runs: RunStore,
  owner: Owner,
  lease: RunLease,
  counts: SyncCounts,
  log: Logger,
): HeldRun {
  const lost = new AbortController();
  let renewedAt = performance.now();

  function isHeld(): boolean {
    if (performance.now() - renewedAt > SAFE_MS) lost.abort();
    return !lost.signal.aborted;
  }

  const timer = setInterval(async () => {
    const asked = performance.now();
    try {
      if (await runs.renew(owner, lease, counts.rateLimited)) renewedAt = asked;
      else lost.abort();
    } catch (error) {
      log.warn({ err: error }, 'a meeting sync could not be renewed');
    }
    isHeld();
  }, RENEW_MS);

  return { lost: lost.signal, isHeld, [Symbol.dispose]: () => clearInterval(timer) };
}
