import { randomUUID } from 'node:crypto';
import type { Schedule } from '../../../config/config.ts';
import type { RateWindows } from '../../../limits/rate-windows.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { RecorderConnection } from '../meetings.types.ts';
import type { Provider } from '../provider/provider.types.ts';
import type { RecordKeyStore } from '../provider-records/record-keys.store.ts';
import type { SyncService } from '../sync/sync.service.ts';
import { nextScheduledSync } from '../sync/sync-planning.ts';
import { newHookToken } from '../webhook/provider-webhook.service.ts';
import type { ConnectionDoc } from './connection.model.ts';
import type { ConnectionStore } from './connection.store.ts';
import { connectError, notConfiguredError } from './connection-errors.ts';
import type { TenantCipher } from './connection-secrets.ts';

/** Returns the connection for clients. Without a schedule, a `nextSyncAt` planned by an earlier one is void. */
const toConnection = (
  { status, connectedAt, lastSyncAt, nextSyncAt }: ConnectionDoc,
  { schedule }: { schedule: Schedule | null },
): RecorderConnection => ({
  status,
  connectedAt,
  lastSyncAt,
  nextSyncAt: schedule === null ? null : nextSyncAt,
});

/** A connection without its secrets, and without what syncs change. */
interface RecorderSettings extends Pick<RecorderConnection, 'status' | 'connectedAt'> {
  hasWebhookSecret: boolean;
}

/** Time limit of a key check. */
const CHECK_TIMEOUT_MS = 10_000;

interface Deps {
  /** Null when `RECORDER_API_URL` is unset. */
  provider: Provider | null;
  connections: ConnectionStore;
  syncs: SyncService;
  providerKeyCipher: TenantCipher;
  recordKeys: Pick<RecordKeyStore, 'prepare'>;
  /** Null for no limit. */
  windows: RateWindows | null;
  clock: Clock;
  schedule: Schedule | null;
}

/** Connects a tenant to the meeting provider and disconnects it. */
export function connectionService(deps: Deps) {
  const { provider, connections, syncs, providerKeyCipher, recordKeys, windows, clock, schedule } = deps;

  return {
    /**
     * Checks a key with the provider and stores it. Replaces the previous key and cancels its running sync.
     *
     * @throws AppError `NOT_CONFIGURED`; `RATE_LIMITED` beyond five keys per minute; `PROVIDER_KEY_INVALID` or
     *   `PROVIDER_UNAVAILABLE`, which change nothing
     */
    async connect(tenant: Tenant, apiKey: string): Promise<RecorderConnection> {
      if (!provider) throw notConfiguredError();
      // Without a limit, a customer could try out keys of others.
      await windows?.count('providerKeys', tenant.customerId);
      try {
        await provider.checkKey(apiKey, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
      } catch (error) {
        throw connectError(error);
      }
      const now = clock.now();
      const generation = randomUUID();
      await recordKeys.prepare(tenant);
      const saved = await connections.save(
        tenant,
        {
          generation,
          encryptedApiKey: providerKeyCipher.encrypt(tenant, apiKey),
          connectedAt: now,
          nextSyncAt: nextScheduledSync({ schedule, now }),
        },
        newHookToken(),
      );
      await syncs.cancel(tenant, { exceptGeneration: generation });
      return toConnection(saved, { schedule });
    },

    /**
     * Deletes the key and cancels a running sync; meetings are kept. Works without a configured provider as well, so that
     * a tenant can always withdraw its key. Returns false when there was no connection.
     */
    async disconnect(tenant: Tenant): Promise<boolean> {
      const removed = await connections.remove(tenant);
      await syncs.cancel(tenant);
      return removed;
    },

    /** Returns null when the tenant is not connected. @throws AppError `NOT_CONFIGURED` */
    async find(tenant: Tenant): Promise<RecorderConnection | null> {
      if (!provider) throw notConfiguredError();
      const found = await connections.find(tenant);
      return found && toConnection(found, { schedule });
    },

    /** Returns what clients can change of the connection; null when the tenant is not connected. */
    async settings(tenant: Tenant): Promise<RecorderSettings | null> {
      const found = await connections.find(tenant);
      return (
        found && {
          status: found.status,
          connectedAt: found.connectedAt,
          hasWebhookSecret: found.encryptedHookSecret !== undefined,
        }
      );
    },
  };
}

export type ConnectionService = ReturnType<typeof connectionService>;
