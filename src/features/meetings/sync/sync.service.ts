import type { Schedule } from '../../../config/config.ts';
import { AppError } from '../../../errors/app-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import { cursorCodec, isInteger } from '../../../platform/cursor.ts';
import type { Runner } from '../../../platform/leases/queue-runner.ts';
import { type Page, type PageRequest, readPage } from '../../../platform/list-page.ts';
import { isObjectIdText } from '../../../platform/mongo/object-id.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { ConnectionDoc } from '../connection/connection.model.ts';
import type { ConnectionStore } from '../connection/connection.store.ts';
import { KEY_INVALID, notConfiguredError, notConnectedError } from '../connection/connection-errors.ts';
import type { MeetingSyncRun, SyncLogEntry, SyncObserver } from '../meetings.types.ts';
import type { Provider } from '../provider/provider.types.ts';
import type { MeetingStore } from '../stored-meetings/meetings.store.ts';
import type { DeletionDetection } from './deletion-detection.ts';
import { MAX_LOG_ENTRIES, type SyncLogStore } from './sync-log.store.ts';
import type { SyncLogs } from './sync-log.ts';
import {
  comparedSince,
  contentExpectedSince,
  isComparisonDue,
  nextScheduledSync,
  sinceFor,
} from './sync-planning.ts';
import { assertSameRange, type ChosenRange, chosenRange, type SyncRequest } from './sync-range.ts';
import { toRun } from './sync-run-view.ts';
import type { RangeOfRun, SyncRunDoc } from './sync-runs.model.ts';
import type { RunStore } from './sync-runs.store.ts';

/** Scheduled syncs started per run of the job; the next run, within a second, starts more. */
const MAX_STARTED_AT_ONCE = 100;

interface Deps {
  connections: ConnectionStore;
  runs: RunStore;
  meetings: MeetingStore;
  deletions: Pick<DeletionDetection, 'start'>;
  logs: SyncLogStore;
  openLog: SyncLogs;
  /** Null when no syncs run in this process. */
  runner: Runner | null;
  observer: Pick<SyncObserver, 'onSyncRun'>;
  clock: Clock;
  schedule: Schedule | null;
  /** Returns the ids of all suspended customers. */
  suspended: () => Promise<number[]>;
  /** Null when `RECORDER_API_URL` is unset. */
  provider: Pick<Provider, 'listsChanges'> | null;
}

