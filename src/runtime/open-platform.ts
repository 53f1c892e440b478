import type { Config } from '../config/config.ts';
import { openDatabase } from '../database/models.ts';
import type { ConversationDoc } from '../features/conversations/conversations.model.ts';
import type { LogEntryDoc } from '../features/event-feeds/event-log.model.ts';
import type { MappingDoc } from '../features/meetings/mapping/mapping.model.ts';
import type { SyncRunDoc } from '../features/meetings/sync/sync-runs.model.ts';
import type { StoredApiKey, TenantDoc } from '../features/tenants/tenants.model.ts';
import type { DeliveryDoc } from '../features/webhooks/delivery/delivery.model.ts';
import { createCipher } from '../platform/cipher.ts';
import type { Clock } from '../platform/clock.ts';
import { coherenceStore } from '../platform/coherence/coherence.store.ts';
import { createCoherence } from '../platform/coherence/coherence.ts';
import { createCoherenceMember } from '../platform/coherence/coherence-member.ts';
import { loadOrCreateEncryptionKey } from '../platform/encryption-key.ts';
import type { Logger } from '../platform/logger.ts';
import { createChanges } from '../platform/mongo/change-stream.ts';
import { createDatabaseClock } from '../platform/mongo/database-clock.ts';
import { monitorOutages } from '../platform/mongo/outages.ts';
import { openConfiguredMongo } from './embedded-mongo.ts';

export interface PlatformOptions {
  config: Config;
  log: Logger;
  /** True for a command: it uses the database of a running service, and runs nothing in the background. */
  isCommand?: boolean;
  /** By default the clock of the database. */
  clock?: Clock;
}

/**
 * Maximum wait of an operation for a primary. In the service, it keeps a request within the five seconds of contract 4
 * and exceeds most elections; background work is retried. Commands wait longer, because they are not retried.
 */
const PRIMARY_TIMEOUT_MS = { service: 4_500, command: 15_000 };

/** Opens what every feature is built on: the database, its clock and changes, the cipher of secrets, coherent caches. */
export async function openPlatform({ config, log, isCommand = false, clock }: PlatformOptions) {
  const embedded = config.mongodbUri
    ? null
    : await openConfiguredMongo(config, { log, mayUseRunning: isCommand });
  const uri = config.mongodbUri ?? embedded?.uri ?? '';
  const primaryTimeoutMs = PRIMARY_TIMEOUT_MS[isCommand ? 'command' : 'service'];
  const { connection, models } = await openDatabase(uri, {
    serverSelectionTimeoutMs: primaryTimeoutMs,
  }).catch(async (error: unknown) => {
    await embedded?.stop();
    throw error;
  });
  const databaseClock = await createDatabaseClock(connection, log);
  const outages = monitorOutages(connection, { primaryTimeoutMs, log });
  const cipher = createCipher(config.encryptionKeys ?? (await loadOrCreateEncryptionKey(config.dataDir)));
  const changes = createChanges(
    connection,
    {
      conversations: ({ customerId }: ConversationDoc) => customerId,
      webhookDeliveries: ({ customerId }: DeliveryDoc) => customerId,
      meetingSyncRuns: ({ customerId }: SyncRunDoc) => customerId,
      recorderMappings: ({ _id }: MappingDoc) => _id,
      eventLog: ({ customerId }: LogEntryDoc) => customerId,
      apiKeys: ({ _id }: StoredApiKey) => _id.toHexString(),
      tenants: ({ customerId }: TenantDoc) => customerId,
    },
    log,
  );
  const coherences = coherenceStore(models.Coherence);
  const coherence = createCoherence({
    store: coherences,
    member: createCoherenceMember({ store: coherences, caches: !isCommand, log }),
    log,
  });

  return {
    /** Null for a configured database. */
    embedded,
    mongodbUri: uri,
    connection,
    models,
    databaseClock,
    clock: clock ?? databaseClock,
    outages,
    cipher,
    changes,
    coherence,
    async close(): Promise<void> {
      await coherence.close();
      databaseClock.close();
      outages.close();
      await connection.close();
      await embedded?.stop();
    },
  };
}
