import type { Config } from '../../config/config.ts';
import type { Models } from '../../database/models.ts';
import type { RecurringJob, RequestRun } from '../../jobs/recurring-job.ts';
import { createRateWindows } from '../../limits/rate-windows.ts';
import type { TenantLimit } from '../../limits/tenant-limits.ts';
import type { Cipher } from '../../platform/cipher.ts';
import type { Clock } from '../../platform/clock.ts';
import { createRunner } from '../../platform/leases/queue-runner.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Changes } from '../../platform/mongo/change-stream.ts';
import { type Reencryption, reencryptAll } from '../../platform/reencrypt-secrets.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import type { Suppressions } from '../privacy/suppression.service.ts';
import type { OperationalEvents } from '../webhooks/operational-events.ts';
import { connectionService } from './connection/connection.service.ts';
import { connectionStore } from './connection/connection.store.ts';
import { createTenantCipher, hookSecretOwner, keyOwner } from './connection/connection-secrets.ts';
import { mappingService } from './mapping/mapping.service.ts';
import { mappingStore } from './mapping/mapping.store.ts';
import type { SyncObserver } from './meetings.types.ts';
import type { Provider } from './provider/provider.types.ts';
import { providerRecordStore } from './provider-records/provider-records.store.ts';
import { recordKeyStore } from './provider-records/record-keys.store.ts';
import { createActivityReprojector } from './reprojection/activity-reprojector.ts';
import { outdatedActivityStore } from './reprojection/outdated-activities.store.ts';
import { reprojectionService } from './reprojection/reprojection.service.ts';
import { reprojectionStore } from './reprojection/reprojection.store.ts';
import { createReprojectionFeed } from './reprojection/reprojection-feed.ts';
import { createMeetingIndexer } from './search/meeting-indexer.ts';
import { meetingSearchService } from './search/meeting-search.service.ts';
import { searchIndexStore } from './search/search-index.store.ts';
import { meetingErasure } from './stored-meetings/meeting-erasure.store.ts';
import { meetingExport } from './stored-meetings/meeting-export.store.ts';
import { meetingRetention } from './stored-meetings/meeting-retention.store.ts';
import { createMeetingWriter } from './stored-meetings/meeting-writer.ts';
import { meetingService } from './stored-meetings/meetings.service.ts';
import { meetingStore } from './stored-meetings/meetings.store.ts';
import { createDeletionDetection } from './sync/deletion-detection.ts';
import { createPageWriter } from './sync/page-writer.ts';
import { syncService } from './sync/sync.service.ts';
import { createSyncEvents } from './sync/sync-events.ts';
import { createSync } from './sync/sync-execution.ts';
import { createSyncFeed } from './sync/sync-feed.ts';
import { syncLogStore } from './sync/sync-log.store.ts';
import { createSyncLogs } from './sync/sync-log.ts';
import { runStore } from './sync/sync-runs.store.ts';
import { noticeStore } from './webhook/notice.store.ts';
import { createNoticeProcessing } from './webhook/notice-processing.ts';
import { providerWebhookService } from './webhook/provider-webhook.service.ts';

/** How often the indexer looks for meetings that are not indexed; `busy` applies after a batch. Milliseconds. */
const INDEX_INTERVAL_MS = { idle: 3_000, busy: 250 };

const REPROJECTION_JOB = 'meetings.reproject';
/**
 * How often re-projections are looked up that a crash has left, or whose next attempt is due; `busy` applies after a
 * turn. A new one makes the job due. Milliseconds.
 */
const REPROJECTION_INTERVAL_MS = { idle: 3_000, busy: 50 };

/** The time range of recent syncs, in milliseconds, and up to how many are counted per status. */
const RECENT = { withinMs: 3 * 60 * 60_000, limit: 1_000 };

/** How often due schedules and available runs are looked up. Milliseconds. */
const CLAIM_INTERVAL_MS = 1_000;

interface Deps {
  models: Models;
  cipher: Cipher;
  changes: Changes;
  /** Null when `RECORDER_API_URL` is unset. */
  provider: Provider | null;
  observer: SyncObserver;
  outbox: Outbox;
  /** Returns the ids of all suspended customers. */
  suspended: () => Promise<number[]>;
  operationalEvents: OperationalEvents;
  /** Returns the time before which a customer's retention removes meetings; null if they are kept. */
  expiryOf: (tenant: TenantRef) => Promise<Date | null>;
  /** Limits the meetings of each tenant; null for no limit. */
  limit: TenantLimit | null;
  suppressions: Suppressions;
  encryption: FieldEncryption;
  requestRun: RequestRun;
  clock: Clock;
  log: Logger;
  config: Pick<Config, 'meetingSyncSchedule' | 'rateLimit'>;
  /** True if this process runs syncs, the indexer and re-projections. */
  runsHere: boolean;
}

