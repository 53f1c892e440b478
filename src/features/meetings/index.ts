import type { Config } from '../../config.ts';
import type { Models } from '../../database.ts';
import type { RecurringJob } from '../../jobs/recurring-job.ts';
import type { Cipher } from '../../platform/cipher.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Changes } from '../../platform/mongo/changes.ts';
import { reencryptAll } from '../../platform/reencrypt-secrets.ts';
import { connectionService } from './connection.service.ts';
import { connectionStore } from './connection.store.ts';
import { createSyncFeed } from './feed.ts';
import { createKeyBox } from './keys.ts';
import { meetingService } from './meetings.service.ts';
import { meetingStore } from './meetings.store.ts';
import type { SyncObserver } from './observer.ts';
import { createPageWriter } from './pages.ts';
import type { Provider } from './provider/provider.types.ts';
import { createRunner } from './runner.ts';
import { runStore } from './runs.store.ts';
import { syncService } from './sync.service.ts';
import { createSync } from './sync.ts';

/** How often the clock looks for syncs to be taken up. Milliseconds; as `RecurringJob.every`. */
const CLAIM_EVERY_MS = 1_000;

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
  const runs = runStore(models);
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
            every: CLAIM_EVERY_MS,
            async run() {
              await syncs.startDue();
              await runner.takeAll();
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

    /** Hands running syncs back. */
    close: async (graceMs: number): Promise<void> => runner?.close(graceMs),
  };
}
