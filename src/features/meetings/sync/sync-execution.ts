import type { Clock } from '../../../platform/clock.ts';
import { type HeldLease, holdLease } from '../../../platform/leases/lease.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import type { ConnectionDoc } from '../connection/connection.model.ts';
import type { ConnectionOutcome, ConnectionStore } from '../connection/connection.store.ts';
import { type ConnectionFailure, connectionFailure, failureOf } from '../connection/connection-errors.ts';
import type { TenantCipher } from '../connection/connection-secrets.ts';
import type { FinalSyncStatus, SyncFailure, SyncObserver, SyncProgress } from '../meetings.types.ts';
import type { CallOptions, Provider, ProviderPage, RejectedMeeting } from '../provider/provider.types.ts';
import type { DeletionDetection } from './deletion-detection.ts';
import type { PageWriter } from './page-writer.ts';
import type { SyncEvents } from './sync-events.ts';
import type { SyncLog, SyncLogs } from './sync-log.ts';
import {
  connectionAfterFailure,
  connectionAfterSuccess,
  continuationDigest,
  planClaimedRun,
  planNextPage,
  type SyncStep,
} from './sync-planning.ts';
import { advance } from './sync-position.ts';
import { pageRequestOf } from './sync-range.ts';
import { progressOf } from './sync-run-view.ts';
import type { ClaimedRun } from './sync-runs.model.ts';
import { RUN_LEASE_TTL_MS, type RunStore } from './sync-runs.store.ts';

interface Deps {
  provider: Provider;
  connections: ConnectionStore;
  runs: RunStore;
  providerKeyCipher: TenantCipher;
  writePage: PageWriter;
  deletions: DeletionDetection;
  openLog: SyncLogs;
  outbox: Outbox;
  failureEvents: SyncEvents;
  observer: Pick<SyncObserver, 'onSyncRun'>;
  clock: Clock;
  log: Logger;
}

/** Rejected meetings that a log entry names. */
const MAX_NAMED_REJECTIONS = 5;

/** Notes a stored page in the log of its run. */
function notePage(
  log: SyncLog,
  { meetings, rejected: unusable }: ProviderPage,
  { page, durationMs, rejected }: { page: number; durationMs: number; rejected: RejectedMeeting[] },
): void {
  log.note('page', { page, count: meetings.length + unusable.length, durationMs: Math.round(durationMs) });
  const warnings = meetings.reduce((sum, { warningCount }) => sum + warningCount, 0);
  if (warnings > 0) log.note('warnings', { page, count: warnings });
  if (rejected.length === 0) return;
  const named = rejected
    .slice(0, MAX_NAMED_REJECTIONS)
    .map(({ id, reason }) => (id === null ? reason : `${id}: ${reason}`));
  log.note('rejections', { page, count: rejected.length, detail: named.join('; ') });
}

const tenantOf = ({ customerId }: ClaimedRun) => ({ customerId });
const claimOf = ({ _id, lease: { token } }: ClaimedRun) => ({ id: _id, token });

