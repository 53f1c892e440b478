import type * as preview from './generated/preview.ts';
import type * as rpc from './generated/rpc.ts';
import type * as v1 from './generated/v1.ts';

type V1 = v1.components['schemas'];
type Preview = preview.components['schemas'];
type Rpc = rpc.components['schemas'];

/** Query parameters of an operation. */
type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never;
/** Accepts a `Date` for members that are ISO 8601 strings. */
type DatesFor<T, K extends keyof T> = Omit<T, K> & { [P in keyof Pick<T, K>]: T[P] | Date };
/** Parameters of a list, except the parameter that selects a page: the client sets it. */
type ListParams<O> = Omit<QueryOf<O>, 'cursor' | 'starting_after'>;

/** Error code of the service. */
export type ErrorCode = V1['ErrorCode'];
/** A problem of the input. */
export type ErrorDetail = V1['ErrorDetail'];

/** A webhook endpoint. */
export type WebhookEndpoint = V1['WebhookEndpoint'];
/** Settings of a new webhook endpoint. */
export type CreateWebhookEndpointInput = V1['CreateWebhookEndpointInput'];
/** A new webhook endpoint with its signing secret, which is returned only once. */
export type CreatedWebhookEndpoint = V1['CreatedWebhookEndpoint'];
/** Changes to a webhook endpoint; an omitted field keeps its value. */
export type UpdateWebhookEndpointInput = V1['UpdateWebhookEndpointInput'];
/** Confirmation that a webhook endpoint was deleted. */
export type DeletedWebhookEndpoint = V1['DeletedWebhookEndpoint'];
/** The new signing secret of a webhook endpoint. */
export type RotatedWebhookSecret = V1['RotatedWebhookSecret'];
/** How long a rotated secret and the previous one both sign. */
export type RotateWebhookSecretInput = V1['RotateWebhookSecretInput'];
/** Time range of the failed and cancelled deliveries to send again. */
export type RecoverWebhookDeliveriesInput = DatesFor<V1['RecoverWebhookDeliveriesInput'], 'since' | 'until'>;
/** The result of starting a recovery, or of its dry run. */
export type RecoveredDeliveries = V1['RecoveredDeliveries'];
/** Selection of the deliveries to send again. */
export type ReplayWebhookDeliveriesInput = DatesFor<V1['ReplayWebhookDeliveriesInput'], 'since' | 'until'>;
/** The result of starting a replay, or of its dry run. */
export type ReplayedDeliveries = V1['ReplayedDeliveries'];
/** Selection of the scheduled retries to make due. */
export type RetryWebhookBacklogInput = DatesFor<V1['RetryWebhookBacklogInput'], 'since' | 'until'>;
/** The result of retrying a backlog, or of its dry run. */
export type RetriedWebhookBacklog = V1['RetriedWebhookBacklog'];
/** The result of cancelling a backlog. */
export type CancelledWebhookBacklog = V1['CancelledWebhookBacklog'];
/** Event type of a test event, and its data. */
export type SendTestWebhookInput = V1['SendTestWebhookInput'];
/** Results of the attempts to a webhook endpoint, in total and by step. */
export type WebhookStatistics = V1['WebhookStatistics'];
/** Results of the attempts to a webhook endpoint in one hour or day. */
export type WebhookStepStatistics = V1['WebhookStepStatistics'];
/** Time range of statistics, and the length of their steps. */
export type WebhookStatisticsParams = DatesFor<
  QueryOf<v1.operations['getWebhookEndpointStatistics']>,
  'since' | 'until'
>;
/** Filters and page size of a list of webhook endpoints. */
export type ListWebhookEndpointsParams = ListParams<v1.operations['listWebhookEndpoints']>;

/** The delivery of one event to one endpoint. */
export type WebhookDelivery = V1['WebhookDelivery'];
/** A delivery with the body sent and all attempts. */
export type WebhookDeliveryDetail = V1['WebhookDeliveryDetail'];
/** One attempt to deliver an event. */
export type DeliveryAttempt = V1['DeliveryAttempt'];
/** Filters and page size of a list of deliveries. */
export type ListWebhookDeliveriesParams = ListParams<v1.operations['listWebhookDeliveries']>;

/** A published event with its payload and its deliveries. */
export type PublishedEvent = V1['PublishedEvent'];
/** Filters and page size of a list of published events. */
export type ListPublishedEventsParams = DatesFor<
  ListParams<v1.operations['listPublishedEvents']>,
  'since' | 'until'
