import type { QueryKey } from '@tanstack/react-query';

type CustomerId = number | null;
type Model = string | null;
type Stage = string | null;

/**
 * Keys of all cached queries. Invalidating a key refetches every query whose key starts with it. Data of a customer has
 * the customer's ID in its key; the keys without one are of data that the service has once.
 */
export const queryKeys = {
  health: ['health'],
  eventTypes: ['event-types'],
  eventExamples: ['event-types', 'examples'],
  apiKeys: ['api-keys'],
  sessions: ['sessions'],
  customers: ['customers'],
  customerOptions: ['customers', 'options'],
  customerName: (customerId: CustomerId) => ['customer-name', customerId],
  customerHealth: (customerId: number) => ['customer-health', customerId],
  customerDeletion: (customerId: number) => ['customer-deletion', customerId],
  customerDeletionPreview: (customerId: number) => ['customer-deletion-preview', customerId],
  customerCheck: (customerId: CustomerId) => ['customer-check', customerId],
  auditLog: (customerId: CustomerId, action: string | null) => ['audit-log', customerId, action],
  retention: (customerId: CustomerId) => ['retention', customerId],
  retentionPreview: (customerId: CustomerId, changes: object) => [
    'retention',
    customerId,
    'preview',
    changes,
  ],
  erasures: (customerId: CustomerId) => ['erasures', customerId],
  erasure: (customerId: CustomerId, id: string) => ['erasures', customerId, id],
  activity: (customerId: CustomerId) => ['activity', customerId],
  latestFailed: (customerId: CustomerId) => ['latest-failed', customerId],

  endpoints: (customerId: CustomerId) => ['endpoints', customerId],
  endpoint: (customerId: CustomerId, id: number) => ['endpoints', customerId, id],
  endpointStatistics: (customerId: CustomerId, id: number) => ['endpoints', customerId, id, 'statistics'],
  endpointCatchUp: (customerId: CustomerId, id: number) => ['endpoints', customerId, id, 'catch-up'],
  /** @param fields `monitored` and `listed` add different deliveries to each endpoint */
  endpointList: (
    customerId: CustomerId,
    fields: 'plain' | 'listed' | 'monitored' | 'results' | 'backlogs',
  ) => ['endpoints', customerId, fields],
  deliveries: (customerId: CustomerId, filter: object) => ['deliveries', customerId, filter],
  delivery: (customerId: CustomerId, id: string) => ['delivery', customerId, id],
  deliverySubject: (customerId: CustomerId, id: string) => ['delivery-subject', customerId, id],
  eventFeeds: (customerId: CustomerId) => ['event-feeds', customerId],
  explanation: (customerId: CustomerId, endpointId: number, eventId: string) => [
    'explanation',
    customerId,
    endpointId,
    eventId,
  ],

  conversations: (customerId: CustomerId) => ['conversations', customerId],
  conversationList: (customerId: CustomerId, filters: object) => ['conversations', customerId, filters],
  handoffQueue: (customerId: CustomerId) => ['conversations', customerId, 'handed-off'],
  recentOutcomes: (customerId: CustomerId) => ['recent-outcomes', customerId],
  conversation: (customerId: CustomerId, id: string) => ['conversation', customerId, id],
  /** Apart from the conversation, because loaded messages and payloads do not change. */
  conversationTranscript: (customerId: CustomerId, id: string) => ['transcript', customerId, id],
  conversationPayloads: (customerId: CustomerId, id: string, eventCount: number) => [
    'conversation-payloads',
    customerId,
    id,
    eventCount,
  ],

  meetings: (customerId: CustomerId) => ['meetings', customerId],
  meetingList: (customerId: CustomerId, filter: object) => ['meetings', customerId, 'list', filter],
  meetingSearch: (customerId: CustomerId, search: object) => ['meetings', customerId, 'search', search],
  meetingSearchBacklog: (customerId: CustomerId) => ['meetings', customerId, 'search-backlog'],
  meetingActivities: (customerId: CustomerId, person: string | null) => [
    'meetings',
    customerId,
    'activities',
    person,
  ],
  meeting: (customerId: CustomerId, id: string) => ['meetings', customerId, 'one', id],
  meetingTranscript: (customerId: CustomerId, id: string) => ['meetings', customerId, 'transcript', id],

  /** Connection to the meeting provider, its webhook and its syncs. */
  recorder: (customerId: CustomerId) => ['recorder', customerId],
  recorderConnection: (customerId: CustomerId) => ['recorder', customerId, 'connection'],
  recorderWebhook: (customerId: CustomerId) => ['recorder', customerId, 'webhook'],
  syncRuns: (customerId: CustomerId) => ['recorder', customerId, 'runs'],
  newestSyncRuns: (customerId: CustomerId) => ['recorder', customerId, 'newest-runs'],
  syncRun: (customerId: CustomerId, id: string) => ['recorder', customerId, 'run', id],
  /** @param status status of the sync: the log is loaded again when it changes */
  syncLog: (customerId: CustomerId, id: string, status: string) => [
    'recorder',
    customerId,
    'log',
    id,
    status,
  ],
  fieldMapping: (customerId: CustomerId) => ['recorder-mapping', customerId],
  reprojection: (customerId: CustomerId) => ['reprojection', customerId],

  /** Without a customer: all customers share the scoring models. A null model is the default one, a null stage all samples. */
  drift: ['drift'],
  driftModels: ['drift', 'models'],
  driftStages: (model: Model) => ['drift', 'stages', model],
  driftStatus: (model: Model, stage: Stage) => ['drift', 'status', model, stage],
  driftHistory: (model: Model, stage: Stage, feature: string | null) => [
    'drift',
    'history',
    model,
    stage,
    feature,
  ],
  driftFeature: (model: Model, stage: Stage, feature: string) => ['drift', 'feature', model, stage, feature],
  driftFeatureSettings: (model: Model) => ['drift', 'settings', model],
  driftAlerts: (model: Model, stage: Stage) => ['drift', 'alerts', model, stage],
  driftMutes: (model: Model) => ['drift', 'mutes', model],
  driftPlannedChanges: (model: Model, stage: Stage) => ['drift', 'planned-changes', model, stage],
  driftPerformance: (model: Model, stage: Stage) => ['drift', 'performance', model, stage],
} satisfies Record<string, QueryKey | ((...parts: never[]) => QueryKey)>;
