import { hash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ConnectionDoc } from './connection.model.ts';
import type { ConnectionStore } from './connection.store.ts';
import { ENDLESS, failureOf, GIVEN_UP, SyncError } from './failures.ts';
import type { KeyBox } from './keys.ts';
import { type HeldRun, holdRun } from './lease.ts';
import type { SyncCounts, SyncFailure, SyncStatus } from './meetings.types.ts';
import type { SyncObserver } from './observer.ts';
import type { PageWriter } from './pages.ts';
import type { Continuation, Provider } from './provider/provider.types.ts';
import type { SyncRunDoc } from './runs.model.ts';
import type { RunStore } from './runs.store.ts';

/** A run that was taken up so often without getting a page further is given up. */
const MAX_CLAIMS = 5;
/** A million meetings: a list that goes on has no end. */
const MAX_PAGES = 20_000;

interface Deps {
  provider: Provider;
  connections: ConnectionStore;
  runs: RunStore;
  keys: KeyBox;
  writePage: PageWriter;
  observer: Pick<SyncObserver, 'onSyncRun'>;
  clock: Clock;
  log: Logger;
}

/** What tells a page from all others: short, since a run keeps that of each of its pages. */
const identify = ({ kind, value }: Continuation): string => hash('sha256', `${kind} ${value}`).slice(0, 16);

const countsOf = ({ pages, fetched, stored, updated, rejected, rateLimited }: SyncRunDoc): SyncCounts => ({
  pages,
  fetched,
  stored,
  updated,
  rejected,
  rateLimited,
});

/** Takes a run from its checkpoint to its end, or as far as this process may. */
export function createSync(deps: Deps) {
  const { provider, connections, runs, keys, writePage, observer, clock, log } = deps;

  /** Pages one after the other, each stored before it is written down that it is. False: the run is another's. */
  async function pull(
    run: SyncRunDoc,
    counts: SyncCounts,
    apiKey: string,
    held: HeldRun,
    signal: AbortSignal,
  ): Promise<boolean> {
    const owner = { customerId: run.customerId };
    const lease = { id: run._id, token: run.lease.token };
    const seen = new Set(run.after ? [identify(run.after)] : []);
    const onRateLimited = () => {
      counts.rateLimited += 1;
    };
    for (let { after } = run; ; ) {
      if (!held.isHeld()) return false;
      const page = await provider.meetings(apiKey, { since: run.since, after }, { signal, onRateLimited });
      await writePage(owner, run._id.toHexString(), counts, page);
      after = page.next;
      if (after === null) return true;
      if (!(await runs.checkpoint(owner, lease, counts, after))) return false;
      const next = identify(after);
      if (seen.has(next) || counts.pages >= MAX_PAGES) throw new SyncError(ENDLESS);
      seen.add(next);
    }
  }

  /** Ends a run; what its connection has to know of it comes first, so that whoever sees the end sees that, too. */
  async function end(
    run: SyncRunDoc,
    counts: SyncCounts,
    outcome: { status: Exclude<SyncStatus, 'running'>; error?: SyncFailure },
  ): Promise<void> {
    const owner = { customerId: run.customerId };
    const { status, error = null } = outcome;
    const lease = { id: run._id, token: run.lease.token };
    const finishedAt = clock.now();
    if (!(await runs.finish(owner, lease, { ...counts, status, error, finishedAt }))) return;
    observer.onSyncRun({ status });
    log.info(
      { customerId: run.customerId, run: run._id.toHexString(), status, error: error?.code, ...counts },
      'meeting sync ended',
    );
  }

  async function fail(run: SyncRunDoc, counts: SyncCounts, connection: ConnectionDoc, error: unknown) {
    const found = failureOf(error);
    if (!found) throw error;
    const { failure, status, retryAfter } = found;
    const { nextSyncAt } = connection;
    await connections.note({ customerId: run.customerId }, run.generation, {
      status,
      ...(status === 'key_invalid' && { nextSyncAt: null }),
      ...(retryAfter && nextSyncAt && retryAfter > nextSyncAt && { nextSyncAt: retryAfter }),
    });
    await end(run, counts, { status: 'failed', error: failure });
  }

  /**
   * @param run as it was claimed
   * @param stop aborts when this process is to let go of it
   * @throws whatever keeps it from going on here, a `cancelled` provider error among them
   */
  return async (run: SyncRunDoc, stop: AbortSignal): Promise<void> => {
    const owner = { customerId: run.customerId };
    const counts = countsOf(run);
    const connection = await connections.find(owner);
    if (connection?.generation !== run.generation) return end(run, counts, { status: 'cancelled' });
    if (run.claims > MAX_CLAIMS) return fail(run, counts, connection, new SyncError(GIVEN_UP));
    using held = holdRun(runs, owner, { id: run._id, token: run.lease.token }, counts, log);
    try {
      const apiKey = keys.open(owner, connection.encryptedApiKey);
      const signal = AbortSignal.any([stop, held.lost]);
      if (!(await pull(run, counts, apiKey, held, signal))) return;
      await connections.note(owner, run.generation, { status: 'connected', lastSyncAt: run.startedAt });
      await end(run, counts, { status: 'succeeded' });
    } catch (error) {
      // Cancelled, or taken over: not this process's to end any more.
      if (held.lost.aborted && !stop.aborted) return;
      await fail(run, counts, connection, error);
    }
  };
}

export type Sync = ReturnType<typeof createSync>;
