import type { Schedule } from '../../../config.ts';
import { AppError } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import { cursorCodec, isObjectIdText } from '../../../platform/cursor.ts';
import { type Page, type PageRequest, toPage } from '../../../platform/page.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { ConnectionDoc } from '../connection/connection.model.ts';
import type { ConnectionStore } from '../connection/connection.store.ts';
import type { MeetingSyncRun, Owner } from '../meetings.types.ts';
import { toRun } from '../records/meeting-views.ts';
import type { MeetingStore } from '../records/meetings.store.ts';
import { notConfigured } from './sync-failures.ts';
import type { SyncObserver } from './sync-observer.ts';
import { nextSync, sinceFor } from './sync-planning.ts';
import type { Runner } from './sync-runner.ts';
import type { SyncRunDoc } from './sync-runs.model.ts';
import type { RunStore } from './sync-runs.store.ts';

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

  /** Returns the tenant's running run, or starts one. */
  async function begin(owner: Owner, connection: ConnectionDoc): Promise<SyncRunDoc> {
    const startedAt = clock.now();
    const since = await sinceFor(owner, connection, meetings, startedAt);
    await connections.plan(owner, connection.generation, nextSync(schedule, startedAt));
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
     * Cancels the running sync in whichever process it runs; stored meetings stay. Returns null when none was running.
     *
     * @param exceptGeneration leaves a sync of this connection running
     */
    async cancel(tenant: Tenant, exceptGeneration?: string): Promise<MeetingSyncRun | null> {
      const cancelled = await runs.cancel(tenant, { at: clock.now(), exceptGeneration });
      if (cancelled) {
        observer.onSyncRun({ status: 'cancelled' });
        runner?.abort(cancelled._id);
      }
      return cancelled && toRun(cancelled);
    },

    /** Newest first. */
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

    /** The newest one; null: there was none. */
    async last(tenant: Tenant): Promise<MeetingSyncRun | null> {
      const [run] = await runs.list(tenant, { before: null, limit: 1 });
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
