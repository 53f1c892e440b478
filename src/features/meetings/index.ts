import type { Config } from '../../config.ts';
import type { Models } from '../../database.ts';
import type { RecurringJob } from '../../jobs/recurring-job.ts';
import type { Cipher } from '../../platform/cipher.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Changes } from '../../platform/mongo/changes.ts';
import { reencryptAll } from '../../platform/reencrypt-secrets.ts';
import { connectionService } from './connection/connection.service.ts';
import { connectionStore } from './connection/connection.store.ts';
import { createKeyBox } from './connection/provider-keys.ts';
import type { Provider } from './provider/provider.types.ts';
import { meetingService } from './records/meetings.service.ts';
import { meetingStore } from './records/meetings.store.ts';
import { createPageWriter } from './sync/page-writer.ts';
import { syncService } from './sync/sync.service.ts';
import { createSync } from './sync/sync-execution.ts';
import type { SyncObserver } from './sync/sync-observer.ts';
import { createSyncFeed } from './sync/sync-progress-feed.ts';
import { createRunner } from './sync/sync-runner.ts';
import { runStore } from './sync/sync-runs.store.ts';

/** Milliseconds between two looks for due schedules and available runs. */
const CLAIM_INTERVAL_MS = 1_000;

interface Deps {
  models: Models;
  cipher: Cipher;
  changes: Changes;
  /** Null: `RECORDER_API_URL` is unset. */
  provider: Provider | null;
  /** Told of syncs, for the operator's numbers. */
  observer: SyncObserver;
  clock: Clock;
  log: Logger;
  config: Pick<Config, 'meetingSyncSchedule'>;
  /** Whether syncs run in this process. */
  runsHere: boolean;
}

/** The meeting connector: its settings, the sync, and what it has brought. */
export function createMeetings(deps: Deps) {
  const { models, cipher, changes, provider, observer, clock, log, config, runsHere } = deps;
  const connections = connectionStore(models);
  const runs = runStore(models, clock);
  const meetings = meetingStore(models);
  const keys = createKeyBox(cipher);
  const schedule = config.meetingSyncSchedule;
  const writePage = createPageWriter({ connections, meetings, observer, log });
  const runner =
    provider && runsHere
      ? createRunner({
          runs,
          sync: createSync({ provider, connections, runs, keys, writePage, observer, clock, log }),
          log,
        })
      : null;
  const syncs = syncService({
    connections,
    runs,
    meetings,
    runner,
    observer,
    clock,
    schedule,
    configured: provider !== null,
  });

  return {
    services: {
      recorder: connectionService({ provider, connections, syncs, keys, clock, schedule }),
      syncs,
      meetings: meetingService({ meetings }),
      syncFeed: createSyncFeed(changes),
    },
    jobs: (runner
      ? [
          {
            name: 'meetings.sync',
            every: CLAIM_INTERVAL_MS,
            async run() {
              await syncs.startDue();
              await runner.claimAll();
            },
          },
        ]
      : []) satisfies RecurringJob[],

    /** Seals every provider key that is under an older encryption key anew, under the first one, while syncs run. */
    rotateSecrets: () =>
      reencryptAll(
        connections.all(),
        ({ _id: customerId, encryptedApiKey }) => keys.reseal({ customerId }, encryptedApiKey),
        ({ _id: customerId, encryptedApiKey }, sealed) =>
          connections.reseal({ customerId }, encryptedApiKey, sealed),
      ),

    /** Aborts running syncs and releases their leases. */
    close: async (graceMs: number): Promise<void> => runner?.close(graceMs),
  };
}
