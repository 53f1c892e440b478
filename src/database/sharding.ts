import mongoose from 'mongoose';
import { JOBS_COLLECTION } from '../jobs/job-runs.ts';
import type { IndexDescription, ShardedCollection, ShardKey } from '../platform/mongo/shard-plan.ts';
import { listModels, modelsOf } from './models.ts';

/** Collections that stay on the primary shard of the database, each with the reason. */
export const UNSHARDED: Readonly<Record<string, string>> = {
  tenants: 'One small document per tenant; the organization id is unique over all tenants.',
  apiKeys: 'One small document per key, found by a hash that is unique over all tenants.',
  auditIntents: 'One small document per administrative act in progress.',
  auditEntries: 'One small document per administrative act, committed with the head of its log.',
  auditHeads: 'One small document per tenant.',
  webhookEndpoints: 'A few documents per tenant; their numbers are unique over all tenants.',
  webhookEndpointCounts: 'One counter per tenant.',
  webhookSendQuotas: 'One small document per endpoint with a rate limit.',
  webhookRecoveries: 'One document per recovery in progress.',
  eventLogs: 'One small document per tenant with event feeds, read over all tenants by the sequencer.',
  eventFeeds: 'At most 100 small documents per tenant.',
  eventSequencer: 'One document: the position of the sequencer.',
  conversationImportLeases: 'One lease per tenant that has imported.',
  stagedConversations: 'Holds a conversation only during its import, and reserves its id over all tenants.',
  recorderConnections: 'At most one document per tenant, read over all tenants by schedule.',
  recorderNotices:
    'One small document per webhook of the provider for 3 days, claimed over all tenants in order.',
  recorderMappings: 'At most one document per tenant.',
  meetingRecordKeys: 'At most one small document per tenant, read over all tenants by a rotation.',
  meetingSyncRuns: 'One small document per sync for 180 days, claimed over all tenants in order.',
  meetingSearchStates: 'One small document per tenant, read over all tenants by the indexer.',
  connectorPacing: 'One document per provider key in use.',
  driftAlertStates: 'One document per scope of drift checks: all samples, and each stage.',
  driftAlerts: 'One document per event of an alert until it is published, a few at a time.',
  driftAlertRecords: 'One small document per alert, until 400 days after it is cleared.',
  driftMutes: 'One small document per muted feature, at most 1,000.',
  driftPlannedChanges: 'One small document per planned change, at most 5,000.',
  erasures: 'One small receipt per erasure, claimed over all tenants in order.',
  abortedErasures: 'One small document per person whose erasure was aborted, for seven days.',
  exportLeases: 'One lease per tenant that has exported.',
  suppressions: 'One hash per identifier, at most 200,000 per tenant and in memory.',
  retentionPolicies: 'At most one small document per tenant, claimed over all tenants in order.',
  privacyKeys: 'At most one small document per tenant.',
  rateWindows: 'One counter per limit and minute.',
  quotaWindows: 'One counter per API key in use, two per customer.',
  counters: 'One document per sequence.',
  coherence: 'One small document per process that caches, and one per change in progress.',
  checkpoints: 'One document per job that reads a collection in order.',
  [JOBS_COLLECTION]: 'One document per recurring job.',
};

/** Returns the collections whose schema declares a `shardKey`. Needs no database. */
export function shardedCollections(): ShardedCollection[] {
  const models = listModels(modelsOf(mongoose.createConnection()));
  return models.flatMap(({ schema, collection: { collectionName } }) => {
    const key = schema.get('shardKey') as ShardKey | undefined;
    if (!key) return [];
    const indexes = schema.indexes().map(([fields, options]) => ({ key: fields, ...options }));
    return [{ collection: collectionName, key, indexes: indexes as IndexDescription[] }];
  });
}