>;
/** Names a person to erase, and how. */
export type ErasePersonInput = V1['ErasePersonInput'];
/** Names people to erase, and how. */
export type ErasePeopleInput = V1['ErasePeopleInput'];
/** The erasures of a list of people. */
export type StartedErasures = V1['StartedErasures'];
/** An erasure: its progress, and afterwards its receipt. */
export type Erasure = V1['Erasure'];
/** Numbers of the objects that a deletion removed. */
export type Deletion = V1['Deletion'];
/** Whether a deleted meeting is suppressed. */
export type DeleteMeetingParams = QueryOf<v1.operations['deleteMeeting']>;
/** A suppressed identifier, as a hash. */
export type Suppression = V1['Suppression'];
/** Retention times of a customer, and what the latest run has removed. */
export type Retention = V1['Retention'];
/** Numbers of objects by the kind of their retention. */
export type RetentionCounts = V1['RetentionCounts'];
/** Retention times to preview. */
export type PreviewRetentionParams = QueryOf<v1.operations['retentionPreview']>;
/** Retention times to change. */
export type UpdateRetentionInput = V1['UpdateRetentionInput'];
/** Page size of a list of erasures. */
export type ListErasuresParams = ListParams<v1.operations['listErasures']>;

export type ExportCustomerParams = QueryOf<v1.operations['exportCustomer']>;

/**
 * A line of an export: a row of a kind, a cursor with which an interrupted export continues, or the end. Without the end,
 * the export is not complete.
 */
export type ExportLine =
  | { kind: string; row: Record<string, unknown> }
  | { cursor: string }
  | { end: true; rows: number };
/** Page size of a list of suppressed identifiers. */
export type ListSuppressionsParams = ListParams<v1.operations['listSuppressions']>;

/** Why an endpoint received an event, or did not. */
export type DeliveryExplanation = V1['DeliveryExplanation'];
/** Events of a feed after a position. */
export type EventFeedPage = V1['EventFeedPage'];
/** A feed and its stored position. */
export type EventFeed = V1['EventFeed'];

export type EventFeedStatus = V1['EventFeedStatus'];
/** Position, filters and wait of a pull. */
export type PullEventFeedParams = QueryOf<v1.operations['pullEventFeed']>;
/** Position up to which events are processed. */
export type AcknowledgeEventFeedInput = V1['AckEventFeedInput'];
/** New position of a feed. */
export type SeekEventFeedInput = V1['SeekEventFeedInput'];

/** Status of a delivery. */
export type WebhookDeliveryStatus = V1['WebhookDeliveryStatus'];
/** How `webhook-signature` is signed. */
export type WebhookSigning = V1['WebhookSigning'];
/** Body of the deliveries to an endpoint. */
export type WebhookPayload = V1['WebhookPayload'];
/** Order in which an endpoint receives deliveries. */
export type WebhookOrdering = V1['WebhookOrdering'];
/** Reason why an attempt that is due has not begun. */
export type WebhookWaitReason = V1['WebhookWaitReason'];
/** Reason why a failed delivery has no further attempt. */
export type WebhookFailureReason = V1['WebhookFailureReason'];
/** Reason why an endpoint is disabled. */
export type WebhookDisabledReason = V1['WebhookDisabledReason'];

/** A type of event that webhook endpoints can receive. */
export type EventType = V1['EventType'];

/** A customer of the service. */
export type Customer = V1['Tenant'];
/** Confirms the deletion of a customer, and says how. */
export type DeleteCustomerInput = V1['DeleteTenantInput'];
/** The deletion of a customer: its progress, and afterwards its receipt. */
export type CustomerDeletion = V1['TenantDeletion'];
/** Metadata of an API key. */
export type ApiKey = V1['ApiKey'];
/** A new API key, which is returned only once. */
export type CreatedApiKey = V1['CreatedApiKey'];
/** Properties of a new API key. */
export type CreateApiKeyInput = DatesFor<V1['CreateApiKeyInput'], 'expiresAt'>;
/** Changes of an API key; an omitted property stays as it is. */
export type UpdateApiKeyInput = DatesFor<V1['UpdateApiKeyInput'], 'expiresAt'>;
/** How long the previous key stays valid. */
export type RotateApiKeyInput = V1['RotateApiKeyInput'];
/** Filters and page size of a list of API keys. */
export type ListApiKeysParams = ListParams<v1.operations['listApiKeys']>;
/** Permission of an API key. */
export type KeyScope = V1['KeyScope'];
/** State of an API key. */
export type KeyState = V1['KeyState'];