/** Runs a claimed sync from its checkpoint to its end, while this process holds the lease. */
export function createSync(deps: Deps) {
  const {
    provider,
    connections,
    runs,
    providerKeyCipher,
    writePage,
    deletions,
    openLog,
    observer,
    clock,
    log,
  } = deps;
  const { outbox, failureEvents } = deps;

  const hold = (run: ClaimedRun, progress: SyncProgress): HeldLease =>
    holdLease({
      ttlMs: RUN_LEASE_TTL_MS,
      renew: () => runs.renew(tenantOf(run), claimOf(run), progress.rateLimited),
      onError: (error) =>
        log.warn({ err: error, run: run._id.toHexString() }, 'failed to renew the lease of a meeting sync'),
    });

  /**
   * Fetches and stores the pages, with a checkpoint after each.
   *
   * @returns the step that ends the run; null if the lease was lost
   */
  async function fetchPages(
    run: ClaimedRun,
    {
      first,
      progress,
      apiKey,
      listedSince,
      lease,
      signal,
      runLog,
    }: {
      first: SyncStep;
      progress: SyncProgress;
      apiKey: string;
      listedSince: Date;
      lease: HeldLease;
      signal: AbortSignal;
      runLog: SyncLog;
    },
  ): Promise<Exclude<SyncStep, { type: 'fetch' }> | null> {
    const tenant = tenantOf(run);
    const visited = new Set<string>();
    const comparison = run.comparison && { ...run.comparison };
    let readAt = clock.now();
    const call: CallOptions = {
      signal,
      onRequest() {
        readAt = clock.now();
      },
      onRateLimited() {
        progress.rateLimited += 1;
        runLog.note('rate_limited', { page: progress.pages + 1 });
      },
      onAttemptFailed: (detail) => runLog.note('attempt_failed', { page: progress.pages + 1, detail }),
      onWait: ({ reason, durationMs }) =>
        runLog.note('wait', { page: progress.pages + 1, durationMs, detail: reason }),
    };
    let step = first;
    while (step.type === 'fetch') {
      if (!lease.isHeld()) return null;
      const { request } = step;
      if (request.after) visited.add(continuationDigest(request.after));
      const startedAt = performance.now();
      const page = await provider.meetings(apiKey, request, call);
      // Otherwise another process may have read the page since: see `writeOrderOf`.
      if (!lease.isHeld()) return null;
      const rejected = await writePage({ tenant, run, progress, page, readAt });
      const durationMs = performance.now() - startedAt;
      if (comparison) await deletions.note(tenant, comparison, page);
      const createdAt = page.meetings.map((meeting) => meeting.createdAt);
      progress.position = advance(progress.position, { createdAt, durationMs });
      notePage(runLog, page, { page: progress.pages, durationMs, rejected });
      const { listsOldestFirst } = provider;
      step = planNextPage({ run, page, pages: progress.pages, listsOldestFirst, visited });
      if (step.type === 'succeed' && comparison) {
        const { since } = run;
        const again = await deletions.conclude(
          { ...tenant, since, listedSince, fetched: progress.fetched },
          comparison,
          runLog,
        );
        if (again) {
          comparison.reading = 2;
          comparison.fetchedBefore = progress.fetched;
          visited.clear();
          step = { type: 'fetch', request: pageRequestOf(run, null) };
        }
      }
      const isUnfinished = page.next !== null || step.type === 'fetch';
      const after = step.type === 'fetch' ? step.request.after : page.next;
      if (isUnfinished && !(await runs.checkpoint(tenant, claimOf(run), { progress, after, comparison })))
        return null;
    }
    return step;
  }

  /** Ends the run, with its effect on the connection and its events in one commit, unless the lease was lost. */
  async function end(
    run: ClaimedRun,
    progress: SyncProgress,
    outcome: { status: FinalSyncStatus; error?: SyncFailure; connection?: ConnectionOutcome },
  ): Promise<void> {
    const { status, error = null, connection: changes = null } = outcome;
    const tenant = tenantOf(run);
    const claim = claimOf(run);
    const finishedAt = clock.now();
    const { result: isEnded } = await outbox.commit(
      async () => {
        const [isClaimed, found] = await Promise.all([
          runs.isClaimed(tenant, claim),
          connections.find(tenant),
        ]);
        if (!isClaimed) return { writes: [], events: [], result: false };
        // The key may have been replaced meanwhile.
        const connection = found?.generation === run.generation ? found : null;
        const writes = [runs.finish(tenant, claim, { ...progress, status, error, finishedAt })];
        if (connection && changes) writes.push(connections.outcome(tenant, run.generation, changes));
        const events = error ? await failureEvents({ run, error, connection, changes, at: finishedAt }) : [];
        return { writes, events, result: true };
      },
      { tenant: null },
    );
    if (!isEnded) return;
    observer.onSyncRun({ status });
    const { warningDetails: _details, position: _position, ...counts } = progress;
    log.info(
      { customerId: run.customerId, run: run._id.toHexString(), status, error: error?.code, ...counts },
      'meeting sync ended',
    );
  }

  async function fail(
    run: ClaimedRun,
    progress: SyncProgress,
    { connection, failed }: { connection: ConnectionDoc; failed: ConnectionFailure },
  ): Promise<void> {
    const { failure: error } = failed;
    await end(run, progress, {
      status: 'failed',
      error,
      connection: connectionAfterFailure(failed, connection),
    });
  }

  /** Fetches the meetings and ends the run, unless the lease was lost. */
  async function work(
    run: ClaimedRun,
    progress: SyncProgress,
    { first, connection, stop }: { first: SyncStep; connection: ConnectionDoc; stop: AbortSignal },
  ): Promise<void> {
    using lease = hold(run, progress);
    // Flushed before the run ends, so that a client that sees the end also sees the complete log.
    const runLog = openLog(tenantOf(run), run._id);
    // A resumed run has a checkpoint or log entries of an earlier claim. A pause resets `claims`.
    const isNew = run.after === null && run.claims === 1 && !run.logged;
    runLog.note(isNew ? 'started' : 'claimed', { page: progress.pages + 1 });
    try {
      const apiKey = providerKeyCipher.decrypt(tenantOf(run), connection.encryptedApiKey);
      const signal = AbortSignal.any([stop, lease.lost]);
      const { connectedAt, listedSince = connectedAt } = connection;
      const last = await fetchPages(run, { first, progress, apiKey, listedSince, lease, signal, runLog });
      await runLog.flush();
      if (last?.type === 'fail')
        await fail(run, progress, { connection, failed: connectionFailure(last.failure) });
      if (last?.type !== 'succeed') return;
      await end(run, progress, { status: 'succeeded', connection: connectionAfterSuccess(run) });
    } catch (error) {
      await runLog.flush();
      // The run was cancelled, or another process has claimed it and will end it.
      if (lease.lost.aborted && !stop.aborted) return;
      const failed = failureOf(error);
      if (!failed) throw error;
      await fail(run, progress, { connection, failed });
    }
  }

  /**
   * @param stop aborts when this process must stop working on the run
   * @throws errors that are no failure of the run, such as a `cancelled` provider error
   */
  return async (run: ClaimedRun, stop: AbortSignal): Promise<void> => {
    const progress = progressOf(run);
    const connection = await connections.find(tenantOf(run));
    const first = planClaimedRun({ run, connection });
    if (!connection || first.type === 'cancel') return end(run, progress, { status: 'cancelled' });
    if (first.type === 'fail')
      return fail(run, progress, { connection, failed: connectionFailure(first.failure) });
    return work(run, progress, { first, connection, stop });
  };
}
