import type * as preview from './generated/preview.ts';
import type * as rpc from './generated/rpc.ts';
import type * as v1 from './generated/v1.ts';

type V1 = v1.components['schemas'];
type Preview = preview.components['schemas'];
type Rpc = rpc.components['schemas'];

/** Routes of the service, as the OpenAPI documents name them. */
export type RoutePath =
  | `/api/v1${keyof v1.paths & string}`
  | `/v1${keyof preview.paths & string}`
  | `/api${keyof rpc.paths & string}`
  | '/api/health';

/** Body of a request of an operation. */
type BodyOf<O> = O extends { requestBody?: { content: { 'application/json': infer B } } } ? B : never;
/** Query parameters of an operation. */
type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never;
/** Accepts a `Date` for members that are ISO 8601 strings. */
type DatesFor<T, K extends keyof T> = Omit<T, K> & { [P in K]: T[P] | Date };
/** Parameters of a list, without the one that selects a page: the client sets it. */
type ListParams<O> = Omit<QueryOf<O>, 'cursor' | 'starting_after'>;

/** Error code of the service. */
export type ErrorCode = V1['Error']['error']['code'];
/** A problem of the input. */
export type ErrorDetail = NonNullable<V1['Error']['error']['details']>[number];

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
/** Time range whose failed and cancelled deliveries are sent again. */
export type RecoverInput = DatesFor<BodyOf<v1.operations['recoverWebhookDeliveries']>, 'since' | 'until'>;
/** The result of starting a recovery. */
export type RecoveredDeliveries = V1['RecoveredDeliveries'];
/** Event type of a test event. */
export type TestEventInput = BodyOf<v1.operations['sendTestWebhook']>;
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

/** A type of event that webhook endpoints can receive. */
export type EventType = V1['EventType'];

/** A conversation in a list. */
export type ConversationItem = Preview['ConversationItem'];
/** A conversation with its transcript, identity and conversion. */
export type ConversationDetail = Preview['ConversationDetail'];
/** Filters and page size of a list of conversations. */
export type ListConversationsParams = Omit<ListParams<preview.operations['listConversations']>, 'since'> & {
  /** Only conversations that started at or after this time: a date, ISO 8601 or Unix seconds. */
  since?: Date | string;
};
/** An event to record. */
export type CreateEventInput = DatesFor<BodyOf<preview.operations['createEvent']>, 'occurred_at'>;
/** A recorded event. */
export type RecordedEvent = Preview['Event'];

/** Drift of the scoring model. */
export type DriftStatus = Rpc['DriftStatus'];
/** A completed drift check. */
export type DriftCheck = Rpc['DriftCheck'];
/** The result of a drift check. */
export type DriftCheckResult = Rpc['DriftCheckResult'];
/** Filters of the history of drift checks. */
export type DriftHistoryParams = QueryOf<rpc.operations['driftHistory']>;
/** Samples that a drift check uses. */
export type TriggerDriftCheckInput = BodyOf<rpc.operations['triggerDriftCheck']>;

/** Health of the service and its dependencies. */
export interface Health {
  /** `down` if the database is down, `degraded` if another dependency is. */
  status: 'ok' | 'degraded' | 'down';
  /** ML sidecar; `latencyMs` and `modelVersion` are null if it is down. */
  sidecar: { status: 'up' | 'down'; latencyMs: number | null; modelVersion: string | null };
  /** Database; `latencyMs` is null if it is down. */
  database: { status: 'up' | 'down'; latencyMs: number | null };
  /** Recurring jobs; `lastRunAt` is null if no job has run or the database is down. */
  jobs: { status: 'up' | 'down'; lastRunAt: string | null };
  /** Version of the service. */
  version: string;
  /** Time since the start of the process in seconds. */
  uptimeSeconds: number;
}