/** An entry of the audit log. */
export type AuditEntry = V1['AuditEntry'];
/** Filters and page size of a list of audit entries. */
export type ListAuditEntriesParams = ListParams<v1.operations['listAuditEntries']>;
/** Type of the actor of an act. */
export type AuditActorType = V1['AuditActorType'];
/** How an act ended. */
export type AuditOutcome = V1['AuditOutcome'];

/** A conversation in a list. */
export type ConversationItem = Preview['ConversationItem'];
/** A conversation with its transcript, identity and conversion. */
export type ConversationDetail = Preview['ConversationDetail'];
/** Status of a conversation. */
export type ConversationStatus = Preview['ConversationStatus'];
/** A message of a transcript. */
export type TranscriptMessage = Preview['TranscriptMessage'];
/** Filters and page size of a list of conversations. */
export type ListConversationsParams = DatesFor<ListParams<preview.operations['listConversations']>, 'since'>;
/** An event to record. */
export type CreateEventInput = DatesFor<Preview['CreateEventInput'], 'occurred_at'>;
/** A recorded event. */
export type RecordedEvent = Preview['Event'];
/** Filters and page size of a list of events. */
export type ListEventsParams = DatesFor<ListParams<preview.operations['listEvents']>, 'since' | 'until'>;

/** Drift of the scoring model. */
export type DriftStatus = Rpc['DriftStatus'];
/** Samples that a drift status covers. */
export type DriftStatusParams = QueryOf<rpc.operations['driftStatus']>;
/** Drift of one feature, with the histograms of both sets. */
export type DriftFeature = Rpc['DriftFeature'];
/** Feature and samples of a histogram. */
export type DriftFeatureParams = QueryOf<rpc.operations['driftFeature']>;
/** Performance of the scoring model by week. */
export type DriftPerformance = Rpc['DriftPerformance'];
/** Samples whose performance is returned. */
export type DriftPerformanceParams = QueryOf<rpc.operations['driftPerformance']>;
/** A funnel stage that has samples. */
export type DriftStage = Rpc['DriftStage'];
/** Model whose stages or settings are returned. */
export type DriftModelParams = QueryOf<rpc.operations['driftStages']>;
/** Weight and threshold of a feature. */
export type DriftFeatureSetting = Rpc['DriftFeatureSetting'];
/** New weights and thresholds of all features. */
export type SetDriftFeatureSettingsInput = Rpc['SetDriftFeatureSettingsInput'];
/** A completed drift check. */
export type DriftCheck = Rpc['DriftCheck'];
/** The result of a drift check. */
export type DriftCheckResult = Rpc['DriftCheckResult'];
/** Filters of the history of drift checks. */
export type DriftHistoryParams = QueryOf<rpc.operations['driftHistory']>;
/** What a drift check compares the current rows with. */
export type DriftReference = Rpc['DriftReference'];
/** Samples that a drift check uses, and the end of their current window. */
export type TriggerDriftCheckInput = DatesFor<Rpc['TriggerDriftCheckInput'], 'at'>;

/** One drift, from its detection until it is cleared. */
export type DriftAlert = Rpc['DriftAlert'];
/** Filters of the list of drift alerts. */
export type DriftAlertsParams = QueryOf<rpc.operations['driftAlerts']>;
/** Note and end of the acknowledgement of a drift alert. */
export type AcknowledgeDriftAlertInput = DatesFor<Rpc['AcknowledgeDriftAlertInput'], 'until'>;
/** A feature whose drift raises no alert. */
export type DriftMute = Rpc['DriftMute'];
/** Filters of the list of muted features. */
export type DriftMutesParams = QueryOf<rpc.operations['driftMutes']>;
/** Feature to mute, where, and until when. */
export type MuteDriftFeatureInput = DatesFor<Rpc['MuteDriftFeatureInput'], 'until'>;
/** Feature to unmute, and where. */
export type UnmuteDriftFeatureInput = Rpc['UnmuteDriftFeatureInput'];
/** A change that can move drift scores. */
export type DriftPlannedChange = Rpc['DriftPlannedChange'];
/** Time range and filters of the list of planned changes. */
export type DriftPlannedChangesParams = DatesFor<
  QueryOf<rpc.operations['driftPlannedChanges']>,
  'since' | 'until'
>;
/** A planned change to create. */
export type CreateDriftPlannedChangeInput = DatesFor<
  Rpc['CreateDriftPlannedChangeInput'],
  'startsAt' | 'endsAt'
>;

/** Health of the service and its dependencies. */
export type Health = Rpc['Health'];
