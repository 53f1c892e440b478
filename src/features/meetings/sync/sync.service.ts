import type { Schedule } from '../../../config.ts';
import { AppError } from '../../../errors/app-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import { cursorCodec } from '../../../platform/cursor.ts';
import { type Page, type PageRequest, toPage } from '../../../platform/list-page.ts';
import { isObjectIdText } from '../../../platform/mongo/object-id.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { ConnectionDoc } from '../connection/connection.model.ts';
import type { ConnectionStore } from '../connection/connection.store.ts';
import { notConfiguredError } from '../connection/connection-errors.ts';
import type { MeetingSyncRun, Owner } from '../meetings.types.ts';
import type { MeetingStore } from '../records/meetings.store.ts';
import { KEY_INVALID } from './sync-failures.ts';
import type { SyncObserver } from './sync-observer.ts';
import { nextScheduledSync, sinceFor, transcriptsExpectedSince } from './sync-planning.ts';
import { toRun } from './sync-run-view.ts';
import type { Runner } from './sync-runner.ts';
import type { SyncRunDoc } from './sync-runs.model.ts';
import type { RunStore } from './sync-runs.store.ts';

/** Scheduled syncs that one run of the job starts; the rest follows within a second. */
const MAX_STARTED_AT_ONCE = 100;

interface Deps {
  connections: ConnectionStore;
  runs: RunStore;
  meetings: MeetingStore;
  /** Null when no syncs run in this process. */
  runner: Runner | null;
  observer: Pick<SyncObserver, 'onSyncRun'>;
  clock: Clock;
  schedule: Schedule | null;
  /** False when `RECORDER_API_URL` is unset. */
  configured: boolean;
}

/** Starts, cancels and lists the syncs of meetings. */
export function syncService(deps: Deps) {
  const { connections, runs, meetings, runner, observer, clock, schedule, configured } = deps;

  /** Returns the tenant's running run, or starts one. */
  async function begin(owner: Owner, connection: ConnectionDoc): Promise<SyncRunDoc> {
    const startedAt = clock.now();
    const oldestAwaiting = await meetings.oldestAwaiting(owner, transcriptsExpectedSince(startedAt));
    const since = sinceFor({ lastSyncAt: connection.lastSyncAt, oldestAwaiting, now: startedAt });
    const nextSyncAt = nextScheduledSync({ schedule, now: startedAt });
    await connections.update(owner, connection.generation, { nextSyncAt });
    for (;;) {
      const running = await runs.running(owner);
      if (running) return running;
      const inserted = await runs.insert(owner, { generation: connection.generation, since, startedAt });
      if (!inserted) continue;
      await runner?.claim(inserted._id);
      return inserted;
    }
  }

  return {
    /**
     * Starts a sync, or returns the one that is running.
     *
     * @throws AppError `NOT_CONFIGURED` when no provider is connected; `PROVIDER_KEY_INVALID` when a new key is needed
     */
    async start(tenant: Tenant): Promise<MeetingSyncRun> {
      if (!configured) throw notConfiguredError();
      const connection = await connections.find(tenant);
      if (!connection)
        throw new AppError('NOT_CONFIGURED', 'No meeting recorder is connected. Connect one first.');
      if (connection.status === 'key_invalid') throw new AppError(KEY_INVALID.code, KEY_INVALID.message);
      return toRun(await begin(tenant, connection));
    },

    /**
     * Cancels the running sync in whichever process it runs; stored meetings are kept. Returns null when none was
     * running, or only one of the connection `exceptGeneration`.
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
    async list(tenant: Tenant, { limit, after }: PageRequest): Promise<Page<MeetingSyncRun>> {
      const cursor = cursorCodec(['meetingSyncRuns', tenant.customerId], isObjectIdText);
      const rows = await runs.list(tenant, {
        before: after === null ? null : cursor.decode(after),
        limit: limit + 1,
      });
      return toPage(rows, limit, (row) => ({
        cursor: cursor.encode(row._id.toHexString()),
        node: toRun(row),
      }));
    },

    /** Returns the newest sync; null if there was none. */
    async last(tenant: Tenant): Promise<MeetingSyncRun | null> {
      const [run] = await runs.list(tenant, { before: null, limit: 1 });
      return run ? toRun(run) : null;
    },

    /** Starts the scheduled syncs that are due, of all tenants. */
    async startDue(): Promise<void> {
      if (schedule === null) return;
      for (const connection of await connections.due(clock.now(), MAX_STARTED_AT_ONCE))
        await begin({ customerId: connection._id }, connection);
    },
  };
}

export type SyncService = ReturnType<typeof syncService>;
