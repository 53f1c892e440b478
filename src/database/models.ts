import type { Connection } from 'mongoose';
import { auditEntryModel, auditHeadModel, auditIntentModel } from '../features/audit/audit.model.ts';
import {
  conversationModel,
  messageModel,
  milestoneModel,
} from '../features/conversations/conversations.model.ts';
import { importLeaseModel, stagedConversationModel } from '../features/conversations/import/import.model.ts';
import { alertEventModel, alertModel, alertStateModel } from '../features/drift/alerts/drift-alert.model.ts';
import { featureMuteModel } from '../features/drift/alerts/feature-mute.model.ts';
import { plannedChangeModel } from '../features/drift/planned-changes/planned-change.model.ts';
import { abortedErasureModel, erasureModel } from '../features/erasure/erasures.model.ts';
import { eventFeedModel } from '../features/event-feeds/event-feed.model.ts';
import { logEntryModel, logModel, sequencerModel } from '../features/event-feeds/event-log.model.ts';
import { exportLeaseModel } from '../features/export/export.model.ts';
import { connectionModel } from '../features/meetings/connection/connection.model.ts';
import { mappingModel } from '../features/meetings/mapping/mapping.model.ts';
import { providerPacingModel } from '../features/meetings/provider/pacing.model.ts';
import {
  providerRecordModel,
  recordKeyModel,
} from '../features/meetings/provider-records/provider-records.model.ts';
import { postingsModel, searchStateModel } from '../features/meetings/search/search-index.model.ts';
import {
  activityModel,
  meetingModel,
  transcriptModel,
} from '../features/meetings/stored-meetings/meetings.model.ts';
import { syncLogModel } from '../features/meetings/sync/sync-log.model.ts';
import { syncRunModel } from '../features/meetings/sync/sync-runs.model.ts';
import { noticeModel } from '../features/meetings/webhook/notice.model.ts';
import { eventModel } from '../features/outbox/outbox-event.model.ts';
import { archivedEventModel } from '../features/outbox/timeline-archive.model.ts';
import { previewEventModel } from '../features/preview-events/preview-event.model.ts';
import { privacyKeyModel, suppressionModel } from '../features/privacy/privacy.model.ts';
import { retentionPolicyModel } from '../features/retention/retention-policy.model.ts';
import { apiKeyModel, tenantModel } from '../features/tenants/tenants.model.ts';
import { deliveryModel } from '../features/webhooks/delivery/delivery.model.ts';
import { sendQuotaModel } from '../features/webhooks/delivery/send-quota.store.ts';
import { recoveryModel } from '../features/webhooks/delivery/sweep/recovery.model.ts';
import { endpointCountModel, endpointModel } from '../features/webhooks/endpoints/endpoint.model.ts';
import { statisticsModel } from '../features/webhooks/statistics/statistics.model.ts';
import { rateWindowModel } from '../limits/rate-windows.ts';
import { quotaWindowModel } from '../limits/shared-quota.ts';
import { atMost } from '../platform/at-most.ts';
import { coherenceModel } from '../platform/coherence/coherence.store.ts';
import { idempotencyModel } from '../platform/commit/idempotency/idempotency.model.ts';
import { checkpointModel } from '../platform/mongo/checkpoint.ts';
import { type ConnectOptions, connectMongo } from '../platform/mongo/connect.ts';
import { createIndexes, type DeclaredModel } from '../platform/mongo/create-indexes.ts';
import { limitReads } from '../platform/mongo/read-limits.ts';
import { counterModel } from '../platform/mongo/sequence.ts';
import { untilAvailable } from '../platform/mongo/until-available.ts';

/** Returns all models of a connection. */
export const modelsOf = (connection: Connection) => ({
  Tenant: tenantModel(connection),
  ApiKey: apiKeyModel(connection),
  AuditIntent: auditIntentModel(connection),
  AuditEntry: auditEntryModel(connection),
  AuditHead: auditHeadModel(connection),
  Endpoint: endpointModel(connection),
  EndpointCount: endpointCountModel(connection),
  Event: eventModel(connection),
  ArchivedEvent: archivedEventModel(connection),
  Delivery: deliveryModel(connection),
  EventLogEntry: logEntryModel(connection),
  EventLog: logModel(connection),
  EventSequencer: sequencerModel(connection),
  EventFeed: eventFeedModel(connection),
  Recovery: recoveryModel(connection),
  SendQuota: sendQuotaModel(connection),
  WebhookStatistics: statisticsModel(connection),
  Conversation: conversationModel(connection),
  Message: messageModel(connection),
  ConversationMilestone: milestoneModel(connection),
  ConversationImportLease: importLeaseModel(connection),
  StagedConversation: stagedConversationModel(connection),
  PreviewEvent: previewEventModel(connection),
  Idempotency: idempotencyModel(connection),
  ProviderConnection: connectionModel(connection),
  FieldMappings: mappingModel(connection),
  MeetingSyncRun: syncRunModel(connection),
  MeetingSyncLog: syncLogModel(connection),
  Meeting: meetingModel(connection),
  MeetingTranscript: transcriptModel(connection),
  MeetingProviderRecord: providerRecordModel(connection),
  MeetingRecordKey: recordKeyModel(connection),
  MeetingActivity: activityModel(connection),
  DriftAlertState: alertStateModel(connection),
  DriftAlertEvent: alertEventModel(connection),
  DriftAlert: alertModel(connection),
  DriftMute: featureMuteModel(connection),
  DriftPlannedChange: plannedChangeModel(connection),
  MeetingPostings: postingsModel(connection),
  MeetingSearchState: searchStateModel(connection),
  ProviderPacing: providerPacingModel(connection),
  ProviderNotice: noticeModel(connection),
  Erasure: erasureModel(connection),
  AbortedErasure: abortedErasureModel(connection),
  ExportLease: exportLeaseModel(connection),
  Suppression: suppressionModel(connection),
  PrivacyKey: privacyKeyModel(connection),
  RetentionPolicy: retentionPolicyModel(connection),
  RateWindow: rateWindowModel(connection),
  QuotaWindow: quotaWindowModel(connection),
  Counter: counterModel(connection),
  Coherence: coherenceModel(connection),
  Checkpoint: checkpointModel(connection),
});

export type Models = ReturnType<typeof modelsOf>;

export const listModels = (models: Models): DeclaredModel[] => Object.values(models);

export interface Database {
  connection: Connection;
  models: Models;
}

/** Collections that a start creates at once: all of them together would exceed the wait for a connection on a busy machine. */
const MAX_CREATED_AT_ONCE = 8;

/** Connects to the database and creates missing collections and indexes. */
export async function openDatabase(uri: string, options: ConnectOptions = {}): Promise<Database> {
  const connection = await connectMongo(uri, options);
  limitReads(connection);
  const models = modelsOf(connection);
  // One command instead of one per collection: all but the first start find them all.
  const collections = await untilAvailable(() => connection.listCollections());
  const existing = new Set(collections.map(({ name }) => name));
  await atMost(MAX_CREATED_AT_ONCE, listModels(models), (model) =>
    untilAvailable(async () => {
      if (!existing.has(model.collection.collectionName)) await model.createCollection();
      await createIndexes(model);
    }),
  );
  return { connection, models };
}
