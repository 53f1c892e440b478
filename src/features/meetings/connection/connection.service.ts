import { randomUUID } from 'node:crypto';
import type { Schedule } from '../../../config.ts';
import { AppError } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import { DEFAULT_MAPPING, mappingProblems } from '../mapping/mapping-rules.ts';
import type { FieldMapping, RecorderConnection } from '../meetings.types.ts';
import type { Provider } from '../provider/provider.types.ts';
import { toConnection } from '../records/meeting-views.ts';
import type { SyncService } from '../sync/sync.service.ts';
import { connectFailure, notConfigured } from '../sync/sync-failures.ts';
import { nextSync } from '../sync/sync-planning.ts';
import type { ConnectionStore } from './connection.store.ts';
import type { KeyBox } from './provider-keys.ts';

/** So long whoever connects waits for the provider. Milliseconds. */
const CHECK_MS = 10_000;

interface Deps {
  /** Null: `RECORDER_API_URL` is unset. */
  provider: Provider | null;
  connections: ConnectionStore;
  syncs: SyncService;
  keys: KeyBox;
  clock: Clock;
  schedule: Schedule | null;
}

/** A tenant's settings of the connector. */
export function connectionService({ provider, connections, syncs, keys, clock, schedule }: Deps) {
  return {
    /**
     * Checks a key with the provider, and keeps it. It replaces the one that was there, with which a running sync is
     * cancelled.
     *
     * @throws AppError `PROVIDER_KEY_INVALID`, `PROVIDER_UNAVAILABLE`: nothing has changed; `NOT_CONFIGURED`
     */
    async connect(tenant: Tenant, apiKey: string): Promise<RecorderConnection> {
      if (!provider) throw notConfigured();
      try {
        await provider.checkKey(apiKey, { signal: AbortSignal.timeout(CHECK_MS) });
      } catch (error) {
        throw connectFailure(error);
      }
      const now = clock.now();
      const generation = randomUUID();
      const saved = await connections.save(tenant, {
        generation,
        encryptedApiKey: keys.seal(tenant, apiKey),
        connectedAt: now,
        nextSyncAt: nextSync(schedule, now),
      });
      await syncs.cancel(tenant, generation);
      return toConnection(saved, schedule);
    },

    /**
     * Forgets the key and cancels a running sync; what was synced stays. Possible whatever the operator has
     * configured: a tenant can always take its key back. False when there was no connection.
     */
    async disconnect(tenant: Tenant): Promise<boolean> {
      const removed = await connections.remove(tenant);
      await syncs.cancel(tenant);
      return removed;
    },

    /** Null: not connected. @throws AppError `NOT_CONFIGURED` */
    async find(tenant: Tenant): Promise<RecorderConnection | null> {
      if (!provider) throw notConfigured();
      const found = await connections.find(tenant);
      return found && toConnection(found, schedule);
    },

    mapping: async (tenant: Tenant): Promise<FieldMapping[]> =>
      (await connections.mapping(tenant)) ?? [...DEFAULT_MAPPING],

    /** Holds for meetings that are synced from then on. @throws AppError `VALIDATION_FAILED` */
    async updateMapping(tenant: Tenant, mappings: FieldMapping[]): Promise<FieldMapping[]> {
      const details = mappingProblems(mappings);
      if (details.length > 0)
        throw new AppError('VALIDATION_FAILED', 'The mapping cannot be used.', { details });
      await connections.saveMapping(tenant, mappings);
      return mappings;
    },
  };
}

export type ConnectionService = ReturnType<typeof connectionService>;