/** Meetings: the connection to their provider, syncs, the field mapping, and the stored meetings with their search. */
export function createMeetings(deps: Deps) {
  const { outbox, operationalEvents, suppressions, encryption } = deps;
  const { models, cipher, changes, provider, observer, limit, requestRun, clock, log, config, runsHere } =
    deps;
  const connections = connectionStore(models);
  const mappings = mappingStore(models);
  const runs = runStore(models, clock);
  const searchIndex = searchIndexStore(models, encryption);
  const meetings = meetingStore(models, { search: searchIndex, encryption });
  const providerKeyCipher = createTenantCipher(cipher, keyOwner);
  const hookSecrets = createTenantCipher(cipher, hookSecretOwner);
  const notices = noticeStore(models, clock);
  const windows = createRateWindows(models.RateWindow, clock);
  const schedule = config.meetingSyncSchedule;
  const reprojections = reprojectionStore(models, clock);
  const recordKeys = recordKeyStore(models, cipher);
  const providerRecords = providerRecordStore({ models, recordKeys });
  const writeMeetings = createMeetingWriter({
    mappings,
    meetings,
    findDeletions: notices.deletionsSince,
    recordKeys,
    expiryOf: deps.expiryOf,
    limit,
    suppressions,
  });
  const writePage = createPageWriter({ writeMeetings, suppressions, observer, log });
  const logs = syncLogStore(models);
  const deletions = createDeletionDetection({ meetings, clock });
  const openLog = createSyncLogs({ store: logs, clock, log });
  const runner =
    provider && runsHere
      ? createRunner({
          queue: runs,
          name: 'meeting sync',
          work: createSync({
            provider,
            connections,
            runs,
            providerKeyCipher,
            writePage,
            deletions,
            openLog,
            outbox,
            failureEvents: createSyncEvents(operationalEvents),
            observer,
            clock,
            log,
          }),
          clock,
          log,
        })
      : null;
  const noticeRunner =
    provider && runsHere
      ? createRunner({
          queue: notices,
          name: 'recorder notice',
          work: createNoticeProcessing({
            provider,
            connections,
            writeMeetings,
            meetings,
            notices,
            providerKeyCipher,
            clock,
            log,
          }),
          clock,
          log,
        })
      : null;
  const syncs = syncService({
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
    suspended: deps.suspended,
    provider,
  });

  const erasure = meetingErasure({
    models,
    mappings,
    providerRecords,
    index: searchIndex,
    encryption,
    clock,
  });

  /** Returns the number of syncs that ended in the last three hours, by status. */
  async function countRecentSyncs(): Promise<Record<'succeeded' | 'failed', number>> {
    const since = new Date(clock.now().getTime() - RECENT.withinMs);
    const count = (status: 'succeeded' | 'failed') => runs.countEnded(status, { since, limit: RECENT.limit });
    const [succeeded, failed] = await Promise.all([count('succeeded'), count('failed')]);
    return { succeeded, failed };
  }

  return {
    countMeetings: meetings.count,
    countRecentSyncs,
    services: {
      providerConnection: connectionService({
        provider,
        connections,
        syncs,
        providerKeyCipher,
        recordKeys,
        windows: config.rateLimit && windows,
        clock,
        schedule,
      }),
      providerWebhook: providerWebhookService({
        provider,
        connections,
        notices,
        secrets: hookSecrets,
        runner: noticeRunner,
        windows,
        clock,
      }),
      fieldMapping: mappingService({
        mappings,
        meetings,
        providerRecords,
        requestReprojection: () => requestRun(REPROJECTION_JOB),
        clock,
        log,
      }),
      reprojections: reprojectionService({ reprojections }),
      reprojectionFeed: createReprojectionFeed(changes),
      syncs,
      meetings: meetingService({ meetings, index: searchIndex }),
      meetingSearch: meetingSearchService({ index: searchIndex, meetings }),
      syncFeed: createSyncFeed(changes),
    },
    jobs: [
      ...(runner
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
        : []),
      ...(noticeRunner
        ? [{ name: 'meetings.notices', every: CLAIM_INTERVAL_MS, run: noticeRunner.claimAll }]
        : []),
      ...(runsHere
        ? [
            {
              name: 'meetings.index',
              every: INDEX_INTERVAL_MS.idle,
              busyEvery: INDEX_INTERVAL_MS.busy,
              run: createMeetingIndexer({ index: searchIndex, suppressions }).run,
            },
            {
              name: REPROJECTION_JOB,
              every: REPROJECTION_INTERVAL_MS.idle,
              busyEvery: REPROJECTION_INTERVAL_MS.busy,
              run: createActivityReprojector({
                reprojections,
                activities: outdatedActivityStore(models, encryption),
                providerRecords,
                suppressions,
                clock,
                log,
              }).run,
            },
          ]
        : []),
    ] satisfies RecurringJob[],

    erasure: {
      ...erasure,
      hide: (tenant: TenantRef, recorderMeetingId: string) =>
        meetings.markMeetingDeleted(tenant, recorderMeetingId, clock.now()),
    },
    personalData: erasure.personalData,
    exportSources: meetingExport({ models, providerRecords, encryption }),
    retentionSteps: meetingRetention({ models, index: searchIndex, removeContents: erasure.removeContents }),
    convertiblePostings: searchIndex.convertible,

    /** Returns true if a stored provider key, signing secret or data key is not `readable` by the configured keys. */
    hasSecretUnderUnknownKey: async (readable: RegExp): Promise<boolean> =>
      (await connections.hasSecretUnderUnknownKey(readable)) || recordKeys.hasSecretUnderUnknownKey(readable),

    /** Re-encrypts secrets and data keys that are under an older encryption key, while syncs run. */
    async rotateSecrets(): Promise<Reencryption> {
      const secrets = await reencryptAll(
        connections.secrets(),
        ({ customerId, field, ciphertext }) =>
          (field === 'encryptedApiKey' ? providerKeyCipher : hookSecrets).reencrypt(
            { customerId },
            ciphertext,
          ),
        ({ customerId, field, ciphertext: from }, to) =>
          connections.replaceEncrypted({ customerId }, field, { from, to }),
      );
      const keys = await reencryptAll(recordKeys.all(), recordKeys.reencrypt, recordKeys.replaceEncrypted);
      return {
        checked: secrets.checked + keys.checked,
        reencrypted: secrets.reencrypted + keys.reencrypted,
      };
    },

    /** Aborts running syncs and fetches of notices, and releases their leases. */
    close: async (graceMs: number): Promise<void> => {
      await Promise.all([runner?.close(graceMs), noticeRunner?.close(graceMs)]);
    },
  };
}
