import { hash } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import { type HeldLease, holdLease } from '../../../platform/mongo/lease.ts';
import type { ConnectionDoc } from '../connection/connection.model.ts';
import type { ConnectionStore } from '../connection/connection.store.ts';
import type { KeyBox } from '../connection/provider-keys.ts';
import type { SyncCounts, SyncFailure, SyncStatus } from '../meetings.types.ts';
import type { Continuation, Provider } from '../provider/provider.types.ts';
import type { PageWriter } from './page-writer.ts';
import { failureOf, REPEATED_INTERRUPTIONS, SyncError, UNBOUNDED_LISTING } from './sync-failures.ts';
import type { SyncObserver } from './sync-observer.ts';
import type { ClaimedRun, SyncRunDoc } from './sync-runs.model.ts';
import { RUN_LEASE_TTL_MS, type RunStore } from './sync-runs.store.ts';

/** Claims without a stored page in between, after which a run fails. */
const MAX_CLAIMS = 5;
/** A million meetings: a longer listing is taken for an endless one. */
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

/** Digest of a continuation: short, since a run keeps one for each page to detect a listing that repeats. */
const digestOf = ({ kind, value }: Continuation): string => hash('sha256', `${kind} ${value}`).slice(0, 16);

const countsOf = ({ pages, fetched, stored, updated, rejected, rateLimited }: SyncRunDoc): SyncCounts => ({
  pages,
  fetched,
  stored,
  updated,
  rejected,
  rateLimited,
});

const ownerOf = ({ customerId }: ClaimedRun) => ({ customerId });
const claimOf = ({ _id, lease: { token } }: ClaimedRun) => ({ id: _id, token });

/** Takes a claimed run from its checkpoint to its end, for as long as this process holds it. */
export function createSync(deps: Deps) {
  const { provider, connections, runs, keys, writePage, observer, clock, log } = deps;

  const hold = (run: ClaimedRun, counts: SyncCounts): HeldLease =>
    holdLease({
      ttlMs: RUN_LEASE_TTL_MS,
      renew: () => runs.renew(ownerOf(run), claimOf(run), counts.rateLimited),
      onError: (error) =>
        log.warn({ err: error, run: run._id.toHexString() }, 'failed to renew the lease of a meeting sync'),
    });

  /** Fetches and stores page after page, with a checkpoint after each. Returns false when the lease was lost. */
  async function pull(
    run: ClaimedRun,
    {
      counts,
      apiKey,
      lease,
      signal,
    }: { counts: SyncCounts; apiKey: string; lease: HeldLease; signal: AbortSignal },
  ): Promise<boolean> {
    const owner = ownerOf(run);
    const seen = new Set(run.after ? [digestOf(run.after)] : []);
    const onRateLimited = () => {
      counts.rateLimited += 1;
    };
    for (let { after } = run; ; ) {
      if (!lease.isHeld()) return false;
      const page = await provider.meetings(apiKey, { since: run.since, after }, { signal, onRateLimited });
      await writePage(owner, run._id.toHexString(), counts, page);
      after = page.next;
      if (after === null) return true;
      if (!(await runs.checkpoint(owner, claimOf(run), { counts, after }))) return false;
      const digest = digestOf(after);
      if (seen.has(digest) || counts.pages >= MAX_PAGES) throw new SyncError(UNBOUNDED_LISTING);
      seen.add(digest);
    }
  }

  async function end(
    run: ClaimedRun,
    counts: SyncCounts,
    outcome: { status: Exclude<SyncStatus, 'running'>; error?: SyncFailure },
  ): Promise<void> {
    const { status, error = null } = outcome;
    const finishedAt = clock.now();
    if (!(await runs.finish(ownerOf(run), claimOf(run), { ...counts, status, error, finishedAt }))) return;
    observer.onSyncRun({ status });
    log.info(
      { customerId: run.customerId, run: run._id.toHexString(), status, error: error?.code, ...counts },
      'meeting sync ended',
    );
  }

  async function fail(
    run: ClaimedRun,
    counts: SyncCounts,
    { connection, error }: { connection: ConnectionDoc; error: unknown },
  ): Promise<void> {
    const found = failureOf(error);
    if (!found) throw error;
    const { failure, status, retryAfter } = found;
    const { nextSyncAt } = connection;
    // The connection is updated first: a client that sees the run's end also sees its effect on the connection.
    await connections.note(ownerOf(run), run.generation, {
      status,
      ...(status === 'key_invalid' && { nextSyncAt: null }),
      ...(retryAfter && nextSyncAt && retryAfter > nextSyncAt && { nextSyncAt: retryAfter }),
    });
    await end(run, counts, { status: 'failed', error: failure });
  }

  /**
   * @param stop aborts when this process must stop working on the run
   * @throws any error that is not the run's own failure, a `cancelled` provider error among them
   */
  return async (run: ClaimedRun, stop: AbortSignal): Promise<void> => {
    const owner = ownerOf(run);
    const counts = countsOf(run);
    const connection = await connections.find(owner);
    if (connection?.generation !== run.generation) return end(run, counts, { status: 'cancelled' });
    if (run.claims > MAX_CLAIMS)
      return fail(run, counts, { connection, error: new SyncError(REPEATED_INTERRUPTIONS) });
    using lease = hold(run, counts);
    try {
      const apiKey = keys.open(owner, connection.encryptedApiKey);
      const signal = AbortSignal.any([stop, lease.lost]);
      if (!(await pull(run, { counts, apiKey, lease, signal }))) return;
      await connections.note(owner, run.generation, { status: 'connected', lastSyncAt: run.startedAt });
      await end(run, counts, { status: 'succeeded' });
    } catch (error) {
      // Cancelled, or claimed by another process, which then ends the run.
      if (lease.lost.aborted && !stop.aborted) return;
      await fail(run, counts, { connection, error });
    }
  };
}

export type Sync = ReturnType<typeof createSync>;
