import type { Schedule } from '../../config.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { cursorCodec, isObjectIdText } from '../../platform/cursor.ts';
import { type Page, type PageRequest, toPage } from '../../platform/page.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { ConnectionDoc } from './connection.model.ts';
import type { ConnectionStore } from './connection.store.ts';
import { notConfigured } from './failures.ts';
import type { MeetingStore } from './meetings.store.ts';
import type { MeetingSyncRun, Owner } from './meetings.types.ts';
import type { SyncObserver } from './observer.ts';
import { nextSync, sinceFor } from './planning.ts';
import type { Runner } from './runner.ts';
import type { SyncRunDoc } from './runs.model.ts';
import type { RunStore } from './runs.store.ts';
import { toRun } from './views.ts';

/** Scheduled syncs that one tick of the clock starts; the next ones follow within a second. */
const BATCH = 100;

interface Deps {
  connections: ConnectionStore;
  runs: RunStore;
  meetings: MeetingStore;
  /** Null: syncs do not run in this process. */
  runner: Runner | null;
  observer: Pick<SyncObserver, 'onSyncRun'>;
  clock: Clock;
  schedule: Schedule | null;
  /** False: `RECORDER_API_URL` is unset. */
  configured: boolean;
}

export function syncService(deps: Deps) {
  const { connections, runs, meetings, runner, observer, clock, schedule, configured } = deps;

  /** Makes a run; gives the one that is running when there is one, whichever process was faster. */
  async function begin(owner: Owner, connection: ConnectionDoc): Promise<SyncRunDoc> {
    const startedAt = clock.now();
    const since = await sinceFor(owner, connection, meetings, startedAt);
    await connections.plan(owner, connection.generation, nextSync(schedule, startedAt));
    for (;;) {
      const running = await runs.running(owner);
      if (running) return running;
      const made = await runs.insert(owner, connection.generation, since, startedAt);
      if (!made) continue;
      await runner?.offer(made._id);
      return made;
    }
  }

  return {
    /**
     * Starts a sync, or gives the one that is running.
     *
     * @throws AppError `NOT_CONFIGURED` when nothing is connected, `PROVIDER_KEY_INVALID` when a new key is needed
     */
    async start(tenant: Tenant): Promise<MeetingSyncRun> {
      if (!configured) throw notConfigured();
      const connection = await connections.find(tenant);
      if (!connection)
        throw new AppError('NOT_CONFIGURED', 'No meeting recorder is connected: connect one first.');
      if (connection.status === 'key_invalid')
        throw new AppError(
          'PROVIDER_KEY_INVALID',
          'The provider does not accept the API key: connect again.',
        );
      return toRun(await begin(tenant, connection));
    },

    /**
     * Ends the running sync, wherever it runs; what it has stored stays. Null when none was running.
     *
     * @param connection only one that was started with another connection than this
     */
    async cancel(tenant: Tenant, connection?: string): Promise<MeetingSyncRun | null> {
      const cancelled = await runs.cancel(tenant, clock.now(), connection);
      if (cancelled) {
        observer.onSyncRun({ status: 'cancelled' });
        runner?.drop(cancelled._id);
      }
      return cancelled && toRun(cancelled);
    },

    /** Newest first. */
    async list(tenant: Tenant, { limit, after }: PageRequest): Promise<Page<MeetingSyncRun>> {
      const cursor = cursorCodec(['meetingSyncRuns', tenant.customerId], isObjectIdText);
      const rows = await runs.list(tenant, after === null ? null : cursor.decode(after), limit + 1);
      return toPage(rows, limit, (row) => ({
        cursor: cursor.encode(row._id.toHexString()),
        node: toRun(row),
      }));
    },

    /** The newest one; null: there was none. */
    async last(tenant: Tenant): Promise<MeetingSyncRun | null> {
      const [run] = await runs.list(tenant, null, 1);
      return run ? toRun(run) : null;
    },

    /** Starts what the schedule says is due; called by the clock. */
    async startDue(): Promise<void> {
      if (schedule === null) return;
      for (const connection of await connections.due(clock.now(), BATCH))
        await begin({ customerId: connection._id }, connection);
    },
  };
}

export type SyncService = ReturnType<typeof syncService>;
