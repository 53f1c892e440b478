import type { ExportKind } from '../privacy/export-source.ts';

/** A collection with data about people, the steps that erase it, and the kinds of an export that have it. */
type PersonalEntry = {
  fields: string;
  /** Names of the steps. */
  erasedBy: readonly string[];
} & ({ exportedAs: readonly ExportKind[] } | { whyNotExported: string });

/** Why a collection holds nothing about the people that tenants talk to. */
interface ImpersonalEntry {
  none: string;
}

/**
 * Every collection of the service: what it holds about people and what erases that, or why it holds nothing. A test
 * fails when a collection is missing here, or when a listed step does not exist or does not erase from the collection.
 */
export const PERSONAL_DATA: Readonly<Record<string, PersonalEntry | ImpersonalEntry>> = {
  conversations: {
    fields: 'visitorId, identity, resolution, goal, conversion, outcome',
    erasedBy: ['conversations', 'conversationLabels'],
    exportedAs: ['conversations', 'conversationIds', 'outcomes'],
  },
  conversationMessages: {
    fields: 'text',
    erasedBy: ['importRecords', 'conversations', 'conversationTexts'],
    exportedAs: ['conversations'],
  },
  conversationRecords: {
    fields: 'data of conversions, resolutions and handoffs',
    erasedBy: ['importRecords', 'conversations', 'conversationRecords'],
    exportedAs: ['conversationRecords'],
  },
  stagedConversations: {
    fields: 'publication of an interrupted import',
    erasedBy: ['importRecords'],
    whyNotExported: 'Conversations that the next import stores or discards.',
  },
  previewEvents: {
    fields: 'visitorId, goal, properties',
    erasedBy: ['previewEvents', 'previewEventTexts'],
    exportedAs: ['previewEvents'],
  },
  webhookEvents: {
    fields: 'payload, source',
    erasedBy: ['events', 'eventTexts', 'conversations'],
    exportedAs: ['events'],
  },
  conversationTimelines: {
    fields: 'payload',
    erasedBy: ['archivedEvents', 'archivedEventTexts', 'conversations'],
    exportedAs: ['archivedEvents'],
  },
  webhookDeliveries: {
    fields: 'attempts.responseBody, attempts.responseHeaders',
    erasedBy: ['events', 'responseBodies', 'conversations'],
    exportedAs: ['deliveries'],
  },
  idempotencyKeys: {
    fields: 'key, result, response',
    erasedBy: ['idempotencyAnswers'],
    whyNotExported: 'Copies of answers for a day; the objects are exported.',
  },
  meetings: {
    fields: 'title, participantsJson, summaryText, terms',
    erasedBy: ['meetings', 'transcripts', 'providerRecords'],
    exportedAs: ['meetings'],
  },
  meetingTranscripts: {
    fields: 'transcriptJson',
    erasedBy: ['meetings', 'transcripts', 'providerRecords'],
    exportedAs: ['transcripts'],
  },
  meetingProviderRecords: {
    fields: 'data',
    erasedBy: ['meetings', 'transcripts', 'providerRecords'],
    exportedAs: ['providerRecords'],
  },
  meetingActivities: {
    fields: 'personExternalId, properties',
    erasedBy: ['meetings', 'transcripts', 'providerRecords', 'activities'],
    exportedAs: ['activities'],
  },
  meetingPostings: {
    fields: 'words',
    erasedBy: ['searchPostings'],
    whyNotExported: 'The words of exported meetings, for the search.',
  },
  meetingSearchStates: { none: 'Counters of the search index.' },
  erasures: {
    none: 'Receipts have counts only. The identifiers of a running erasure are encrypted, and removed at its end.',
  },
  abortedErasures: {
    none: 'Identifiers that an aborted erasure has found, encrypted; removed when the next one completes, or after seven days.',
  },
  exportLeases: { none: 'Leases.' },
  suppressions: { none: 'Keyed hashes of identifiers of people and meetings.' },
  retentionPolicies: { none: 'Numbers of days, counts, and ids of what is being removed.' },
  privacyKeys: { none: 'Encrypted keys.' },
  meetingRecordKeys: { none: 'Encrypted keys.' },
  auditIntents: { none: 'Administrative acts: ids and names of keys, ids of objects, and settings.' },
  auditEntries: { none: 'Administrative acts: ids and names of keys, ids of objects, and settings.' },
  auditHeads: { none: 'Hashes of the audit logs, and settings of the service.' },
  tenants: { none: 'Organizations, not the people that they talk to.' },
  apiKeys: { none: 'Hashes and settings of keys, and the addresses of the systems that use them.' },
  webhookEndpoints: { none: 'Settings that operators enter.' },
  webhookEndpointCounts: { none: 'Counters.' },
  webhookStatistics: { none: 'Counters.' },
  webhookRecoveries: { none: 'Ids of events and deliveries.' },
  webhookSendQuotas: { none: 'Counters.' },
  eventLog: { none: 'Ids of events and their order.' },
  eventLogs: { none: 'Positions in the events of customers.' },
  eventFeeds: { none: 'Positions, and names of feeds and of their consumers.' },
  eventSequencer: { none: 'A position in the changes of the database.' },
  conversationImportLeases: { none: 'Leases.' },
  recorderConnections: { none: 'Encrypted keys and times.' },
  recorderMappings: { none: 'Names of fields.' },
  recorderNotices: { none: 'Ids of meetings, for three days.' },
  meetingSyncRuns: { none: 'Counts, times, and warnings that never quote a value.' },
  meetingSyncLog: { none: 'Counts and reasons without values.' },
  connectorPacing: { none: 'Times of requests.' },
  driftAlertStates: { none: 'Scores of features.' },
  driftAlerts: {
    fields: 'features.exampleIds',
    erasedBy: ['driftAlertEvents'],
    whyNotExported: 'Events of alerts, which belong to no customer; only admins read them.',
  },
  driftAlertRecords: {
    fields: 'features.exampleIds',
    erasedBy: ['driftAlertRecords'],
    whyNotExported: 'Alerts, which belong to no customer; only admins read them.',
  },
  driftMutes: { none: 'Names of features, and notes of operators.' },
  driftPlannedChanges: { none: 'Times, and notes of operators.' },
  rateWindows: { none: 'Counters.' },
  quotaWindows: { none: 'Counters.' },
  counters: { none: 'Counters.' },
  coherence: { none: 'Topics of caches.' },
  checkpoints: { none: 'Positions of jobs.' },
};