/** Starts, pauses, cancels and lists the syncs of meetings. */
export function syncService(deps: Deps) {
  const {
    connections,
    runs,
    meetings,
    deletions,
    logs,
    openLog,
    runner,
    observer,
    clock,
    schedule,
    suspended,
    provider,
  } = deps;

  /**
   * Returns what an incremental sync fetches: changed meetings, if the provider lists them, and otherwise every meeting
   * whose content may still change.
   */
  async function planIncremental(
    tenant: TenantRef,
    {
      connection,
      startedAt,
      isScheduled,
    }: { connection: ConnectionDoc; startedAt: Date; isScheduled: boolean },
  ): Promise<RangeOfRun> {
    const { lastSyncAt } = connection;
    const byChange = lastSyncAt !== null && provider?.listsChanges === true;
    const expectedSince = contentExpectedSince(startedAt);
    const oldestExpected = byChange ? await meetings.oldestAwaiting(tenant, expectedSince) : expectedSince;
    const since = sinceFor({ lastSyncAt, oldestExpected, now: startedAt });
    const isComparison = isScheduled && isComparisonDue(connection, startedAt);
    return isComparison
      ? { scope: 'comparison', since: comparedSince(since, startedAt), until: null }
      : { scope: 'incremental', since, until: null, byChange };
  }

  /**
   * Returns the tenant's unfinished run, or starts one.
   *
   * @param options.chosen null for an incremental run
   * @throws AppError CONFLICT if the unfinished run fetches other meetings than chosen
   */
  async function begin(
    tenant: TenantRef,
    connection: ConnectionDoc,
    { chosen = null, isScheduled = false }: { chosen?: ChosenRange | null; isScheduled?: boolean },
  ): Promise<SyncRunDoc> {
    const startedAt = clock.now();
    const range = chosen ?? (await planIncremental(tenant, { connection, startedAt, isScheduled }));
    const comparison =
      range.scope === 'comparison' || range.scope === 'full' ? await deletions.start() : undefined;
    const { generation } = connection;
    /** Only once there is a run: a crash before does not leave out a scheduled one. */
    const scheduleNext = async () => {
      if (chosen) return;
      await connections.update(tenant, generation, {
        nextSyncAt: nextScheduledSync({ schedule, now: startedAt }),
      });
    };
    for (;;) {
      const unfinished = await runs.unfinished(tenant);
      if (unfinished) {
        assertSameRange(unfinished, chosen);
        await scheduleNext();
        return unfinished;
      }
      const inserted = await runs.insert(tenant, {
        generation,
        ...range,
        ...(comparison && { comparison }),
        startedAt,
      });
      if (!inserted) continue;
      await scheduleNext();
      await runner?.claim(inserted._id);
      return inserted;
    }
  }

  async function noteChange(tenant: TenantRef, { _id, pages }: SyncRunDoc, type: 'paused' | 'resumed') {
    const log = openLog(tenant, _id);
    log.note(type, { page: pages + 1 });
    await log.flush();
  }

  return {
    /**
     * Starts a sync, or returns the one that is running or paused.
     *
     * @throws AppError `VALIDATION_FAILED`; `NOT_CONFIGURED` when no provider is connected; `PROVIDER_KEY_INVALID` when
     *   a new key is needed; `CONFLICT` when a sync with another time range is running or paused
     */
    async start(tenant: Tenant, request: SyncRequest = {}): Promise<MeetingSyncRun> {
      const chosen = chosenRange(request, clock.now());
      if (!provider) throw notConfiguredError();
      const connection = await connections.find(tenant);
      if (!connection) throw notConnectedError();
      if (connection.status === 'key_invalid') throw new AppError(KEY_INVALID.code, KEY_INVALID.message);
      return toRun(await begin(tenant, connection, { chosen }));
    },

    /**
     * Pauses the running sync after its last stored page and returns it; null if there is none.
     * @throws AppError `NOT_CONFIGURED` without a provider
     */
    async pause(tenant: Tenant): Promise<MeetingSyncRun | null> {
      if (!provider) throw notConfiguredError();
      const paused = await runs.pause(tenant, clock.now());
      if (paused) {
        runner?.abort(paused._id);
        await noteChange(tenant, paused, 'paused');
      }
      const run = paused ?? (await runs.unfinished(tenant));
      return run && toRun(run);
    },

    /**
     * Resumes the paused sync after its last stored page; null if there is none.
     * @throws AppError `NOT_CONFIGURED` without a provider
     */
    async resume(tenant: Tenant): Promise<MeetingSyncRun | null> {
      if (!provider) throw notConfiguredError();
      const resumed = await runs.resume(tenant);
      if (resumed) {
        await noteChange(tenant, resumed, 'resumed');
        await runner?.claim(resumed._id);
      }
      const run = resumed ?? (await runs.unfinished(tenant));
      return run && toRun(run);
    },

    /**
     * Cancels the running or paused sync, in any process, also one of a provider that is no longer configured; stored
     * meetings are kept. Returns null if there was none, or only one of the connection `exceptGeneration`.
     */
    async cancel(
      tenant: Tenant,
      { exceptGeneration }: { exceptGeneration?: string } = {},
    ): Promise<MeetingSyncRun | null> {
      const cancelled = await runs.cancel(tenant, { at: clock.now(), exceptGeneration });
      if (cancelled) {
        observer.onSyncRun({ status: 'cancelled' });
        runner?.abort(cancelled._id);
      }
      return cancelled && toRun(cancelled);
    },

    /** Returns the tenant's syncs, newest first. */
    list: (tenant: Tenant, page: PageRequest): Promise<Page<MeetingSyncRun>> =>
      readPage(page, {
        cursor: cursorCodec(['meetingSyncRuns', tenant.customerId], isObjectIdText),
        read: (before, limit) => runs.list(tenant, { before, limit }),
        positionOf: ({ _id }) => _id.toHexString(),
        toNode: toRun,
      }),

    /** Returns a sync; null if the tenant has none with this id. */
    async find(tenant: Tenant, id: string): Promise<MeetingSyncRun | null> {
      const run = isObjectIdText(id) ? await runs.find(tenant, id) : null;
      return run && toRun(run);
    },

    /** Returns the log of a sync, newest first. */
    log: (tenant: Tenant, run: string, page: PageRequest): Promise<Page<SyncLogEntry>> =>
      readPage(page, {
        cursor: cursorCodec(['meetingSyncLog', tenant.customerId, run], isInteger),
        read: (before, limit) => logs.list(tenant, run, { before, limit }),
        positionOf: logs.numberOf,
        toNode: (entry) => entry,
      }),

    /** Returns the whole log of a sync, newest first. */
    async storedLog(tenant: Tenant, { id: syncId }: Pick<MeetingSyncRun, 'id'>) {
      const entries = await logs.list(tenant, syncId, { before: null, limit: MAX_LOG_ENTRIES });
      return entries.map(({ _id, customerId: _customerId, ...entry }) => ({ syncId, ...entry }));
    },

    /** Returns the newest sync; null if there was none. */
    async last(tenant: Tenant): Promise<MeetingSyncRun | null> {
      const [run] = await runs.list(tenant, { before: null, limit: 1 });
      return run ? toRun(run) : null;
    },

    /** Starts the scheduled syncs that are due, of all tenants that are not suspended. */
    async startDue(): Promise<void> {
      if (schedule === null) return;
      const selection = { limit: MAX_STARTED_AT_ONCE, except: await suspended() };
      for (const connection of await connections.due(clock.now(), selection))
        await begin({ customerId: connection._id }, connection, { isScheduled: true });
    },
  };
}

export type SyncService = ReturnType<typeof syncService>;
