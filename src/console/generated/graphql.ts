/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Status of the re-projection of meeting activities. */
export type ActivityReprojectionStatus =
  /** Interrupted five times without progress. It is attempted again after one or two minutes, then at growing intervals of at most an hour, and is running again as soon as it makes progress. */
  | 'failed'
  /** In progress. After a crash of its process, another one continues. */
  | 'running'
  /** All activities are built by the current mapping. */
  | 'succeeded';

/** Type of the actor of an act. */
export type AuditActorType =
  /** A caller without a valid API key. */
  | 'anonymous'
  /** An operator at the command line. */
  | 'cli'
  /** A recurring job of the service. */
  | 'job'
  /** An API key. */
  | 'key'
  /** A console session of an API key. */
  | 'session';

/** How an act ended. */
export type AuditOutcome =
  /** The act is done. */
  | 'done'
  /** Requests were refused: no valid API key, or not the required scope, resource or network. */
  | 'refused'
  /** The process ended, or the database failed, before the outcome was recorded: the act may be done or not. Or it failed after a part was done, which `after` names. */
  | 'unknown';

/** Health of one component. */
export type ComponentStatus =
  /** The component does not work. */
  | 'down'
  /** The component works. */
  | 'up';

/** Status of a conversation. `active` and `handed_off` are open; the others are terminal. */
export type ConversationStatus =
  /** The visitor talks to the bot. */
  | 'active'
  /** Closed by an operator. */
  | 'closed'
  /** Closed by a bot conversion. */
  | 'converted'
  /** The visitor left, or the conversation timed out. */
  | 'ended'
  /** A human operator was asked to take over. */
  | 'handed_off';

/** Properties of a new API key. */
export type CreateApiKeyInput = {
  /** Customer that the key belongs to; absent or null for an admin key. */
  customerId?: number | null | undefined;
  /** Expiry time; null if the key does not expire, absent for the default of the service. */
  expiresAt?: string | null | undefined;
  /** Name of the key, at most 100 characters. */
  name?: string | null | undefined;
  /** Addresses and CIDR ranges of the clients that may use the key; absent or null for all. */
  networks?: Array<string> | null | undefined;
  /** Resources that the key is limited to, of `webhooks`, `conversations`, `meetings`, `events`, `drift`; absent or null for no limit. */
  resources?: Array<string> | null | undefined;
  /** Scope of the key. */
  scope: KeyScope;
};

/** Properties of a new customer. */
export type CreateTenantInput = {
  /** Positive number; unique. */
  customerId: number;
  /** Name of the customer, at most 500 characters. */
  name: string;
  /** Identifier of the organization; unique, at most 500 characters. */
  orgId: string;
  /** True if a receiver must confirm each new URL of a webhook endpoint by responding to a challenge; false by default. */
  verifyEndpoints?: boolean | null | undefined;
};

/** Settings of a new webhook endpoint. */
export type CreateWebhookEndpointInput = {
  /** How the service authenticates itself to the receiver besides its signatures; omitted or null for no other way. */
  authentication?: WebhookAuthenticationInput | null | undefined;
  /** True to send deliveries whose attempts are exhausted during an outage of the receiver again by themselves, once an attempt succeeds. Default: false. */
  autoRecover?: boolean | null | undefined;
  /** Free-text label; at most 500 characters. */
  description?: string | null | undefined;
  /** Names of the event types to receive, each once; omitted or null to receive all customer events, future ones included. Operational events, such as `endpoint.disabled` and `drift.detected`, and custom ones, such as `custom.page.viewed`, are sent only to endpoints that name them; `custom.*` names all custom ones. At most 100. */
  events?: Array<string> | null | undefined;
  /** Conditions that an event must fulfil to be sent, over its envelope, in MongoDB's query operators: `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`, `$in`, `$nin`, `$exists`, `$not` and `$regex` (syntax of RE2) below the dotted path of a field such as `data.value`, and `$and` and `$or`; at most 4,096 bytes of JSON, five levels, 50 conditions, and five patterns of together 200 instructions (about one for each character or class, counted as often as it is repeated). `$regex` looks at the first 500 characters of a text, and at more if the patterns are smaller; a condition on a list looks at its first 500 items. Null, the default, for none. Test events, resends and recoveries are sent whatever it says. */
  filter?: Record<string, unknown> | null | undefined;
  /** Custom headers of every delivery, as an object of values by name: at most 10; printable ASCII, a value at most 4,096 characters, all together 6,144. The service sets `Host`, `User-Agent`, `Content-…`, `webhook-…`, `X-SVC-…` and the headers of the connection itself. Values are never returned. Null or omitted for none. */
  headers?: Record<string, unknown> | null | undefined;
  /** Order of the deliveries: `none`, the default and the meaning of null, or `conversation`. It applies to the events that are published from now on. */
  ordering?: WebhookOrdering | null | undefined;
  /** True to hold deliveries back: they wait, and are sent once it is false again, oldest first. Events are still accepted. Default: false. */
  paused?: boolean | null | undefined;
  /** Body of the deliveries: `full`, the default and the meaning of null, or `thin`. */
  payload?: WebhookPayload | null | undefined;
  /** Maximum number of attempts in any period, over all processes; deliveries beyond it wait. Null, the default, for none. */
  rateLimit?: WebhookRateLimitInput | null | undefined;
  /** How `webhook-signature` is signed; omitted or null for `hmac`. With `ed25519`, the service creates a key pair. */
  signing?: WebhookSigning | null | undefined;
  /** Time limit of an attempt in seconds, 1 to 30; null, the default, for that of the service, which is 5 seconds unless the operator changes it. */
  timeoutSeconds?: number | null | undefined;
  /** URL that deliveries are posted to: `https:`, without credentials, no private or local target; at most 2,048 characters. */
  url: string;
};

/** Confirms the deletion of a customer, and says how. */
export type DeleteTenantInput = {
  /** What happens to deliveries that are on their way. `finish` also sends those that a suspension has held. */
  deliveries?: ErasureDeliveryPolicy | null | undefined;
  /** True to count only. */
  dryRun?: boolean | null | undefined;
  /** Organization ID of the customer, which confirms that this customer is meant. */
  orgId: string;
};

/** What a drift alert is about. */
export type DriftAlertScope =
  /** One feature, over all samples. */
  | 'feature'
  /** All samples. */
  | 'overall'
  /** One funnel stage. */
  | 'stage';

/** Status of a drift alert. */
export type DriftAlertStatus =
  /** The drift lasts; no reminders are sent until the acknowledgement ends. */
  | 'acknowledged'
  /** The drift lasts; a reminder is sent each week. */
  | 'active'
  /** The drift has ended. */
  | 'cleared';

/** Weight and threshold of a feature. */
export type DriftFeatureSettingInput = {
  /** Name of the feature; `prediction` and `residual` can have a threshold, but no weight. */
  feature: string;
  /** Score above which the feature counts as drifted; null for the general threshold. */
  threshold?: number | null | undefined;
  /** Weight in the mean of the features; 0 excludes the feature from it. */
  weight?: number | null | undefined;
};

/** Type of a planned change. */
export type DriftPlannedChangeType =
  /** A marketing campaign, which changes the visitors. */
  | 'campaign'
  /** Any other change. */
  | 'other'
  /** A release of the product or the model. */
  | 'release';

/** Names the person by one or more identifiers, of which at least one is required. */
export type ErasePersonInput = {
  /** What happens to deliveries that are on their way. */
  deliveries?: ErasureDeliveryPolicy | null | undefined;
  /** True to count only. */
  dryRun?: boolean | null | undefined;
  /** Email address, in upper or lower case. */
  email?: string | null | undefined;
  /** Person ID of an identity or a resolution. */
  resolvedPersonId?: string | null | undefined;
  /** True to store later data of the person without what names them. False only deletes: later data is stored as a whole. */
  suppress?: boolean | null | undefined;
  /** Your identifier of the visitor. */
  visitorId?: string | null | undefined;
};

/** What happens to deliveries that are on their way. */
export type ErasureDeliveryPolicy =
  /** They are removed; an attempt in progress still ends. */
  | 'cancel'
  /** The erasure waits until they have ended, for at most a day. */
  | 'finish';

/** What an erasure counts. */
export type ErasureKind =
  /** Activities of removed meetings. */
  | 'activities'
  /** Attempts of these deliveries, with their response bodies. */
  | 'attempts'
  /** Conversations of the person. */
  | 'conversations'
  /** Conversions of these conversations. */
  | 'conversions'
  /** Deliveries of these events. */
  | 'deliveries'
  /** Webhook events with their payloads. */
  | 'events'
  /** Handoffs of these conversations. */
  | 'handoffs'
  /** Stored answers to requests with an `Idempotency-Key`. */
  | 'idempotency_answers'
  /** Identities of these conversations. */
  | 'identities'
  /** Conversations that an interrupted import had prepared. */
  | 'import_records'
  /** Meetings with other guests, from which the person's part is removed. */
  | 'meeting_participations'
  /** Meetings whose only guest was the person. */
  | 'meetings'
  /** Messages of these conversations. */
  | 'messages'
  /** Outcome grades of these conversations. */
  | 'outcomes'
  /** Events of custom types. */
  | 'preview_events'
  /** Records of the meeting provider. */
  | 'provider_records'
  /** Texts of other people in which mentions of the person are replaced by `[erased]`. */
  | 'redacted_texts'
  /** Resolutions of these conversations. */
  | 'resolutions'
  /** Groups of the search index, which are built again without the person. */
  | 'search_postings'
  /** Transcripts of removed meetings. */
  | 'transcripts';

/** Status of an erasure. */
export type ErasureStatus =
  /** It ended early; `error` has the cause. */
  | 'aborted'
  /** Everything that was found is erased; of a dry run: everything is counted. */
  | 'completed'
  /** In progress. After a crash of its process, another one continues. */
  | 'running';

/** Type of the values of a feature. */
export type FeatureType =
  /** Strings only. */
  | 'categorical'
  /** At least one set has a number. */
  | 'numeric';

/** Maps one field of a provider's meeting to one field of its activity. */
export type FieldMappingInput = {
  /** True if every activity must have the field. Defaults to true for `externalId` and `occurredAt`, which require it, and to false otherwise. Only fields that the provider always sends can be required. */
  required?: boolean | null | undefined;
  /** JSON pointer (RFC 6901). Below `/@meeting` are the fields of every meeting, whatever the provider; the name in parentheses is accepted as well: `/@meeting/id` (`id`), `/@meeting/title` (`title`), `/@meeting/created_at` (`created_at`), `/@meeting/started_at` (`started_at`), `/@meeting/duration_seconds` (`duration_seconds`), `/@meeting/participant_email` (`participants[0].email`), `/@meeting/participant_name` (`participants[0].name`), `/@meeting/summary` (`summary`). `/@meeting/participant_email` is the address of the first participant who has one. Any other pointer leads into the provider's record of the meeting, without its transcript, such as `/crm/deals/0/name`. */
  sourceField: string;
  /** Field of the activity: `externalId` (from `/@meeting/id` only, prefixed with `recorder_`), `occurredAt` (from `/@meeting/created_at` or `/@meeting/started_at`), `personExternalId` (from text, or from a number in the provider's record) or `properties.<name>`. */
  targetField: string;
  /** Transformation of the value; `lowercase` and `trim` apply to text only. */
  transform?: FieldTransform | null | undefined;
};

/** Transformation of a value. */
export type FieldTransform =
  /** Converts text to lower case. */
  | 'lowercase'
  /** Leaves the value unchanged. */
  | 'none'
  /** Removes white space at both ends of text. */
  | 'trim';

/** Urgency of a handoff. */
export type HandoffUrgency =
  /** Before handoffs of normal urgency. */
  | 'high'
  /** Can wait. */
  | 'low'
  /** The usual response time. */
  | 'normal'
  /** Immediately. */
  | 'urgent';

/** Health of the service as a whole. */
export type HealthStatus =
  /** Reads are served, but the database accepts no writes at present, or another component is down. */
  | 'degraded'
  /** The database does not respond. */
  | 'down'
  /** All components work. */
  | 'ok';

/** Permission of an API key; each scope includes the preceding ones. */
export type KeyScope =
  /** Act for any customer, selected by the `X-Customer-Id` header, and manage customers and API keys. */
  | 'admin'
  /** Read the data of its customer. */
  | 'read'
  /** Read and change the data of its customer. */
  | 'write';

/** State of an API key. */
export type KeyState =
  /** The key is accepted. */
  | 'active'
  /** The key has expired. */
  | 'expired'
  /** The key was revoked. */
  | 'revoked';

/** Part of a meeting that a search reads. */
export type MeetingSearchField =
  /** Name or email address of a participant. */
  | 'participant'
  /** Summary of the meeting. */
  | 'summary'
  /** Title of the meeting. */
  | 'title'
  /** Text of a segment of the transcript. */
  | 'transcript';

/** Type of an entry in the log of a sync. */
export type MeetingSyncLogType =
  /** Another attempt of a request failed; `detail` has the reason. */
  | 'attempt_failed'
  /** A process continued the sync: after a pause, or after another process stopped or was killed. */
  | 'claimed'
  /** Meetings that were marked as deleted, since the provider does not list them. */
  | 'deletions'
  /** Missing meetings that were not marked as deleted, since the list may be incomplete; `detail` has the reason. */
  | 'deletions_refused'
  /** A page was stored: its meetings and its duration, waits included. */
  | 'page'
  /** The sync was paused. */
  | 'paused'
  /** The provider rate-limited a request (HTTP 429). */
  | 'rate_limited'
  /** Stored meetings that the list does not contain: it is read again before they count as deleted. */
  | 'recounted'
  /** Meetings without a usable id or creation time on a page; `detail` has the first five reasons. */
  | 'rejections'
  /** The sync was resumed. */
  | 'resumed'
  /** A process started the sync. */
  | 'started'
  /** A wait for the provider. `detail` is `pacing` (at least a second), `retry_after` (advised by the provider) or `backoff`. */
  | 'wait'
  /** Malformed fields on a page; see `warningDetails` of the sync. */
  | 'warnings';

/** Meetings that a sync fetches. */
export type MeetingSyncScope =
  /** Meetings of the last 90 days, once a day instead of a scheduled incremental sync. Meetings that the provider no longer lists are marked as deleted. */
  | 'comparison'
  /** All meetings. Meetings that the provider no longer lists are marked as deleted. */
  | 'full'
  /** Meetings since the last successful sync; see `since`. */
  | 'incremental'
  /** Meetings of the time range that the client chose. */
  | 'range';

/** Status of a sync of meetings. */
export type MeetingSyncStatus =
  /** Cancelled by `cancelMeetingSync`, or because the key was replaced or deleted. Stored meetings are kept. */
  | 'cancelled'
  /** Failed; see `error`. Stored meetings are kept. */
  | 'failed'
  /** Paused by `pauseMeetingSync` after the last stored page, until `resumeMeetingSync`. No other sync starts meanwhile. */
  | 'paused'
  /** In progress. After a crash of its process, another one continues after the last stored page. */
  | 'running'
  /** All meetings of the time range are stored. */
  | 'succeeded';

/** Author of a message. */
export type MessageRole =
  /** The bot. */
  | 'bot'
  /** A human operator. */
  | 'operator'
  /** The visitor. */
  | 'visitor';

/** How the credentials are sent to the token server (RFC 6749 section 2.3.1). */
export type OAuth2ClientAuthentication =
  /** In the header `Authorization`. */
  | 'client_secret_basic'
  /** In the body. */
  | 'client_secret_post';

/** Status of the connection to the meeting provider. */
export type RecorderStatus =
  /** The key was valid when it was last used. */
  | 'connected'
  /** The last sync failed for another reason; the next sync retries. */
  | 'failing'
  /** The provider rejects the key: no sync runs until a new key is connected. */
  | 'key_invalid';

/** Retention times to change; those that are absent stay. */
export type UpdateRetentionInput = {
  /** Days until entries of the audit log are removed; a signed checkpoint keeps the rest of the log verifiable; null for no retention time of the customer. Only an admin key can change it. */
  auditLog?: number | null | undefined;
  /** Days after the latest activity of a conversation (start, message, event or end) until it is removed with its messages, records, events, deliveries and timeline; null for no retention time of the customer. */
  conversations?: number | null | undefined;
  /** Days after the end of the last delivery of a webhook event until it is removed with its deliveries; the timeline of its conversation keeps it; null for no retention time of the customer. */
  eventsAndDeliveries?: number | null | undefined;
  /** Days after the start of a meeting until it is removed with everything that belongs to it; null for no retention time of the customer. */
  meetings?: number | null | undefined;
  /** Days after the acceptance of an event of a custom type until it is removed; null for no retention time of the customer. */
  previewEvents?: number | null | undefined;
  /** Days after the start of a meeting until its transcript and the provider's record are removed; the meeting stays; null for no retention time of the customer. */
  transcripts?: number | null | undefined;
};

/** Changes to a webhook endpoint; an omitted field keeps its value. */
export type UpdateWebhookEndpointInput = {
  /** How the service authenticates itself to the receiver from now on; replaces what is stored. Null for its signatures alone. */
  authentication?: WebhookAuthenticationInput | null | undefined;
  /** True to send deliveries whose attempts are exhausted during an outage of the receiver again by themselves, once an attempt succeeds. Default: false. */
  autoRecover?: boolean | null | undefined;
  /** New label; null removes it. */
  description?: string | null | undefined;
  /** False stops deliveries and cancels the pending ones; true resumes them and clears `disabledReason` and the failure counters. */
  enabled?: boolean | null | undefined;
  /** Names of the event types to receive from now on; null to receive all customer events, without the operational and custom ones. */
  events?: Array<string> | null | undefined;
  /** Conditions that an event must fulfil to be sent, over its envelope, in MongoDB's query operators: `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`, `$in`, `$nin`, `$exists`, `$not` and `$regex` (syntax of RE2) below the dotted path of a field such as `data.value`, and `$and` and `$or`; at most 4,096 bytes of JSON, five levels, 50 conditions, and five patterns of together 200 instructions (about one for each character or class, counted as often as it is repeated). `$regex` looks at the first 500 characters of a text, and at more if the patterns are smaller; a condition on a list looks at its first 500 items. Null, the default, for none. Test events, resends and recoveries are sent whatever it says. */
  filter?: Record<string, unknown> | null | undefined;
  /** Custom headers of every delivery, as an object of values by name: at most 10; printable ASCII, a value at most 4,096 characters, all together 6,144. The service sets `Host`, `User-Agent`, `Content-…`, `webhook-…`, `X-SVC-…` and the headers of the connection itself. Values are never returned. Replaces all of them; the value `***` keeps the stored value of its name. Null for none. */
  headers?: Record<string, unknown> | null | undefined;
  /** Order of the deliveries: `none`, the default and the meaning of null, or `conversation`. It applies to the events that are published from now on. */
  ordering?: WebhookOrdering | null | undefined;
  /** True to hold deliveries back: they wait, and are sent once it is false again, oldest first. Events are still accepted. Default: false. */
  paused?: boolean | null | undefined;
  /** Body of the deliveries: `full`, the default and the meaning of null, or `thin`. */
  payload?: WebhookPayload | null | undefined;
  /** Maximum number of attempts in any period, over all processes; deliveries beyond it wait. Null, the default, for none. */
  rateLimit?: WebhookRateLimitInput | null | undefined;
  /** How `webhook-signature` is signed from now on; null for `hmac`. A change to `ed25519` creates a key pair, and a change to `hmac` deletes it. */
  signing?: WebhookSigning | null | undefined;
  /** Time limit of an attempt in seconds, 1 to 30; null, the default, for that of the service, which is 5 seconds unless the operator changes it. */
  timeoutSeconds?: number | null | undefined;
  /** New URL, by the same rules as at creation. */
  url?: string | null | undefined;
};

/** How the service authenticates itself to a receiver: exactly one of the fields. */
export type WebhookAuthenticationInput = {
  /** A client certificate. */
  mtls?: WebhookMtlsInput | null | undefined;
  /** OAuth 2.0 client credentials. */
  oauth2?: WebhookOAuth2Input | null | undefined;
};

/** State of the circuit of an endpoint. */
export type WebhookCircuitState =
  /** Deliveries are sent as they become due. */
  | 'closed'
  /** One delivery probes whether the receiver responds again; the others wait. */
  | 'half_open'
  /** The receiver is down: deliveries wait for the next probe. */
  | 'open';

/** Status of a delivery. `pending` and `retrying` deliveries are still attempted; the other statuses are terminal. */
export type WebhookDeliveryStatus =
  /** The endpoint was deleted or disabled, its backlog was cancelled, or the event was emitted while the endpoint was disabled. */
  | 'cancelled'
  /** All scheduled attempts failed, the receiver ended them, or the stored payload cannot be read; see `failureReason`. */
  | 'failed'
  /** Accepted; the first attempt has not completed. */
  | 'pending'
  /** An attempt failed, and another one is scheduled or in progress. */
  | 'retrying'
  /** An attempt received a 2xx response in time. */
  | 'succeeded';

/** Reason why an endpoint is disabled. */
export type WebhookDisabledReason =
  /** Every attempt failed for five days, at least 100 of them. */
  | 'failing'
  /** Its receiver responded 410 Gone, or with the header `webhook-delivery: disable`. */
  | 'gone'
  /** A client disabled it. */
  | 'manual';

/** Reason why a failed delivery has no further attempt. */
export type WebhookFailureReason =
  /** All scheduled attempts failed. */
  | 'exhausted'
  /** The stored payload was modified or moved, and cannot be decrypted. */
  | 'payload_unreadable'
  /** The receiver ended the attempts: HTTP 410, or `stop` or `disable` in the response header `webhook-delivery`. */
  | 'stopped_by_receiver';

/** A client certificate for receivers that demand one. Each text is at most 16,384 characters. */
export type WebhookMtlsInput = {
  /** Certificates in PEM of the authorities that the receiver's certificate must be of; omitted or null for the public ones. */
  ca?: string | null | undefined;
  /** Certificate in PEM, followed by intermediate ones if there are any. */
  certificate: string;
  /** Its private key in PEM, without a passphrase; it is never returned. */
  privateKey: string;
};

/** OAuth 2.0 client credentials (RFC 6749 section 4.4). The service fetches a token, keeps it, and sends it with every delivery. */
export type WebhookOAuth2Input = {
  /** Audience to request, at most 1,000 characters; omitted or null for none. */
  audience?: string | null | undefined;
  /** How the credentials are sent to the token server; omitted or null for `client_secret_basic`. */
  clientAuthentication?: OAuth2ClientAuthentication | null | undefined;
  /** ID of the client; at most 500 characters. */
  clientId: string;
  /** Secret of the client, at most 4,096 characters; it is never returned. In a change, it can be omitted or `***` to keep the stored one while `tokenUrl` and `clientId` stay the same. */
  clientSecret?: string | null | undefined;
  /** Scope to request, at most 1,000 characters; omitted or null for none. */
  scope?: string | null | undefined;
  /** URL of the token server, by the rules of the URL of an endpoint. Redirects are not followed. */
  tokenUrl: string;
};

/** Order in which an endpoint receives deliveries. */
export type WebhookOrdering =
  /** The deliveries of a conversation in the order of its events: an attempt begins once the earlier deliveries are terminal. Conversations do not wait for each other. */
  | 'conversation'
  /** No order: a delivery waits for no other. */
  | 'none';

/** Body of the deliveries to an endpoint. */
export type WebhookPayload =
  /** The whole event. */
  | 'full'
  /** The ids in `data` without those of a person, and `url`, the resource that shows the current state. */
  | 'thin';

/** Maximum number of attempts to a webhook endpoint in any period. */
export type WebhookRateLimitInput = {
  /** Number of attempts, 1 to 10,000. */
  count: number;
  /** Length of the period in seconds, 1 to 86,400. */
  perSeconds: number;
};

/** How the header `webhook-signature` is signed (Standard Webhooks). */
export type WebhookSigning =
  /** `v1a`: Ed25519; the public key of the endpoint verifies it. */
  | 'ed25519'
  /** `v1`: HMAC-SHA256, keyed by the signing secret. */
  | 'hmac';

/** Reason why an attempt that is due has not begun. */
export type WebhookWaitReason =
  /** The circuit of the endpoint is open: its receiver is down. */
  | 'circuit'
  /** An earlier delivery of its conversation is not terminal yet, and the endpoint has `ordering: conversation`. */
  | 'order'
  /** The endpoint is paused. */
  | 'paused'
  /** The rate limit of the endpoint is exhausted. */
  | 'rate_limit'
  /** The delivery has no slot yet: those of the endpoint, of the customer or of the service are in use, or the service is late. */
  | 'slot'
  /** The customer is suspended. */
  | 'suspended';

export type TenantOptionsQueryVariables = Exact<{
  first: number;
}>;


export type TenantOptionsQuery = { tenants: { edges: Array<{ node: { customerId: number, name: string } }> } };

export type CustomerNameQueryVariables = Exact<{ [key: string]: never; }>;


export type CustomerNameQuery = { viewer: { tenant: { name: string } | null } };

export type AuditLogQueryVariables = Exact<{
  after?: string | null | undefined;
  action?: string | null | undefined;
}>;


export type AuditLogQuery = { auditLog: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, edges: Array<{ node: { id: string, at: string, action: string, clientAddress: string | null, outcome: AuditOutcome, count: number, before: Record<string, unknown> | null, after: Record<string, unknown> | null, actor: { type: AuditActorType, id: string | null, name: string | null, prefix: string | null }, target: { type: string, id: string | null } } }> } };

export type CloseConversationMutationVariables = Exact<{
  id: string | number;
}>;


export type CloseConversationMutation = { closeConversation: { id: string } };

export type MarkOutcomeMutationVariables = Exact<{
  id: string | number;
  category?: string | null | undefined;
}>;


export type MarkOutcomeMutation = { markOutcome: { id: string } };

export type RecentOutcomesQueryVariables = Exact<{ [key: string]: never; }>;


export type RecentOutcomesQuery = { conversations: { edges: Array<{ node: { outcome: { category: string } | null } }> } };

export type ConversationPayloadsQueryVariables = Exact<{
  id: string | number;
}>;


export type ConversationPayloadsQuery = { conversation: { events: Array<{ id: string, payload: string }> } | null };

export type TranscriptQueryVariables = Exact<{
  id: string | number;
  first: number;
  after?: string | null | undefined;
}>;


export type TranscriptQuery = { conversation: { transcript: { pageInfo: { endCursor: string | null }, edges: Array<{ node: { id: string, role: MessageRole, text: string, sentAt: string } }> } } | null };

export type ConversationQueryVariables = Exact<{
  id: string | number;
}>;


export type ConversationQuery = { conversation: { id: string, visitorId: string, status: ConversationStatus, converted: boolean, goal: string | null, startedAt: string, endedAt: string | null, messageCount: number, identity: { resolvedPersonId: string, firstName: string | null, lastName: string | null, email: string | null, company: string | null, jobTitle: string | null } | null, outcome: { category: string, markedAt: string } | null, conversions: Array<{ id: string, type: string, goal: string, value: number | null, recordedAt: string }>, resolutions: Array<{ id: string, resolvedPersonId: string | null, resolvedCompany: string | null, recordedAt: string }>, handoffs: Array<{ id: string, schemaName: string, urgency: HandoffUrgency, reason: string | null, requestedAt: string }>, events: Array<{ id: string, event: string, createdAt: string }> } | null };

export type ConversationChangeSubscriptionVariables = Exact<{
  id: string | number;
}>;


export type ConversationChangeSubscription = { conversationUpdated: { id: string } };

export type ConversationsQueryVariables = Exact<{
  after?: string | null | undefined;
  status?: ConversationStatus | null | undefined;
  converted?: boolean | null | undefined;
  since?: string | null | undefined;
  text?: string | null | undefined;
  email?: string | null | undefined;
  visitorId?: string | null | undefined;
  resolvedPersonId?: string | null | undefined;
  company?: string | null | undefined;
}>;


export type ConversationsQuery = { conversations: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, edges: Array<{ node: { id: string, visitorId: string, status: ConversationStatus, converted: boolean, goal: string | null, startedAt: string, messageCount: number, identity: { firstName: string | null, lastName: string | null, email: string | null, company: string | null, resolvedPersonId: string } | null, outcome: { category: string } | null } }> } };

export type ConversationChangesSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type ConversationChangesSubscription = { conversationUpdated: { id: string, visitorId: string, status: ConversationStatus, converted: boolean, goal: string | null, startedAt: string, messageCount: number, identity: { firstName: string | null, lastName: string | null, email: string | null, company: string | null, resolvedPersonId: string } | null, outcome: { category: string } | null } };

export type CreateTenantMutationVariables = Exact<{
  input: CreateTenantInput;
}>;


export type CreateTenantMutation = { createTenant: { customerId: number } };

export type CreateApiKeyMutationVariables = Exact<{
  input: CreateApiKeyInput;
}>;


export type CreateApiKeyMutation = { createApiKey: { key: string, apiKey: { id: string } } };

export type CustomerHealthQueryVariables = Exact<{
  since: string;
}>;


export type CustomerHealthQuery = { webhookEndpoints: { edges: Array<{ node: { enabled: boolean, disabledReason: WebhookDisabledReason | null, circuit: { state: WebhookCircuitState } } }> }, webhookDeliveries: { edges: Array<{ node: { id: string } }> } };

export type TenantsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type TenantsQuery = { tenants: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, edges: Array<{ node: { customerId: number, orgId: string, name: string, createdAt: string, suspendedAt: string | null, deletionStartedAt: string | null } }> } };

export type DeleteTenantMutationVariables = Exact<{
  customerId: number;
  input: DeleteTenantInput;
}>;


export type DeleteTenantMutation = { deleteTenant: { id: string } };

export type TenantDeletionQueryVariables = Exact<{
  customerId: number;
}>;


export type TenantDeletionQuery = { tenantDeletion: { status: ErasureStatus, dryRun: boolean, error: string | null, counts: Array<{ collection: string, count: number }> } };

export type RevokeApiKeyMutationVariables = Exact<{
  id: string | number;
}>;


export type RevokeApiKeyMutation = { revokeApiKey: { id: string } };

export type ApiKeysQueryVariables = Exact<{
  after?: string | null | undefined;
  text?: string | null | undefined;
  scope?: KeyScope | null | undefined;
  state?: KeyState | null | undefined;
  customerId?: number | null | undefined;
}>;


export type ApiKeysQuery = { apiKeys: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, edges: Array<{ node: { id: string, name: string | null, state: KeyState, scope: KeyScope, resources: Array<string> | null, networks: Array<string> | null, customerId: number | null, prefix: string, createdAt: string, expiresAt: string | null, expiresSoon: boolean, lastUsedAt: string | null, lastUsedAddress: string | null, revokedAt: string | null } }> } };

export type RotateApiKeyMutationVariables = Exact<{
  id: string | number;
  overlapSeconds: number;
}>;


export type RotateApiKeyMutation = { rotateApiKey: { key: string } };

export type SuspendTenantMutationVariables = Exact<{
  customerId: number;
}>;


export type SuspendTenantMutation = { suspendTenant: { customerId: number } };

export type ResumeTenantMutationVariables = Exact<{
  customerId: number;
}>;


export type ResumeTenantMutation = { resumeTenant: { customerId: number } };

export type DriftAlertsQueryVariables = Exact<{
  model?: string | null | undefined;
  stage?: string | null | undefined;
}>;


export type DriftAlertsQuery = { active: Array<{ id: string, scope: DriftAlertScope, stage: string | null, feature: string | null, status: DriftAlertStatus, since: string, clearedAt: string | null, score: number, threshold: number, features: Array<{ feature: string, score: number, threshold: number, exampleIds: Array<string>, bin: { lower: number | null, upper: number | null, category: string | null, missing: boolean } | null }>, acknowledgement: { note: string, until: string | null, at: string } | null }>, acknowledged: Array<{ id: string, scope: DriftAlertScope, stage: string | null, feature: string | null, status: DriftAlertStatus, since: string, clearedAt: string | null, score: number, threshold: number, features: Array<{ feature: string, score: number, threshold: number, exampleIds: Array<string>, bin: { lower: number | null, upper: number | null, category: string | null, missing: boolean } | null }>, acknowledgement: { note: string, until: string | null, at: string } | null }>, cleared: Array<{ id: string, scope: DriftAlertScope, stage: string | null, feature: string | null, status: DriftAlertStatus, since: string, clearedAt: string | null, score: number, threshold: number, features: Array<{ feature: string, score: number, threshold: number, exampleIds: Array<string>, bin: { lower: number | null, upper: number | null, category: string | null, missing: boolean } | null }>, acknowledgement: { note: string, until: string | null, at: string } | null }> };

export type DriftAlertDetailsFragment = { id: string, scope: DriftAlertScope, stage: string | null, feature: string | null, status: DriftAlertStatus, since: string, clearedAt: string | null, score: number, threshold: number, features: Array<{ feature: string, score: number, threshold: number, exampleIds: Array<string>, bin: { lower: number | null, upper: number | null, category: string | null, missing: boolean } | null }>, acknowledgement: { note: string, until: string | null, at: string } | null };

export type AcknowledgeDriftAlertMutationVariables = Exact<{
  id: string | number;
  note: string;
  until?: string | null | undefined;
}>;


export type AcknowledgeDriftAlertMutation = { acknowledgeDriftAlert: { id: string } };

export type WithdrawDriftAcknowledgementMutationVariables = Exact<{
  id: string | number;
}>;


export type WithdrawDriftAcknowledgementMutation = { withdrawDriftAcknowledgement: { id: string } };

export type CheckDriftMutationVariables = Exact<{
  stage?: string | null | undefined;
  model?: string | null | undefined;
}>;


export type CheckDriftMutation = { triggerDriftCheck: { success: boolean } };

export type DriftStatusQueryVariables = Exact<{
  stage?: string | null | undefined;
  model?: string | null | undefined;
}>;


export type DriftStatusQuery = { driftStatus: { isDrifted: boolean, driftScore: number, threshold: number, method: string, lastChecked: string | null, insufficientData: boolean, components: { features: number | null, prediction: number | null, outcome: number | null } | null, componentDetails: { features: { noise: number, significant: boolean, rowsNeeded: number, coverage: { reference: number, current: number } } | null, prediction: { noise: number, significant: boolean, rowsNeeded: number, coverage: { reference: number, current: number } } | null, outcome: { noise: number, significant: boolean, rowsNeeded: number, coverage: { reference: number, current: number } } | null } | null, rows: { reference: number, current: number } | null, featureDrifts: Array<{ feature: string, score: number, drifted: boolean, insufficientData: boolean, type: FeatureType | null, weight: number | null, threshold: number | null, noise: number | null, significant: boolean | null, rowsNeeded: number | null, noData: boolean | null, newCategoryShare: number | null, missing: { reference: number, current: number } | null, newCategories: { count: number } | null, vanishedCategories: { count: number } | null }> } };

export type ComponentDetailFragment = { noise: number, significant: boolean, rowsNeeded: number, coverage: { reference: number, current: number } };

export type DriftStagesQueryVariables = Exact<{
  model?: string | null | undefined;
}>;


export type DriftStagesQuery = { driftStages: Array<{ stage: string }> };

export type DriftHistoryQueryVariables = Exact<{
  stage?: string | null | undefined;
  overall?: boolean | null | undefined;
  feature?: string | null | undefined;
  model?: string | null | undefined;
}>;


export type DriftHistoryQuery = { driftHistory: Array<{ id: string, driftScore: number, isDrifted: boolean, insufficientData: boolean, checkedAt: string, featureScore: number | null, components: { features: number | null, prediction: number | null, outcome: number | null } | null, rows: { reference: number, current: number } | null }> };

export type DriftFeatureQueryVariables = Exact<{
  feature: string;
  stage?: string | null | undefined;
  model?: string | null | undefined;
}>;


export type DriftFeatureQuery = { driftFeature: { score: number, driftedSince: string | null, drifted: boolean, insufficientData: boolean, type: FeatureType | null, weight: number | null, threshold: number | null, noise: number | null, significant: boolean | null, rowsNeeded: number | null, noData: boolean | null, jensenShannon: number | null, wasserstein: number | null, outOfRange: number | null, newCategoryShare: number | null, rows: { reference: number, current: number } | null, missing: { reference: number, current: number } | null, coverage: { reference: number, current: number } | null, newCategories: { count: number, names: Array<string> } | null, vanishedCategories: { count: number, names: Array<string> } | null, bins: Array<{ lower: number | null, upper: number | null, category: string | null, missing: boolean, contribution: number, reference: { count: number, share: number }, current: { count: number, share: number } }>, otherCategories: { count: number, contribution: number } | null } };

export type DriftMutesQueryVariables = Exact<{
  model?: string | null | undefined;
}>;


export type DriftMutesQuery = { driftMutes: Array<{ id: string, stage: string | null, feature: string, note: string | null, until: string | null }> };

export type MuteDriftFeatureMutationVariables = Exact<{
  feature: string;
  model?: string | null | undefined;
  stage?: string | null | undefined;
  note?: string | null | undefined;
  until?: string | null | undefined;
}>;


export type MuteDriftFeatureMutation = { muteDriftFeature: { id: string } };

export type UnmuteDriftFeatureMutationVariables = Exact<{
  feature: string;
  model?: string | null | undefined;
  stage?: string | null | undefined;
}>;


export type UnmuteDriftFeatureMutation = { unmuteDriftFeature: { id: string } };

export type DriftFeatureSettingsQueryVariables = Exact<{
  model?: string | null | undefined;
}>;


export type DriftFeatureSettingsQuery = { driftFeatureSettings: Array<{ feature: string, weight: number, threshold: number | null }> };

export type SetDriftFeatureSettingsMutationVariables = Exact<{
  features: Array<DriftFeatureSettingInput> | DriftFeatureSettingInput;
  model?: string | null | undefined;
}>;


export type SetDriftFeatureSettingsMutation = { setDriftFeatureSettings: Array<{ feature: string }> };

export type DriftModelsQueryVariables = Exact<{ [key: string]: never; }>;


export type DriftModelsQuery = { driftModels: Array<string> };

export type DriftPerformanceQueryVariables = Exact<{
  stage?: string | null | undefined;
  model?: string | null | undefined;
}>;


export type DriftPerformanceQuery = { driftPerformance: { isProbabilistic: boolean | null, weeks: Array<{ week: string, rows: number, outcomes: number, calibrationError: number | null, auc: number | null, accuracy: number | null, estimatedAccuracy: number | null }> } };

export type DriftPlannedChangesQueryVariables = Exact<{
  model?: string | null | undefined;
  stage?: string | null | undefined;
}>;


export type DriftPlannedChangesQuery = { driftPlannedChanges: Array<{ id: string, stage: string | null, type: DriftPlannedChangeType, title: string, note: string | null, startsAt: string, endsAt: string }> };

export type CreateDriftPlannedChangeMutationVariables = Exact<{
  type: DriftPlannedChangeType;
  title: string;
  startsAt: string;
  endsAt?: string | null | undefined;
  note?: string | null | undefined;
  model?: string | null | undefined;
  stage?: string | null | undefined;
}>;


export type CreateDriftPlannedChangeMutation = { createDriftPlannedChange: { id: string } };

export type DeleteDriftPlannedChangeMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteDriftPlannedChangeMutation = { deleteDriftPlannedChange: { id: string } };

export type DisconnectRecorderMutationVariables = Exact<{ [key: string]: never; }>;


export type DisconnectRecorderMutation = { disconnectRecorder: boolean };

export type ConnectRecorderMutationVariables = Exact<{
  apiKey: string;
}>;


export type ConnectRecorderMutation = { connectRecorder: { status: RecorderStatus } };

export type SyncProgressSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type SyncProgressSubscription = { meetingSyncProgress: { id: string, status: MeetingSyncStatus, scope: MeetingSyncScope, since: string, until: string | null, startedAt: string, finishedAt: string | null, pages: number, fetched: number, stored: number, updated: number, unchanged: number, rejected: number, warnings: number, skipped: number, suppressed: number, rateLimited: number, oldestMeetingAt: string | null, meetingsPerMinute: number | null, estimatedRemainingSeconds: number | null, warningDetails: Array<{ meeting: string, path: string, reason: string }>, error: { code: string, message: string } | null } };

export type RecorderWebhookQueryVariables = Exact<{ [key: string]: never; }>;


export type RecorderWebhookQuery = { recorderWebhook: { path: string | null, hasSecret: boolean } | null };

export type RotateRecorderWebhookMutationVariables = Exact<{ [key: string]: never; }>;


export type RotateRecorderWebhookMutation = { rotateRecorderWebhook: { path: string | null } };

export type SetRecorderWebhookSecretMutationVariables = Exact<{
  secret?: string | null | undefined;
}>;


export type SetRecorderWebhookSecretMutation = { setRecorderWebhookSecret: { hasSecret: boolean } };

export type MeetingQueryVariables = Exact<{
  id: string;
}>;


export type MeetingQuery = { meeting: { recorderMeetingId: string, title: string | null, startedAt: string | null, endedAt: string | null, summaryText: string | null, sentimentScore: string | null, storedAt: string | null, deletedAt: string | null, participantsJson: Array<{ name: string, email: string | null, role: string | null }> | null, warnings: Array<{ path: string, reason: string }> } | null };

export type MeetingTranscriptQueryVariables = Exact<{
  id: string;
}>;


export type MeetingTranscriptQuery = { meeting: { transcriptJson: Array<{ speaker: string | null, text: string, startTime: number | null, endTime: number | null }> | null } | null };

export type MeetingActivitiesQueryVariables = Exact<{
  after?: string | null | undefined;
  personExternalId?: string | null | undefined;
}>;


export type MeetingActivitiesQuery = { meetingActivities: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, edges: Array<{ node: { externalId: string, occurredAt: string, personExternalId: string | null, properties: Record<string, unknown> } }> } };

export type MeetingsQueryVariables = Exact<{
  after?: string | null | undefined;
  since?: string | null | undefined;
  search?: string | null | undefined;
  includeDeleted?: boolean | null | undefined;
}>;


export type MeetingsQuery = { meetings: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, edges: Array<{ node: { recorderMeetingId: string, title: string | null, startedAt: string | null, endedAt: string | null, storedAt: string | null, deletedAt: string | null, participantsJson: Array<{ name: string, email: string | null }> | null } }> } };

export type MeetingSearchQueryVariables = Exact<{
  query: string;
  since?: string | null | undefined;
  after?: string | null | undefined;
}>;


export type MeetingSearchQuery = { meetingSearch: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, edges: Array<{ node: { meeting: { recorderMeetingId: string, title: string | null, startedAt: string | null }, matches: Array<{ field: MeetingSearchField, snippet: string, highlights: Array<{ start: number, end: number }>, segment: { index: number, speaker: string | null, startTime: number | null } | null }> } }> } };

export type MeetingSearchBacklogQueryVariables = Exact<{ [key: string]: never; }>;


export type MeetingSearchBacklogQuery = { meetingSearchBacklog: number };

export type FieldMappingQueryVariables = Exact<{ [key: string]: never; }>;


export type FieldMappingQuery = { recorderFieldMapping: Array<{ targetField: string, transform: FieldTransform, required: boolean, sourceField: string }> };

export type UpdateFieldMappingMutationVariables = Exact<{
  mappings: Array<FieldMappingInput> | FieldMappingInput;
}>;


export type UpdateFieldMappingMutation = { updateRecorderFieldMapping: Array<{ targetField: string, transform: FieldTransform, required: boolean, sourceField: string }> };

export type MappingPreviewQueryVariables = Exact<{
  mappings: Array<FieldMappingInput> | FieldMappingInput;
  id?: string | null | undefined;
}>;


export type MappingPreviewQuery = { recorderFieldMappingPreview: { recorderMeetingId: string, hasRecord: boolean, fields: Array<{ sourcePointer: string, targetField: string, value: string | null, warnings: Array<string> }>, activity: { externalId: string, properties: Record<string, unknown> } } | null };

export type ReprojectionQueryVariables = Exact<{ [key: string]: never; }>;


export type ReprojectionQuery = { activityReprojection: { status: ActivityReprojectionStatus, total: number | null, done: number, withoutRecord: number, skipped: number, finishedAt: string | null, estimatedRemainingSeconds: number | null } | null };

export type SyncLogQueryVariables = Exact<{
  id: string | number;
  after?: string | null | undefined;
}>;


export type SyncLogQuery = { meetingSyncRun: { log: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, edges: Array<{ cursor: string, node: { at: string, type: MeetingSyncLogType, page: number | null, count: number | null, durationMs: number | null, detail: string | null } }> } } | null };

export type SyncRunDetailsQueryVariables = Exact<{
  id: string | number;
}>;


export type SyncRunDetailsQuery = { meetingSyncRun: { id: string, status: MeetingSyncStatus, scope: MeetingSyncScope, since: string, until: string | null, startedAt: string, finishedAt: string | null, pages: number, fetched: number, stored: number, updated: number, unchanged: number, rejected: number, warnings: number, skipped: number, suppressed: number, rateLimited: number, oldestMeetingAt: string | null, meetingsPerMinute: number | null, estimatedRemainingSeconds: number | null, warningDetails: Array<{ meeting: string, path: string, reason: string }>, error: { code: string, message: string } | null } | null };

export type SyncMeetingsMutationVariables = Exact<{
  since?: string | null | undefined;
  until?: string | null | undefined;
  fullResync?: boolean | null | undefined;
}>;


export type SyncMeetingsMutation = { syncMeetings: { id: string } };

export type CancelMeetingSyncMutationVariables = Exact<{ [key: string]: never; }>;


export type CancelMeetingSyncMutation = { cancelMeetingSync: { id: string } | null };

export type PauseMeetingSyncMutationVariables = Exact<{ [key: string]: never; }>;


export type PauseMeetingSyncMutation = { pauseMeetingSync: { id: string } | null };

export type ResumeMeetingSyncMutationVariables = Exact<{ [key: string]: never; }>;


export type ResumeMeetingSyncMutation = { resumeMeetingSync: { id: string } | null };

export type SyncRunsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type SyncRunsQuery = { meetingSyncRuns: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, edges: Array<{ node: { id: string, status: MeetingSyncStatus, scope: MeetingSyncScope, since: string, until: string | null, startedAt: string, finishedAt: string | null, pages: number, fetched: number, stored: number, updated: number, unchanged: number, rejected: number, warnings: number, skipped: number, suppressed: number, rateLimited: number, oldestMeetingAt: string | null, meetingsPerMinute: number | null, estimatedRemainingSeconds: number | null, warningDetails: Array<{ meeting: string, path: string, reason: string }>, error: { code: string, message: string } | null } }> } };

export type RecorderQueryVariables = Exact<{ [key: string]: never; }>;


export type RecorderQuery = { recorderConnection: { status: RecorderStatus, connectedAt: string, lastSyncAt: string | null, nextSyncAt: string | null, lastRun: { id: string, status: MeetingSyncStatus, scope: MeetingSyncScope, since: string, until: string | null, startedAt: string, finishedAt: string | null, pages: number, fetched: number, stored: number, updated: number, unchanged: number, rejected: number, warnings: number, skipped: number, suppressed: number, rateLimited: number, oldestMeetingAt: string | null, meetingsPerMinute: number | null, estimatedRemainingSeconds: number | null, warningDetails: Array<{ meeting: string, path: string, reason: string }>, error: { code: string, message: string } | null } | null } | null };

export type ConnectionFragment = { status: RecorderStatus, connectedAt: string, lastSyncAt: string | null, nextSyncAt: string | null, lastRun: { id: string, status: MeetingSyncStatus, scope: MeetingSyncScope, since: string, until: string | null, startedAt: string, finishedAt: string | null, pages: number, fetched: number, stored: number, updated: number, unchanged: number, rejected: number, warnings: number, skipped: number, suppressed: number, rateLimited: number, oldestMeetingAt: string | null, meetingsPerMinute: number | null, estimatedRemainingSeconds: number | null, warningDetails: Array<{ meeting: string, path: string, reason: string }>, error: { code: string, message: string } | null } | null };

export type SyncRunFragment = { id: string, status: MeetingSyncStatus, scope: MeetingSyncScope, since: string, until: string | null, startedAt: string, finishedAt: string | null, pages: number, fetched: number, stored: number, updated: number, unchanged: number, rejected: number, warnings: number, skipped: number, suppressed: number, rateLimited: number, oldestMeetingAt: string | null, meetingsPerMinute: number | null, estimatedRemainingSeconds: number | null, warningDetails: Array<{ meeting: string, path: string, reason: string }>, error: { code: string, message: string } | null };

export type HealthQueryVariables = Exact<{ [key: string]: never; }>;


export type HealthQuery = { health: { status: HealthStatus, version: string, uptimeSeconds: number, database: { status: ComponentStatus, latencyMs: number | null }, sidecar: { status: ComponentStatus, latencyMs: number | null, modelVersion: string | null }, jobs: { status: ComponentStatus, lastRunAt: string | null }, auditLog: { status: ComponentStatus }, encryption: { status: ComponentStatus }, outboundProxy: { status: ComponentStatus, error: string | null } | null } };

export type HandedOffConversationsQueryVariables = Exact<{ [key: string]: never; }>;


export type HandedOffConversationsQuery = { conversations: { pageInfo: { hasNextPage: boolean }, edges: Array<{ node: { id: string, visitorId: string, identity: { firstName: string | null, lastName: string | null, email: string | null } | null, handoffs: Array<{ id: string, urgency: HandoffUrgency, requestedAt: string }> } }> } };

export type LatestFailedQueryVariables = Exact<{
  since: string;
}>;


export type LatestFailedQuery = { webhookDeliveries: { edges: Array<{ node: { id: string, lastAttemptAt: string | null } }> } };

export type RecentActivityQueryVariables = Exact<{
  since: string;
}>;


export type RecentActivityQuery = { activity: { events: Array<{ event: string, count: number }>, deliveries: Array<{ status: WebhookDeliveryStatus, count: number }>, conversations: Array<{ status: ConversationStatus, count: number }> }, webhookDeliveries: { edges: Array<{ node: { id: string, lastAttemptAt: string | null } }> } };

export type ErasePersonMutationVariables = Exact<{
  input: ErasePersonInput;
}>;


export type ErasePersonMutation = { erasePerson: { id: string } };

export type ErasureQueryVariables = Exact<{
  id: string | number;
}>;


export type ErasureQuery = { erasure: { id: string, status: ErasureStatus, dryRun: boolean, error: string | null, counts: Array<{ kind: ErasureKind, count: number }> } };

export type ErasuresQueryVariables = Exact<{ [key: string]: never; }>;


export type ErasuresQuery = { erasures: { edges: Array<{ node: { id: string, status: ErasureStatus, dryRun: boolean, suppress: boolean, startedAt: string, counts: Array<{ count: number }> } }> } };

export type RetentionQueryVariables = Exact<{ [key: string]: never; }>;


export type RetentionQuery = { retention: { conversations: number | null, transcripts: number | null, meetings: number | null, previewEvents: number | null, eventsAndDeliveries: number | null, auditLog: number | null, lastRunAt: string | null, failed: Array<string>, removed: { conversations: number, transcripts: number, meetings: number, previewEvents: number, eventsAndDeliveries: number, auditLog: number } } };

export type RetentionPreviewQueryVariables = Exact<{
  conversations?: number | null | undefined;
  transcripts?: number | null | undefined;
  meetings?: number | null | undefined;
  previewEvents?: number | null | undefined;
  eventsAndDeliveries?: number | null | undefined;
  auditLog?: number | null | undefined;
}>;


export type RetentionPreviewQuery = { retentionPreview: { conversations: number, transcripts: number, meetings: number, previewEvents: number, eventsAndDeliveries: number, auditLog: number } };

export type UpdateRetentionMutationVariables = Exact<{
  input: UpdateRetentionInput;
}>;


export type UpdateRetentionMutation = { updateRetention: { updatedAt: string | null } };

export type ConsoleSessionsQueryVariables = Exact<{ [key: string]: never; }>;


export type ConsoleSessionsQuery = { consoleSessions: Array<{ id: string, startedAt: string, lastUsedAt: string, expiresAt: string, address: string | null, isCurrent: boolean }> };

export type EndConsoleSessionMutationVariables = Exact<{
  id: string | number;
}>;


export type EndConsoleSessionMutation = { endConsoleSession: { id: string } };

export type DeliveriesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  endpointId?: number | null | undefined;
  status?: WebhookDeliveryStatus | null | undefined;
  event?: string | null | undefined;
  eventId?: string | number | null | undefined;
  conversationId?: string | number | null | undefined;
  text?: string | null | undefined;
  since?: string | null | undefined;
  until?: string | null | undefined;
}>;


export type DeliveriesQuery = { webhookDeliveries: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, edges: Array<{ node: { id: string, endpointId: number, eventId: string, event: string, status: WebhookDeliveryStatus, attempt: number, nextRetryAt: string | null, waitingFor: WebhookWaitReason | null, createdAt: string, lastAttemptAt: string | null, responseStatus: number | null, error: string | null, failureReason: WebhookFailureReason | null, durationMs: number | null } }> } };

export type DeliveryRowFragment = { id: string, endpointId: number, eventId: string, event: string, status: WebhookDeliveryStatus, attempt: number, nextRetryAt: string | null, waitingFor: WebhookWaitReason | null, createdAt: string, lastAttemptAt: string | null, responseStatus: number | null, error: string | null, failureReason: WebhookFailureReason | null, durationMs: number | null };

export type DeliveriesWithSubjectsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  endpointId?: number | null | undefined;
  status?: WebhookDeliveryStatus | null | undefined;
  event?: string | null | undefined;
  eventId?: string | number | null | undefined;
  conversationId?: string | number | null | undefined;
  text?: string | null | undefined;
  since?: string | null | undefined;
  until?: string | null | undefined;
}>;


export type DeliveriesWithSubjectsQuery = { webhookDeliveries: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, edges: Array<{ node: { id: string, endpointId: number, eventId: string, event: string, status: WebhookDeliveryStatus, attempt: number, nextRetryAt: string | null, waitingFor: WebhookWaitReason | null, createdAt: string, lastAttemptAt: string | null, responseStatus: number | null, error: string | null, failureReason: WebhookFailureReason | null, durationMs: number | null, sourceEvent: { conversionType: string | null, visitorId: string | null, conversation: { id: string, visitorId: string, goal: string | null, identity: { firstName: string | null, lastName: string | null, email: string | null } | null } | null } | null } }> } };

export type DeliverySubjectFragment = { sourceEvent: { conversionType: string | null, visitorId: string | null, conversation: { id: string, visitorId: string, goal: string | null, identity: { firstName: string | null, lastName: string | null, email: string | null } | null } | null } | null };

export type DeliveryChangesSubscriptionVariables = Exact<{
  endpointId?: number | null | undefined;
}>;


export type DeliveryChangesSubscription = { webhookDeliveryUpdated: { id: string, endpointId: number, eventId: string, event: string, status: WebhookDeliveryStatus, attempt: number, nextRetryAt: string | null, waitingFor: WebhookWaitReason | null, createdAt: string, lastAttemptAt: string | null, responseStatus: number | null, error: string | null, failureReason: WebhookFailureReason | null, durationMs: number | null } };

export type ExplainDeliveryQueryVariables = Exact<{
  eventId: string | number;
  endpointId: number;
}>;


export type ExplainDeliveryQuery = { explainDelivery: { reason: string, message: string } };

export type ResendDeliveryMutationVariables = Exact<{
  id: string | number;
}>;


export type ResendDeliveryMutation = { resendWebhookDelivery: { id: string } };

export type SearchedDeliveryQueryVariables = Exact<{
  id: string | number;
}>;


export type SearchedDeliveryQuery = { webhookDelivery: { id: string } | null };

export type SearchedEventQueryVariables = Exact<{
  id: string | number;
}>;


export type SearchedEventQuery = { webhookEvent: { id: string } | null };

export type SearchedConversationQueryVariables = Exact<{
  id: string | number;
}>;


export type SearchedConversationQuery = { conversation: { id: string } | null };

export type DeliveryDetailQueryVariables = Exact<{
  id: string | number;
}>;


export type DeliveryDetailQuery = { webhookDelivery: { payload: string, scheduledAttempts: number, manualAttempts: number, id: string, endpointId: number, eventId: string, event: string, status: WebhookDeliveryStatus, attempt: number, nextRetryAt: string | null, waitingFor: WebhookWaitReason | null, createdAt: string, lastAttemptAt: string | null, responseStatus: number | null, error: string | null, failureReason: WebhookFailureReason | null, durationMs: number | null, attempts: Array<{ number: number, at: string, manual: boolean, probe: boolean, responseStatus: number | null, responseBody: string | null, error: string | null, durationMs: number, requestHeaders: Array<{ name: string, value: string }> | null, responseHeaders: Array<{ name: string, value: string }> | null }> } | null };

export type DeliverySubjectOfQueryVariables = Exact<{
  id: string | number;
}>;


export type DeliverySubjectOfQuery = { webhookDelivery: { sourceEvent: { conversionType: string | null, visitorId: string | null, conversation: { id: string, visitorId: string, goal: string | null, identity: { firstName: string | null, lastName: string | null, email: string | null } | null } | null } | null } | null };

export type EndpointCatchUpQueryVariables = Exact<{
  id: number;
  since: string;
}>;


export type EndpointCatchUpQuery = { webhookEndpoint: { succeeded: { edges: Array<{ node: { error: string | null, failureReason: WebhookFailureReason | null, lastAttemptAt: string | null, nextRetryAt: string | null, waitingFor: WebhookWaitReason | null } }> }, retrying: { edges: Array<{ node: { error: string | null, failureReason: WebhookFailureReason | null, lastAttemptAt: string | null, nextRetryAt: string | null, waitingFor: WebhookWaitReason | null } }> }, failed: { edges: Array<{ node: { error: string | null, failureReason: WebhookFailureReason | null, lastAttemptAt: string | null, nextRetryAt: string | null, waitingFor: WebhookWaitReason | null, attempts: Array<{ manual: boolean, responseStatus: number | null }> } }> }, cancelled: { edges: Array<{ node: { eventId: string } }> } } | null };

export type CatchUpDeliveryFragment = { error: string | null, failureReason: WebhookFailureReason | null, lastAttemptAt: string | null, nextRetryAt: string | null, waitingFor: WebhookWaitReason | null };

export type CreateEndpointMutationVariables = Exact<{
  input: CreateWebhookEndpointInput;
}>;


export type CreateEndpointMutation = { createWebhookEndpoint: { secret: string, endpoint: { id: number, publicKey: string | null } } };

export type CancelBacklogMutationVariables = Exact<{
  id: number;
}>;


export type CancelBacklogMutation = { cancelWebhookBacklog: { cancelled: number } };

export type RotateSecretMutationVariables = Exact<{
  id: number;
  overlapSeconds: number;
}>;


export type RotateSecretMutation = { rotateWebhookSecret: { secret: string, publicKey: string | null } };

export type DeleteEndpointMutationVariables = Exact<{
  id: number;
}>;


export type DeleteEndpointMutation = { deleteWebhookEndpoint: { id: number } };

export type MonitoredEndpointsQueryVariables = Exact<{ [key: string]: never; }>;


export type MonitoredEndpointsQuery = { webhookEndpoints: { edges: Array<{ node: { id: number, url: string, description: string | null, events: Array<string> | null, filter: Record<string, unknown> | null, payload: WebhookPayload, enabled: boolean, disabledReason: WebhookDisabledReason | null, headers: Record<string, unknown>, signing: WebhookSigning, publicKey: string | null, previousSecretExpiresAt: string | null, timeoutSeconds: number, paused: boolean, autoRecover: boolean, ordering: WebhookOrdering, createdAt: string, updatedAt: string, circuit: { state: WebhookCircuitState, since: string | null, reason: string | null }, authentication: { oauth2: { tokenUrl: string, clientId: string, scope: string | null, audience: string | null, clientAuthentication: OAuth2ClientAuthentication } | null, mtls: { certificateExpiresAt: string, certificateSubject: string } | null } | null, rateLimit: { count: number, perSeconds: number } | null, succeeded: { edges: Array<{ node: { error: string | null, lastAttemptAt: string | null } }> }, retrying: { edges: Array<{ node: { error: string | null, lastAttemptAt: string | null } }> }, failed: { edges: Array<{ node: { error: string | null, lastAttemptAt: string | null } }> } } }> } };

export type LatestAttemptsFragment = { succeeded: { edges: Array<{ node: { error: string | null, lastAttemptAt: string | null } }> }, retrying: { edges: Array<{ node: { error: string | null, lastAttemptAt: string | null } }> }, failed: { edges: Array<{ node: { error: string | null, lastAttemptAt: string | null } }> } };

export type LatestAttemptFragment = { error: string | null, lastAttemptAt: string | null };

export type ListedEndpointsQueryVariables = Exact<{ [key: string]: never; }>;


export type ListedEndpointsQuery = { webhookEndpoints: { edges: Array<{ node: { id: number, url: string, description: string | null, events: Array<string> | null, filter: Record<string, unknown> | null, payload: WebhookPayload, enabled: boolean, disabledReason: WebhookDisabledReason | null, headers: Record<string, unknown>, signing: WebhookSigning, publicKey: string | null, previousSecretExpiresAt: string | null, timeoutSeconds: number, paused: boolean, autoRecover: boolean, ordering: WebhookOrdering, createdAt: string, updatedAt: string, deliveries: { edges: Array<{ node: { id: string, status: WebhookDeliveryStatus, createdAt: string } }> }, circuit: { state: WebhookCircuitState, since: string | null, reason: string | null }, authentication: { oauth2: { tokenUrl: string, clientId: string, scope: string | null, audience: string | null, clientAuthentication: OAuth2ClientAuthentication } | null, mtls: { certificateExpiresAt: string, certificateSubject: string } | null } | null, rateLimit: { count: number, perSeconds: number } | null, succeeded: { edges: Array<{ node: { error: string | null, lastAttemptAt: string | null } }> }, retrying: { edges: Array<{ node: { error: string | null, lastAttemptAt: string | null } }> }, failed: { edges: Array<{ node: { error: string | null, lastAttemptAt: string | null } }> } } }> } };

export type RecoverDeliveriesMutationVariables = Exact<{
  endpointId: number;
  since: string;
  until?: string | null | undefined;
  dryRun: boolean;
}>;


export type RecoverDeliveriesMutation = { recoverWebhookDeliveries: { queued: number, open: number } };

export type ReplayDeliveriesMutationVariables = Exact<{
  endpointId: number;
  since: string;
  until?: string | null | undefined;
  status?: WebhookDeliveryStatus | null | undefined;
  dryRun: boolean;
}>;


export type ReplayDeliveriesMutation = { replayWebhookDeliveries: { count: number } };

export type RetryBacklogMutationVariables = Exact<{
  endpointId: number;
  since: string;
  until?: string | null | undefined;
  event?: string | null | undefined;
  dryRun: boolean;
}>;


export type RetryBacklogMutation = { retryWebhookBacklog: { count: number } };

export type SendTestEventMutationVariables = Exact<{
  endpointId: number;
  event: string;
  data?: Record<string, unknown> | null | undefined;
}>;


export type SendTestEventMutation = { sendTestWebhook: { id: string } };

export type EventExamplesQueryVariables = Exact<{ [key: string]: never; }>;


export type EventExamplesQuery = { eventTypes: Array<{ name: string, example: Record<string, unknown> }> };

export type EndpointStatisticsQueryVariables = Exact<{
  id: number;
}>;


export type EndpointStatisticsQuery = { webhookEndpoint: { backlog: number, oldestWaitingAt: string | null, scheduledRetries: number, statistics: { succeeded: number, failed: number, attempts: number, failedAttempts: number, p50: number | null, p95: number | null, failingSince: string | null, steps: Array<{ startsAt: string, attempts: number, failedAttempts: number, p50: number | null, p95: number | null }> } } | null };

export type EndpointResultsQueryVariables = Exact<{ [key: string]: never; }>;


export type EndpointResultsQuery = { webhookEndpoints: { edges: Array<{ node: { id: number, statistics: { attempts: number, failedAttempts: number, p95: number | null, failingSince: string | null } } }> } };

export type EndpointBacklogsQueryVariables = Exact<{ [key: string]: never; }>;


export type EndpointBacklogsQuery = { webhookEndpoints: { edges: Array<{ node: { id: number, backlog: number, oldestWaitingAt: string | null, scheduledRetries: number } }> } };

export type EndpointBacklogFragment = { backlog: number, oldestWaitingAt: string | null, scheduledRetries: number };

export type EndpointsQueryVariables = Exact<{ [key: string]: never; }>;


export type EndpointsQuery = { webhookEndpoints: { edges: Array<{ node: { id: number, url: string, description: string | null, events: Array<string> | null, filter: Record<string, unknown> | null, payload: WebhookPayload, enabled: boolean, disabledReason: WebhookDisabledReason | null, headers: Record<string, unknown>, signing: WebhookSigning, publicKey: string | null, previousSecretExpiresAt: string | null, timeoutSeconds: number, paused: boolean, autoRecover: boolean, ordering: WebhookOrdering, createdAt: string, updatedAt: string, circuit: { state: WebhookCircuitState, since: string | null, reason: string | null }, authentication: { oauth2: { tokenUrl: string, clientId: string, scope: string | null, audience: string | null, clientAuthentication: OAuth2ClientAuthentication } | null, mtls: { certificateExpiresAt: string, certificateSubject: string } | null } | null, rateLimit: { count: number, perSeconds: number } | null } }> } };

export type EndpointRowFragment = { id: number, url: string, description: string | null, events: Array<string> | null, filter: Record<string, unknown> | null, payload: WebhookPayload, enabled: boolean, disabledReason: WebhookDisabledReason | null, headers: Record<string, unknown>, signing: WebhookSigning, publicKey: string | null, previousSecretExpiresAt: string | null, timeoutSeconds: number, paused: boolean, autoRecover: boolean, ordering: WebhookOrdering, createdAt: string, updatedAt: string, circuit: { state: WebhookCircuitState, since: string | null, reason: string | null }, authentication: { oauth2: { tokenUrl: string, clientId: string, scope: string | null, audience: string | null, clientAuthentication: OAuth2ClientAuthentication } | null, mtls: { certificateExpiresAt: string, certificateSubject: string } | null } | null, rateLimit: { count: number, perSeconds: number } | null };

export type EndpointQueryVariables = Exact<{
  id: number;
}>;


export type EndpointQuery = { webhookEndpoint: { id: number, url: string, description: string | null, events: Array<string> | null, filter: Record<string, unknown> | null, payload: WebhookPayload, enabled: boolean, disabledReason: WebhookDisabledReason | null, headers: Record<string, unknown>, signing: WebhookSigning, publicKey: string | null, previousSecretExpiresAt: string | null, timeoutSeconds: number, paused: boolean, autoRecover: boolean, ordering: WebhookOrdering, createdAt: string, updatedAt: string, circuit: { state: WebhookCircuitState, since: string | null, reason: string | null }, authentication: { oauth2: { tokenUrl: string, clientId: string, scope: string | null, audience: string | null, clientAuthentication: OAuth2ClientAuthentication } | null, mtls: { certificateExpiresAt: string, certificateSubject: string } | null } | null, rateLimit: { count: number, perSeconds: number } | null } | null };

export type UpdateEndpointMutationVariables = Exact<{
  id: number;
  input: UpdateWebhookEndpointInput;
}>;


export type UpdateEndpointMutation = { updateWebhookEndpoint: { id: number } };

export type DeleteEventFeedMutationVariables = Exact<{
  name: string;
}>;


export type DeleteEventFeedMutation = { deleteEventFeed: { name: string } };

export type EventFeedsQueryVariables = Exact<{ [key: string]: never; }>;


export type EventFeedsQuery = { eventFeeds: Array<{ name: string, consumer: string | null, heldUntil: string, usedAt: string, behind: number, behindSince: string | null, lost: number }> };

export type SeekEventFeedMutationVariables = Exact<{
  name: string;
  to: string;
}>;


export type SeekEventFeedMutation = { seekEventFeed: { name: string } };

export type EventTypesQueryVariables = Exact<{ [key: string]: never; }>;


export type EventTypesQuery = { eventTypes: Array<{ name: string, description: string }> };

export type CustomerCheckQueryVariables = Exact<{ [key: string]: never; }>;


export type CustomerCheckQuery = { viewer: { scope: KeyScope } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const DriftAlertDetailsFragmentDoc = new TypedDocumentString(`
    fragment DriftAlertDetails on DriftAlert {
  id
  scope
  stage
  feature
  status
  since
  clearedAt
  score
  threshold
  features {
    feature
    score
    threshold
    bin {
      lower
      upper
      category
      missing
    }
    exampleIds
  }
  acknowledgement {
    note
    until
    at
  }
}
    `, {"fragmentName":"DriftAlertDetails"}) as unknown as TypedDocumentString<DriftAlertDetailsFragment, unknown>;
export const ComponentDetailFragmentDoc = new TypedDocumentString(`
    fragment ComponentDetail on DriftComponentDetail {
  noise
  significant
  rowsNeeded
  coverage {
    reference
    current
  }
}
    `, {"fragmentName":"ComponentDetail"}) as unknown as TypedDocumentString<ComponentDetailFragment, unknown>;
export const SyncRunFragmentDoc = new TypedDocumentString(`
    fragment SyncRun on MeetingSyncRun {
  id
  status
  scope
  since
  until
  startedAt
  finishedAt
  pages
  fetched
  stored
  updated
  unchanged
  rejected
  warnings
  warningDetails {
    meeting
    path
    reason
  }
  skipped
  suppressed
  rateLimited
  oldestMeetingAt
  meetingsPerMinute
  estimatedRemainingSeconds
  error {
    code
    message
  }
}
    `, {"fragmentName":"SyncRun"}) as unknown as TypedDocumentString<SyncRunFragment, unknown>;
export const ConnectionFragmentDoc = new TypedDocumentString(`
    fragment Connection on RecorderConnection {
  status
  connectedAt
  lastSyncAt
  nextSyncAt
  lastRun {
    ...SyncRun
  }
}
    fragment SyncRun on MeetingSyncRun {
  id
  status
  scope
  since
  until
  startedAt
  finishedAt
  pages
  fetched
  stored
  updated
  unchanged
  rejected
  warnings
  warningDetails {
    meeting
    path
    reason
  }
  skipped
  suppressed
  rateLimited
  oldestMeetingAt
  meetingsPerMinute
  estimatedRemainingSeconds
  error {
    code
    message
  }
}`, {"fragmentName":"Connection"}) as unknown as TypedDocumentString<ConnectionFragment, unknown>;
export const DeliveryRowFragmentDoc = new TypedDocumentString(`
    fragment DeliveryRow on WebhookDelivery {
  id
  endpointId
  eventId
  event
  status
  attempt
  nextRetryAt
  waitingFor
  createdAt
  lastAttemptAt
  responseStatus
  error
  failureReason
  durationMs
}
    `, {"fragmentName":"DeliveryRow"}) as unknown as TypedDocumentString<DeliveryRowFragment, unknown>;
export const DeliverySubjectFragmentDoc = new TypedDocumentString(`
    fragment DeliverySubject on WebhookDelivery {
  sourceEvent {
    conversionType
    visitorId
    conversation {
      id
      visitorId
      goal
      identity {
        firstName
        lastName
        email
      }
    }
  }
}
    `, {"fragmentName":"DeliverySubject"}) as unknown as TypedDocumentString<DeliverySubjectFragment, unknown>;
export const CatchUpDeliveryFragmentDoc = new TypedDocumentString(`
    fragment CatchUpDelivery on WebhookDelivery {
  error
  failureReason
  lastAttemptAt
  nextRetryAt
  waitingFor
}
    `, {"fragmentName":"CatchUpDelivery"}) as unknown as TypedDocumentString<CatchUpDeliveryFragment, unknown>;
export const LatestAttemptFragmentDoc = new TypedDocumentString(`
    fragment LatestAttempt on WebhookDelivery {
  error
  lastAttemptAt
}
    `, {"fragmentName":"LatestAttempt"}) as unknown as TypedDocumentString<LatestAttemptFragment, unknown>;
export const LatestAttemptsFragmentDoc = new TypedDocumentString(`
    fragment LatestAttempts on WebhookEndpoint {
  succeeded: deliveries(first: 1, status: succeeded) {
    edges {
      node {
        ...LatestAttempt
      }
    }
  }
  retrying: deliveries(first: 1, status: retrying) {
    edges {
      node {
        ...LatestAttempt
      }
    }
  }
  failed: deliveries(first: 1, status: failed) {
    edges {
      node {
        ...LatestAttempt
      }
    }
  }
}
    fragment LatestAttempt on WebhookDelivery {
  error
  lastAttemptAt
}`, {"fragmentName":"LatestAttempts"}) as unknown as TypedDocumentString<LatestAttemptsFragment, unknown>;
export const EndpointBacklogFragmentDoc = new TypedDocumentString(`
    fragment EndpointBacklog on WebhookEndpoint {
  backlog
  oldestWaitingAt
  scheduledRetries
}
    `, {"fragmentName":"EndpointBacklog"}) as unknown as TypedDocumentString<EndpointBacklogFragment, unknown>;
export const EndpointRowFragmentDoc = new TypedDocumentString(`
    fragment EndpointRow on WebhookEndpoint {
  id
  url
  description
  events
  filter
  payload
  enabled
  disabledReason
  circuit {
    state
    since
    reason
  }
  headers
  authentication {
    oauth2 {
      tokenUrl
      clientId
      scope
      audience
      clientAuthentication
    }
    mtls {
      certificateExpiresAt
      certificateSubject
    }
  }
  signing
  publicKey
  previousSecretExpiresAt
  timeoutSeconds
  paused
  autoRecover
  ordering
  rateLimit {
    count
    perSeconds
  }
  createdAt
  updatedAt
}
    `, {"fragmentName":"EndpointRow"}) as unknown as TypedDocumentString<EndpointRowFragment, unknown>;
export const TenantOptionsDocument = new TypedDocumentString(`
    query TenantOptions($first: Int!) {
  tenants(first: $first) {
    edges {
      node {
        customerId
        name
      }
    }
  }
}
    `, {"documentId":"sha256:06bd0f3423070645a81eeaab4c0e9974cebbd0bb4dedbe51eece456db09adcd5"}) as unknown as TypedDocumentString<TenantOptionsQuery, TenantOptionsQueryVariables>;
export const CustomerNameDocument = new TypedDocumentString(`
    query CustomerName {
  viewer {
    tenant {
      name
    }
  }
}
    `, {"documentId":"sha256:ecbbcd3684854c008f964bc344898f5f79fe5a76bc90bddf28750ca011f835f9"}) as unknown as TypedDocumentString<CustomerNameQuery, CustomerNameQueryVariables>;
export const AuditLogDocument = new TypedDocumentString(`
    query AuditLog($after: String, $action: String) {
  auditLog(first: 50, after: $after, action: $action) {
    pageInfo {
      hasNextPage
      endCursor
    }
    edges {
      node {
        id
        at
        action
        actor {
          type
          id
          name
          prefix
        }
        clientAddress
        target {
          type
          id
        }
        outcome
        count
        before
        after
      }
    }
  }
}
    `, {"documentId":"sha256:fd8e59ab4f1e94d64d1d15b05bdbb0b426e5df8dc2b9060942be6b73aa4db503"}) as unknown as TypedDocumentString<AuditLogQuery, AuditLogQueryVariables>;
export const CloseConversationDocument = new TypedDocumentString(`
    mutation CloseConversation($id: ID!) {
  closeConversation(conversationId: $id) {
    id
  }
}
    `, {"documentId":"sha256:8b218d512725a52af23461ec26c33117dabbf1f85946ab8447970733a68b1ec8"}) as unknown as TypedDocumentString<CloseConversationMutation, CloseConversationMutationVariables>;
export const MarkOutcomeDocument = new TypedDocumentString(`
    mutation MarkOutcome($id: ID!, $category: String) {
  markOutcome(conversationId: $id, category: $category) {
    id
  }
}
    `, {"documentId":"sha256:108fa3268f3290d4fe85b1ebd4b3925a4b70adaa243df3d9f41df1aedf1affa8"}) as unknown as TypedDocumentString<MarkOutcomeMutation, MarkOutcomeMutationVariables>;
export const RecentOutcomesDocument = new TypedDocumentString(`
    query RecentOutcomes {
  conversations(first: 100) {
    edges {
      node {
        outcome {
          category
        }
      }
    }
  }
}
    `, {"documentId":"sha256:9d2c9b19765b7c42cd5d3818d03a5c4dddbaf96bb29f6cbc8788b283068b812a"}) as unknown as TypedDocumentString<RecentOutcomesQuery, RecentOutcomesQueryVariables>;
export const ConversationPayloadsDocument = new TypedDocumentString(`
    query ConversationPayloads($id: ID!) {
  conversation(id: $id) {
    events {
      id
      payload
    }
  }
}
    `, {"documentId":"sha256:05a8daa32666bd317243f33186bebcdb679661a41d80efcaf735f4fc529c10f7"}) as unknown as TypedDocumentString<ConversationPayloadsQuery, ConversationPayloadsQueryVariables>;
export const TranscriptDocument = new TypedDocumentString(`
    query Transcript($id: ID!, $first: Int!, $after: String) {
  conversation(id: $id) {
    transcript(first: $first, after: $after) {
      pageInfo {
        endCursor
      }
      edges {
        node {
          id
          role
          text
          sentAt
        }
      }
    }
  }
}
    `, {"documentId":"sha256:f5ae5385aabcdf90af0c07890ee09b833945510f9c3dceb6c9b937a946416be4"}) as unknown as TypedDocumentString<TranscriptQuery, TranscriptQueryVariables>;
export const ConversationDocument = new TypedDocumentString(`
    query Conversation($id: ID!) {
  conversation(id: $id) {
    id
    visitorId
    status
    converted
    goal
    startedAt
    endedAt
    messageCount
    identity {
      resolvedPersonId
      firstName
      lastName
      email
      company
      jobTitle
    }
    outcome {
      category
      markedAt
    }
    conversions {
      id
      type
      goal
      value
      recordedAt
    }
    resolutions {
      id
      resolvedPersonId
      resolvedCompany
      recordedAt
    }
    handoffs {
      id
      schemaName
      urgency
      reason
      requestedAt
    }
    events {
      id
      event
      createdAt
    }
  }
}
    `, {"documentId":"sha256:364a70877b9a789c57be4da1d6e91311b8cb8388a2c07760f3986cdb553cdaa0"}) as unknown as TypedDocumentString<ConversationQuery, ConversationQueryVariables>;
export const ConversationChangeDocument = new TypedDocumentString(`
    subscription ConversationChange($id: ID!) {
  conversationUpdated(id: $id) {
    id
  }
}
    `, {"documentId":"sha256:2ff1a9d38111534b47c6ba6122b796fabc29031560a30334589ed9938ea6d325"}) as unknown as TypedDocumentString<ConversationChangeSubscription, ConversationChangeSubscriptionVariables>;
export const ConversationsDocument = new TypedDocumentString(`
    query Conversations($after: String, $status: ConversationStatus, $converted: Boolean, $since: DateTime, $text: String, $email: String, $visitorId: String, $resolvedPersonId: String, $company: String) {
  conversations(
    first: 50
    after: $after
    status: $status
    converted: $converted
    since: $since
    text: $text
    email: $email
    visitorId: $visitorId
    resolvedPersonId: $resolvedPersonId
    company: $company
  ) {
    pageInfo {
      hasNextPage
      endCursor
    }
    edges {
      node {
        id
        visitorId
        status
        converted
        goal
        startedAt
        messageCount
        identity {
          firstName
          lastName
          email
          company
          resolvedPersonId
        }
        outcome {
          category
        }
      }
    }
  }
}
    `, {"documentId":"sha256:280d1202bf0b7dca659f2a368e02dd7199eda8cbf486b0042575e7b26dd13458"}) as unknown as TypedDocumentString<ConversationsQuery, ConversationsQueryVariables>;
export const ConversationChangesDocument = new TypedDocumentString(`
    subscription ConversationChanges {
  conversationUpdated {
    id
    visitorId
    status
    converted
    goal
    startedAt
    messageCount
    identity {
      firstName
      lastName
      email
      company
      resolvedPersonId
    }
    outcome {
      category
    }
  }
}
    `, {"documentId":"sha256:20d3df65729e6b90ae4aa2d59b1dc20c9566e12a58e2cd5b8e0a4ac06a492fda"}) as unknown as TypedDocumentString<ConversationChangesSubscription, ConversationChangesSubscriptionVariables>;
export const CreateTenantDocument = new TypedDocumentString(`
    mutation CreateTenant($input: CreateTenantInput!) {
  createTenant(input: $input) {
    customerId
  }
}
    `, {"documentId":"sha256:c1cb9f6e721c4c14e809698f0f18c66879ceb9771c05afb66cb838e7b0cbc22b"}) as unknown as TypedDocumentString<CreateTenantMutation, CreateTenantMutationVariables>;
export const CreateApiKeyDocument = new TypedDocumentString(`
    mutation CreateApiKey($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    key
    apiKey {
      id
    }
  }
}
    `, {"documentId":"sha256:f4bffaa28304bbc8d5ecc9db8cde327a9594cf3d031ce220356ebc492949b536"}) as unknown as TypedDocumentString<CreateApiKeyMutation, CreateApiKeyMutationVariables>;
export const CustomerHealthDocument = new TypedDocumentString(`
    query CustomerHealth($since: DateTime!) {
  webhookEndpoints(first: 50) {
    edges {
      node {
        enabled
        disabledReason
        circuit {
          state
        }
      }
    }
  }
  webhookDeliveries(first: 1, status: failed, since: $since) {
    edges {
      node {
        id
      }
    }
  }
}
    `, {"documentId":"sha256:77fc7567ba4a6a048a46e5bc27fabb012353253ccee92b946150348d13a4eb01"}) as unknown as TypedDocumentString<CustomerHealthQuery, CustomerHealthQueryVariables>;
export const TenantsDocument = new TypedDocumentString(`
    query Tenants($after: String) {
  tenants(first: 50, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    edges {
      node {
        customerId
        orgId
        name
        createdAt
        suspendedAt
        deletionStartedAt
      }
    }
  }
}
    `, {"documentId":"sha256:00c969304e9f31c23a0452b839aae9bf59347f1fbde5426acdfe94340e62217c"}) as unknown as TypedDocumentString<TenantsQuery, TenantsQueryVariables>;
export const DeleteTenantDocument = new TypedDocumentString(`
    mutation DeleteTenant($customerId: Int!, $input: DeleteTenantInput!) {
  deleteTenant(customerId: $customerId, input: $input) {
    id
  }
}
    `, {"documentId":"sha256:1fadd0850528a994e125e9658760028e48a296944a802217060f03dec02bbe70"}) as unknown as TypedDocumentString<DeleteTenantMutation, DeleteTenantMutationVariables>;
export const TenantDeletionDocument = new TypedDocumentString(`
    query TenantDeletion($customerId: Int!) {
  tenantDeletion(customerId: $customerId) {
    status
    dryRun
    error
    counts {
      collection
      count
    }
  }
}
    `, {"documentId":"sha256:40a94859510d507062b1e230d41b119a9e9ea35db2d0559e63b6d5397502af65"}) as unknown as TypedDocumentString<TenantDeletionQuery, TenantDeletionQueryVariables>;
export const RevokeApiKeyDocument = new TypedDocumentString(`
    mutation RevokeApiKey($id: ID!) {
  revokeApiKey(id: $id) {
    id
  }
}
    `, {"documentId":"sha256:89bcf6ef60fb7a5f59aed7080cf31aed76523cc5f69b62a995387a359b3f5858"}) as unknown as TypedDocumentString<RevokeApiKeyMutation, RevokeApiKeyMutationVariables>;
export const ApiKeysDocument = new TypedDocumentString(`
    query ApiKeys($after: String, $text: String, $scope: KeyScope, $state: KeyState, $customerId: Int) {
  apiKeys(
    first: 50
    after: $after
    text: $text
    scope: $scope
    state: $state
    customerId: $customerId
  ) {
    pageInfo {
      hasNextPage
      endCursor
    }
    edges {
      node {
        id
        name
        state
        scope
        resources
        networks
        customerId
        prefix
        createdAt
        expiresAt
        expiresSoon
        lastUsedAt
        lastUsedAddress
        revokedAt
      }
    }
  }
}
    `, {"documentId":"sha256:c873130352a8a478e2ed6abb952f5fe4d2c6a2df34ba4fc3c865519b5eb72438"}) as unknown as TypedDocumentString<ApiKeysQuery, ApiKeysQueryVariables>;
export const RotateApiKeyDocument = new TypedDocumentString(`
    mutation RotateApiKey($id: ID!, $overlapSeconds: Int!) {
  rotateApiKey(id: $id, overlapSeconds: $overlapSeconds) {
    key
  }
}
    `, {"documentId":"sha256:e8e153179402a17bc7a7d97d28743536523e0da97645cf5f6a08b18cbfe78003"}) as unknown as TypedDocumentString<RotateApiKeyMutation, RotateApiKeyMutationVariables>;
export const SuspendTenantDocument = new TypedDocumentString(`
    mutation SuspendTenant($customerId: Int!) {
  suspendTenant(customerId: $customerId) {
    customerId
  }
}
    `, {"documentId":"sha256:1a3df88ab7cb0b586e190562d496c0118beec22c140c15138fbd4915abce9d00"}) as unknown as TypedDocumentString<SuspendTenantMutation, SuspendTenantMutationVariables>;
export const ResumeTenantDocument = new TypedDocumentString(`
    mutation ResumeTenant($customerId: Int!) {
  resumeTenant(customerId: $customerId) {
    customerId
  }
}
    `, {"documentId":"sha256:1492b1e868247d132e7c1aba70a1f803aa78c657525efbb5936ae93532ce1ee9"}) as unknown as TypedDocumentString<ResumeTenantMutation, ResumeTenantMutationVariables>;
export const DriftAlertsDocument = new TypedDocumentString(`
    query DriftAlerts($model: String, $stage: String) {
  active: driftAlerts(model: $model, stage: $stage, status: active) {
    ...DriftAlertDetails
  }
  acknowledged: driftAlerts(model: $model, stage: $stage, status: acknowledged) {
    ...DriftAlertDetails
  }
  cleared: driftAlerts(model: $model, stage: $stage, status: cleared, limit: 20) {
    ...DriftAlertDetails
  }
}
    fragment DriftAlertDetails on DriftAlert {
  id
  scope
  stage
  feature
  status
  since
  clearedAt
  score
  threshold
  features {
    feature
    score
    threshold
    bin {
      lower
      upper
      category
      missing
    }
    exampleIds
  }
  acknowledgement {
    note
    until
    at
  }
}`, {"documentId":"sha256:1d5dc2c08e6563805c9c57aea8d39b85a80089421ebe212510bfab92afb44ed7"}) as unknown as TypedDocumentString<DriftAlertsQuery, DriftAlertsQueryVariables>;
export const AcknowledgeDriftAlertDocument = new TypedDocumentString(`
    mutation AcknowledgeDriftAlert($id: ID!, $note: String!, $until: DateTime) {
  acknowledgeDriftAlert(id: $id, note: $note, until: $until) {
    id
  }
}
    `, {"documentId":"sha256:d9fc4977b7c3f3c539abbbb685ae16edd0100c15ded39ec68c0fa3f0e8c4f990"}) as unknown as TypedDocumentString<AcknowledgeDriftAlertMutation, AcknowledgeDriftAlertMutationVariables>;
export const WithdrawDriftAcknowledgementDocument = new TypedDocumentString(`
    mutation WithdrawDriftAcknowledgement($id: ID!) {
  withdrawDriftAcknowledgement(id: $id) {
    id
  }
}
    `, {"documentId":"sha256:971e34f7127af436db9cd996f279037ecfa0c61988d6a34b5b43d20cb43a2e3e"}) as unknown as TypedDocumentString<WithdrawDriftAcknowledgementMutation, WithdrawDriftAcknowledgementMutationVariables>;
export const CheckDriftDocument = new TypedDocumentString(`
    mutation CheckDrift($stage: String, $model: String) {
  triggerDriftCheck(stage: $stage, model: $model) {
    success
  }
}
    `, {"documentId":"sha256:52b81199a03fb2dd60ffb9fbae4731397805c761f41ac044f1d0cf9f8d8b2298"}) as unknown as TypedDocumentString<CheckDriftMutation, CheckDriftMutationVariables>;
export const DriftStatusDocument = new TypedDocumentString(`
    query DriftStatus($stage: String, $model: String) {
  driftStatus(stage: $stage, model: $model) {
    isDrifted
    driftScore
    threshold
    method
    lastChecked
    insufficientData
    components {
      features
      prediction
      outcome
    }
    componentDetails {
      features {
        ...ComponentDetail
      }
      prediction {
        ...ComponentDetail
      }
      outcome {
        ...ComponentDetail
      }
    }
    rows {
      reference
      current
    }
    featureDrifts {
      feature
      score
      drifted
      insufficientData
      type
      weight
      threshold
      noise
      significant
      rowsNeeded
      noData
      missing {
        reference
        current
      }
      newCategoryShare
      newCategories {
        count
      }
      vanishedCategories {
        count
      }
    }
  }
}
    fragment ComponentDetail on DriftComponentDetail {
  noise
  significant
  rowsNeeded
  coverage {
    reference
    current
  }
}`, {"documentId":"sha256:62b36cd8dfee6e2b851d28b8aaafb51a6eb699beab7a49e9c506337dd76e3bb1"}) as unknown as TypedDocumentString<DriftStatusQuery, DriftStatusQueryVariables>;
export const DriftStagesDocument = new TypedDocumentString(`
    query DriftStages($model: String) {
  driftStages(model: $model) {
    stage
  }
}
    `, {"documentId":"sha256:2fab927debfdb44424f8bae5950fa4013f8aa881c4add4a8901ee186a3ed4cad"}) as unknown as TypedDocumentString<DriftStagesQuery, DriftStagesQueryVariables>;
export const DriftHistoryDocument = new TypedDocumentString(`
    query DriftHistory($stage: String, $overall: Boolean, $feature: String, $model: String) {
  driftHistory(
    stage: $stage
    overall: $overall
    feature: $feature
    model: $model
    limit: 200
  ) {
    id
    driftScore
    isDrifted
    insufficientData
    checkedAt
    components {
      features
      prediction
      outcome
    }
    rows {
      reference
      current
    }
    featureScore
  }
}
    `, {"documentId":"sha256:d7862dffcf2cb304a3759019caaf9b00f1370031eb1cd8a23cb4de1420136ebe"}) as unknown as TypedDocumentString<DriftHistoryQuery, DriftHistoryQueryVariables>;
export const DriftFeatureDocument = new TypedDocumentString(`
    query DriftFeature($feature: String!, $stage: String, $model: String) {
  driftFeature(feature: $feature, stage: $stage, model: $model) {
    score
    driftedSince
    drifted
    insufficientData
    type
    weight
    threshold
    noise
    significant
    rowsNeeded
    noData
    jensenShannon
    wasserstein
    outOfRange
    rows {
      reference
      current
    }
    missing {
      reference
      current
    }
    coverage {
      reference
      current
    }
    newCategoryShare
    newCategories {
      count
      names
    }
    vanishedCategories {
      count
      names
    }
    bins {
      lower
      upper
      category
      missing
      reference {
        count
        share
      }
      current {
        count
        share
      }
      contribution
    }
    otherCategories {
      count
      contribution
    }
  }
}
    `, {"documentId":"sha256:ed082f279654b477f9c3dba9aa7a23841614a10cabbb7bcdee998d376de4464c"}) as unknown as TypedDocumentString<DriftFeatureQuery, DriftFeatureQueryVariables>;
export const DriftMutesDocument = new TypedDocumentString(`
    query DriftMutes($model: String) {
  driftMutes(model: $model) {
    id
    stage
    feature
    note
    until
  }
}
    `, {"documentId":"sha256:e2edf1434461138ff8c09b8fee327daa59c7bf3111077d6d8c0469965b90d541"}) as unknown as TypedDocumentString<DriftMutesQuery, DriftMutesQueryVariables>;
export const MuteDriftFeatureDocument = new TypedDocumentString(`
    mutation MuteDriftFeature($feature: String!, $model: String, $stage: String, $note: String, $until: DateTime) {
  muteDriftFeature(
    feature: $feature
    model: $model
    stage: $stage
    note: $note
    until: $until
  ) {
    id
  }
}
    `, {"documentId":"sha256:d04b9e244d41c142eb0cbf935679f621d79a17f1a3886dd1e6c64304309ad38d"}) as unknown as TypedDocumentString<MuteDriftFeatureMutation, MuteDriftFeatureMutationVariables>;
export const UnmuteDriftFeatureDocument = new TypedDocumentString(`
    mutation UnmuteDriftFeature($feature: String!, $model: String, $stage: String) {
  unmuteDriftFeature(feature: $feature, model: $model, stage: $stage) {
    id
  }
}
    `, {"documentId":"sha256:2aa9136c4403f35e75d789fb85db07000a5aa8e41b21d6e8866c8594548f32b2"}) as unknown as TypedDocumentString<UnmuteDriftFeatureMutation, UnmuteDriftFeatureMutationVariables>;
export const DriftFeatureSettingsDocument = new TypedDocumentString(`
    query DriftFeatureSettings($model: String) {
  driftFeatureSettings(model: $model) {
    feature
    weight
    threshold
  }
}
    `, {"documentId":"sha256:c628be840cd552dbad29e0119f7808aa9d4d8149c8e2f81a0c27336ba9817c3f"}) as unknown as TypedDocumentString<DriftFeatureSettingsQuery, DriftFeatureSettingsQueryVariables>;
export const SetDriftFeatureSettingsDocument = new TypedDocumentString(`
    mutation SetDriftFeatureSettings($features: [DriftFeatureSettingInput!]!, $model: String) {
  setDriftFeatureSettings(features: $features, model: $model) {
    feature
  }
}
    `, {"documentId":"sha256:1e1f4f3b87f044d87c397dc02cd66640f76614a5bd477fa2a162f9e03fdcbd96"}) as unknown as TypedDocumentString<SetDriftFeatureSettingsMutation, SetDriftFeatureSettingsMutationVariables>;
export const DriftModelsDocument = new TypedDocumentString(`
    query DriftModels {
  driftModels
}
    `, {"documentId":"sha256:d3f8ac0b85cd9c8b62fdeca316d25eefc47132310208a896cfb7d2fdfe5fe5b6"}) as unknown as TypedDocumentString<DriftModelsQuery, DriftModelsQueryVariables>;
export const DriftPerformanceDocument = new TypedDocumentString(`
    query DriftPerformance($stage: String, $model: String) {
  driftPerformance(stage: $stage, model: $model) {
    isProbabilistic
    weeks {
      week
      rows
      outcomes
      calibrationError
      auc
      accuracy
      estimatedAccuracy
    }
  }
}
    `, {"documentId":"sha256:a4116c7d57965e627179d7da1c8e1fd757bb30ba40173d864cf6e87960ec137c"}) as unknown as TypedDocumentString<DriftPerformanceQuery, DriftPerformanceQueryVariables>;
export const DriftPlannedChangesDocument = new TypedDocumentString(`
    query DriftPlannedChanges($model: String, $stage: String) {
  driftPlannedChanges(model: $model, stage: $stage, limit: 200) {
    id
    stage
    type
    title
    note
    startsAt
    endsAt
  }
}
    `, {"documentId":"sha256:995811d21717e8598169f072b68fc1d4d7bc2ec307149b25e17aa9abe6d3c07c"}) as unknown as TypedDocumentString<DriftPlannedChangesQuery, DriftPlannedChangesQueryVariables>;
export const CreateDriftPlannedChangeDocument = new TypedDocumentString(`
    mutation CreateDriftPlannedChange($type: DriftPlannedChangeType!, $title: String!, $startsAt: DateTime!, $endsAt: DateTime, $note: String, $model: String, $stage: String) {
  createDriftPlannedChange(
    type: $type
    title: $title
    startsAt: $startsAt
    endsAt: $endsAt
    note: $note
    model: $model
    stage: $stage
  ) {
    id
  }
}
    `, {"documentId":"sha256:054b0300c6e9958ef45e5ee50261c7c51b615633d3fa474e0f4fea434bcf0c87"}) as unknown as TypedDocumentString<CreateDriftPlannedChangeMutation, CreateDriftPlannedChangeMutationVariables>;
export const DeleteDriftPlannedChangeDocument = new TypedDocumentString(`
    mutation DeleteDriftPlannedChange($id: ID!) {
  deleteDriftPlannedChange(id: $id) {
    id
  }
}
    `, {"documentId":"sha256:769bccae22c5715a414b4760b8e33676aea1a394ac77212591207d568f46f5f0"}) as unknown as TypedDocumentString<DeleteDriftPlannedChangeMutation, DeleteDriftPlannedChangeMutationVariables>;
export const DisconnectRecorderDocument = new TypedDocumentString(`
    mutation DisconnectRecorder {
  disconnectRecorder
}
    `, {"documentId":"sha256:57840b52781b3a6c09f5d8087a4b437f434fdb2c7edb9ac9b7ee68aefb9ab044"}) as unknown as TypedDocumentString<DisconnectRecorderMutation, DisconnectRecorderMutationVariables>;
export const ConnectRecorderDocument = new TypedDocumentString(`
    mutation ConnectRecorder($apiKey: String!) {
  connectRecorder(apiKey: $apiKey) {
    status
  }
}
    `, {"documentId":"sha256:866051f8cef1f9f02d3010ee8699c9744bead4f1762773d5abb439c545ccfa27"}) as unknown as TypedDocumentString<ConnectRecorderMutation, ConnectRecorderMutationVariables>;
export const SyncProgressDocument = new TypedDocumentString(`
    subscription SyncProgress {
  meetingSyncProgress {
    ...SyncRun
  }
}
    fragment SyncRun on MeetingSyncRun {
  id
  status
  scope
  since
  until
  startedAt
  finishedAt
  pages
  fetched
  stored
  updated
  unchanged
  rejected
  warnings
  warningDetails {
    meeting
    path
    reason
  }
  skipped
  suppressed
  rateLimited
  oldestMeetingAt
  meetingsPerMinute
  estimatedRemainingSeconds
  error {
    code
    message
  }
}`, {"documentId":"sha256:81c94ce6f4cc4b2b09600104338d460d811f9201a4c05024ae128e82443bdc69"}) as unknown as TypedDocumentString<SyncProgressSubscription, SyncProgressSubscriptionVariables>;
export const RecorderWebhookDocument = new TypedDocumentString(`
    query RecorderWebhook {
  recorderWebhook {
    path
    hasSecret
  }
}
    `, {"documentId":"sha256:1e60a4d3631e0f917bd32dec4dee5f3796dd4981b787387140fb2be508ab9ff9"}) as unknown as TypedDocumentString<RecorderWebhookQuery, RecorderWebhookQueryVariables>;
export const RotateRecorderWebhookDocument = new TypedDocumentString(`
    mutation RotateRecorderWebhook {
  rotateRecorderWebhook {
    path
  }
}
    `, {"documentId":"sha256:c77d91a73176df84d29fd6a01f8dc5b4a2b2e6474470f1cf326b99b74a81d46f"}) as unknown as TypedDocumentString<RotateRecorderWebhookMutation, RotateRecorderWebhookMutationVariables>;
export const SetRecorderWebhookSecretDocument = new TypedDocumentString(`
    mutation SetRecorderWebhookSecret($secret: String) {
  setRecorderWebhookSecret(secret: $secret) {
    hasSecret
  }
}
    `, {"documentId":"sha256:4f51862b7cc6f51f775b8e23324016b455540ad912a0c9670ef868935f5a8240"}) as unknown as TypedDocumentString<SetRecorderWebhookSecretMutation, SetRecorderWebhookSecretMutationVariables>;
export const MeetingDocument = new TypedDocumentString(`
    query Meeting($id: String!) {
  meeting(recorderMeetingId: $id) {
    recorderMeetingId
    title
    startedAt
    endedAt
    participantsJson {
      name
      email
      role
    }
    summaryText
    sentimentScore
    storedAt
    deletedAt
    warnings {
      path
      reason
    }
  }
}
    `, {"documentId":"sha256:e1ada2b19af4c867f5921708e053e448fc6cf8092b20876d9324ebf95583510d"}) as unknown as TypedDocumentString<MeetingQuery, MeetingQueryVariables>;
export const MeetingTranscriptDocument = new TypedDocumentString(`
    query MeetingTranscript($id: String!) {
  meeting(recorderMeetingId: $id) {
    transcriptJson {
      speaker
      text
      startTime
      endTime
    }
  }
}
    `, {"documentId":"sha256:a61acc187a9f4f4f40b4196d70f260629d5a4cdd3af59d1a5bc0a253e52aecc0"}) as unknown as TypedDocumentString<MeetingTranscriptQuery, MeetingTranscriptQueryVariables>;
export const MeetingActivitiesDocument = new TypedDocumentString(`
    query MeetingActivities($after: String, $personExternalId: String) {
  meetingActivities(first: 50, after: $after, personExternalId: $personExternalId) {
    pageInfo {
      hasNextPage
      endCursor
    }
    edges {
      node {
        externalId
        occurredAt
        personExternalId
        properties
      }
    }
  }
}
    `, {"documentId":"sha256:513dc66a7e202f9dc4b21f71afc7571874a4bb2af692009876199593a6428e0c"}) as unknown as TypedDocumentString<MeetingActivitiesQuery, MeetingActivitiesQueryVariables>;
export const MeetingsDocument = new TypedDocumentString(`
    query Meetings($after: String, $since: DateTime, $search: String, $includeDeleted: Boolean) {
  meetings(
    first: 50
    after: $after
    since: $since
    search: $search
    includeDeleted: $includeDeleted
  ) {
    pageInfo {
      hasNextPage
      endCursor
    }
    edges {
      node {
        recorderMeetingId
        title
        startedAt
        endedAt
        storedAt
        deletedAt
        participantsJson {
          name
          email
        }
      }
    }
  }
}
    `, {"documentId":"sha256:39160647011611fcd8fc68ed95fc3acb9845942267be3d5448ff7b422215f83b"}) as unknown as TypedDocumentString<MeetingsQuery, MeetingsQueryVariables>;
export const MeetingSearchDocument = new TypedDocumentString(`
    query MeetingSearch($query: String!, $since: DateTime, $after: String) {
  meetingSearch(first: 20, after: $after, query: $query, since: $since) {
    pageInfo {
      hasNextPage
      endCursor
    }
    edges {
      node {
        meeting {
          recorderMeetingId
          title
          startedAt
        }
        matches {
          field
          snippet
          highlights {
            start
            end
          }
          segment {
            index
            speaker
            startTime
          }
        }
      }
    }
  }
}
    `, {"documentId":"sha256:9eb57f0c10e352597ded3ae55298d73c55c0511c58e737867554c6db8b624ada"}) as unknown as TypedDocumentString<MeetingSearchQuery, MeetingSearchQueryVariables>;
export const MeetingSearchBacklogDocument = new TypedDocumentString(`
    query MeetingSearchBacklog {
  meetingSearchBacklog
}
    `, {"documentId":"sha256:804e05285f21832ffa64a23d41b395b3c4537c3e4d670b9560c236d35398a282"}) as unknown as TypedDocumentString<MeetingSearchBacklogQuery, MeetingSearchBacklogQueryVariables>;
export const FieldMappingDocument = new TypedDocumentString(`
    query FieldMapping {
  recorderFieldMapping {
    sourceField: sourcePointer
    targetField
    transform
    required
  }
}
    `, {"documentId":"sha256:209b0507df7b7bd076c5acd77fccc8e100281d9e92fbc871ad01916806c30cc1"}) as unknown as TypedDocumentString<FieldMappingQuery, FieldMappingQueryVariables>;
export const UpdateFieldMappingDocument = new TypedDocumentString(`
    mutation UpdateFieldMapping($mappings: [FieldMappingInput!]!) {
  updateRecorderFieldMapping(mappings: $mappings) {
    sourceField: sourcePointer
    targetField
    transform
    required
  }
}
    `, {"documentId":"sha256:c3feb1f3ce7e913be2ca2812558c81151361c81439cecf6a8701d8348337372f"}) as unknown as TypedDocumentString<UpdateFieldMappingMutation, UpdateFieldMappingMutationVariables>;
export const MappingPreviewDocument = new TypedDocumentString(`
    query MappingPreview($mappings: [FieldMappingInput!]!, $id: String) {
  recorderFieldMappingPreview(mappings: $mappings, recorderMeetingId: $id) {
    recorderMeetingId
    hasRecord
    fields {
      sourcePointer
      targetField
      value
      warnings
    }
    activity {
      externalId
      properties
    }
  }
}
    `, {"documentId":"sha256:04a975ba48cd3f13784b7b98a56a63d9e1a4d954ff3f46d48c793a219ab36dd4"}) as unknown as TypedDocumentString<MappingPreviewQuery, MappingPreviewQueryVariables>;
export const ReprojectionDocument = new TypedDocumentString(`
    query Reprojection {
  activityReprojection {
    status
    total
    done
    withoutRecord
    skipped
    finishedAt
    estimatedRemainingSeconds
  }
}
    `, {"documentId":"sha256:06184633a4d34c5f8bf9c1e8362d778b116dad425d5f31b6d533f9c36da0f429"}) as unknown as TypedDocumentString<ReprojectionQuery, ReprojectionQueryVariables>;
export const SyncLogDocument = new TypedDocumentString(`
    query SyncLog($id: ID!, $after: String) {
  meetingSyncRun(id: $id) {
    log(first: 50, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      edges {
        cursor
        node {
          at
          type
          page
          count
          durationMs
          detail
        }
      }
    }
  }
}
    `, {"documentId":"sha256:ca9b36a83365be42b6816e42441f8e54e904cde9ba03e95a19ca1d572add0b80"}) as unknown as TypedDocumentString<SyncLogQuery, SyncLogQueryVariables>;
export const SyncRunDetailsDocument = new TypedDocumentString(`
    query SyncRunDetails($id: ID!) {
  meetingSyncRun(id: $id) {
    ...SyncRun
  }
}
    fragment SyncRun on MeetingSyncRun {
  id
  status
  scope
  since
  until
  startedAt
  finishedAt
  pages
  fetched
  stored
  updated
  unchanged
  rejected
  warnings
  warningDetails {
    meeting
    path
    reason
  }
  skipped
  suppressed
  rateLimited
  oldestMeetingAt
  meetingsPerMinute
  estimatedRemainingSeconds
  error {
    code
    message
  }
}`, {"documentId":"sha256:e6babd8ef3656ed81f441d42162d86d242641039966cf9062c849e4ae731e4f0"}) as unknown as TypedDocumentString<SyncRunDetailsQuery, SyncRunDetailsQueryVariables>;
export const SyncMeetingsDocument = new TypedDocumentString(`
    mutation SyncMeetings($since: DateTime, $until: DateTime, $fullResync: Boolean) {
  syncMeetings(since: $since, until: $until, fullResync: $fullResync) {
    id
  }
}
    `, {"documentId":"sha256:bcb76cb68b41d37272701d8f7241eef1b0c815eefe6b9ff8b219da1c283e7bd7"}) as unknown as TypedDocumentString<SyncMeetingsMutation, SyncMeetingsMutationVariables>;
export const CancelMeetingSyncDocument = new TypedDocumentString(`
    mutation CancelMeetingSync {
  cancelMeetingSync {
    id
  }
}
    `, {"documentId":"sha256:e166f63f9c1dc93c1f863ccf11f5a3f6a046c565bf9fd39c53aa9420d326c73c"}) as unknown as TypedDocumentString<CancelMeetingSyncMutation, CancelMeetingSyncMutationVariables>;
export const PauseMeetingSyncDocument = new TypedDocumentString(`
    mutation PauseMeetingSync {
  pauseMeetingSync {
    id
  }
}
    `, {"documentId":"sha256:a0810efd89624d0c65df96344d818acc78161f6879226a6c4cbeb0e7d700935d"}) as unknown as TypedDocumentString<PauseMeetingSyncMutation, PauseMeetingSyncMutationVariables>;
export const ResumeMeetingSyncDocument = new TypedDocumentString(`
    mutation ResumeMeetingSync {
  resumeMeetingSync {
    id
  }
}
    `, {"documentId":"sha256:f62b8d37b1da7ca05f91cb1226447110d68e7a7ae80b39faaef7200b67405999"}) as unknown as TypedDocumentString<ResumeMeetingSyncMutation, ResumeMeetingSyncMutationVariables>;
export const SyncRunsDocument = new TypedDocumentString(`
    query SyncRuns($after: String) {
  meetingSyncRuns(first: 10, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    edges {
      node {
        ...SyncRun
      }
    }
  }
}
    fragment SyncRun on MeetingSyncRun {
  id
  status
  scope
  since
  until
  startedAt
  finishedAt
  pages
  fetched
  stored
  updated
  unchanged
  rejected
  warnings
  warningDetails {
    meeting
    path
    reason
  }
  skipped
  suppressed
  rateLimited
  oldestMeetingAt
  meetingsPerMinute
  estimatedRemainingSeconds
  error {
    code
    message
  }
}`, {"documentId":"sha256:5dffb3a1ec5d017f3d81516f0893c95861b5ab4a57a9114816a4b07c89abd714"}) as unknown as TypedDocumentString<SyncRunsQuery, SyncRunsQueryVariables>;
export const RecorderDocument = new TypedDocumentString(`
    query Recorder {
  recorderConnection {
    ...Connection
  }
}
    fragment Connection on RecorderConnection {
  status
  connectedAt
  lastSyncAt
  nextSyncAt
  lastRun {
    ...SyncRun
  }
}
fragment SyncRun on MeetingSyncRun {
  id
  status
  scope
  since
  until
  startedAt
  finishedAt
  pages
  fetched
  stored
  updated
  unchanged
  rejected
  warnings
  warningDetails {
    meeting
    path
    reason
  }
  skipped
  suppressed
  rateLimited
  oldestMeetingAt
  meetingsPerMinute
  estimatedRemainingSeconds
  error {
    code
    message
  }
}`, {"documentId":"sha256:8de5d57850fbebcb1e85ae159bebbfbff0ef80414e13bc93b23ec0fab9c82824"}) as unknown as TypedDocumentString<RecorderQuery, RecorderQueryVariables>;
export const HealthDocument = new TypedDocumentString(`
    query Health {
  health {
    status
    version
    uptimeSeconds
    database {
      status
      latencyMs
    }
    sidecar {
      status
      latencyMs
      modelVersion
    }
    jobs {
      status
      lastRunAt
    }
    auditLog {
      status
    }
    encryption {
      status
    }
    outboundProxy {
      status
      error
    }
  }
}
    `, {"documentId":"sha256:cb51bc6889ce2f7c330eca676f24c166395dd8542395f4909188851340742549"}) as unknown as TypedDocumentString<HealthQuery, HealthQueryVariables>;
export const HandedOffConversationsDocument = new TypedDocumentString(`
    query HandedOffConversations {
  conversations(first: 50, status: handed_off) {
    pageInfo {
      hasNextPage
    }
    edges {
      node {
        id
        visitorId
        identity {
          firstName
          lastName
          email
        }
        handoffs {
          id
          urgency
          requestedAt
        }
      }
    }
  }
}
    `, {"documentId":"sha256:e48fd3601b0b2102ecc63122ac0fea94a24b5f348d75c06c9cc1f6359387aa4d"}) as unknown as TypedDocumentString<HandedOffConversationsQuery, HandedOffConversationsQueryVariables>;
export const LatestFailedDocument = new TypedDocumentString(`
    query LatestFailed($since: DateTime!) {
  webhookDeliveries(first: 1, status: failed, since: $since) {
    edges {
      node {
        id
        lastAttemptAt
      }
    }
  }
}
    `, {"documentId":"sha256:2fe06fad689ee1cf91a2ab7d01e15862e9bd08c17b4de1894e767e7eb6961592"}) as unknown as TypedDocumentString<LatestFailedQuery, LatestFailedQueryVariables>;
export const RecentActivityDocument = new TypedDocumentString(`
    query RecentActivity($since: DateTime!) {
  activity(since: $since) {
    events {
      event
      count
    }
    deliveries {
      status
      count
    }
    conversations {
      status
      count
    }
  }
  webhookDeliveries(first: 1, status: failed) {
    edges {
      node {
        id
        lastAttemptAt
      }
    }
  }
}
    `, {"documentId":"sha256:60dedc763e1d79e23157c5bf3b743d79357315cd9ef24b84df5789ec29181d65"}) as unknown as TypedDocumentString<RecentActivityQuery, RecentActivityQueryVariables>;
export const ErasePersonDocument = new TypedDocumentString(`
    mutation ErasePerson($input: ErasePersonInput!) {
  erasePerson(input: $input) {
    id
  }
}
    `, {"documentId":"sha256:c902157cda4324e1f2989e343d417878c4fb586bd7da427805bd6d420c8edf5f"}) as unknown as TypedDocumentString<ErasePersonMutation, ErasePersonMutationVariables>;
export const ErasureDocument = new TypedDocumentString(`
    query Erasure($id: ID!) {
  erasure(id: $id) {
    id
    status
    dryRun
    error
    counts {
      kind
      count
    }
  }
}
    `, {"documentId":"sha256:f4e0c0308a8da36922849a0826818acb1ff2008e9febeebd4df29a8970a3a96f"}) as unknown as TypedDocumentString<ErasureQuery, ErasureQueryVariables>;
export const ErasuresDocument = new TypedDocumentString(`
    query Erasures {
  erasures(first: 10) {
    edges {
      node {
        id
        status
        dryRun
        suppress
        startedAt
        counts {
          count
        }
      }
    }
  }
}
    `, {"documentId":"sha256:750bffa780108331aca701291c6c94d238b2ee3bfd5152b18714ca7f6aa28cd5"}) as unknown as TypedDocumentString<ErasuresQuery, ErasuresQueryVariables>;
export const RetentionDocument = new TypedDocumentString(`
    query Retention {
  retention {
    conversations
    transcripts
    meetings
    previewEvents
    eventsAndDeliveries
    auditLog
    lastRunAt
    failed
    removed {
      conversations
      transcripts
      meetings
      previewEvents
      eventsAndDeliveries
      auditLog
    }
  }
}
    `, {"documentId":"sha256:37f646e73d4bd54bf57932f4e3b09ac43700dff20b608ff79a93790ada8ac00d"}) as unknown as TypedDocumentString<RetentionQuery, RetentionQueryVariables>;
export const RetentionPreviewDocument = new TypedDocumentString(`
    query RetentionPreview($conversations: Int, $transcripts: Int, $meetings: Int, $previewEvents: Int, $eventsAndDeliveries: Int, $auditLog: Int) {
  retentionPreview(
    conversations: $conversations
    transcripts: $transcripts
    meetings: $meetings
    previewEvents: $previewEvents
    eventsAndDeliveries: $eventsAndDeliveries
    auditLog: $auditLog
  ) {
    conversations
    transcripts
    meetings
    previewEvents
    eventsAndDeliveries
    auditLog
  }
}
    `, {"documentId":"sha256:49c14c53ead93e72a969d810094a60a8a136d8219011f6be543fcbfcd97e0be0"}) as unknown as TypedDocumentString<RetentionPreviewQuery, RetentionPreviewQueryVariables>;
export const UpdateRetentionDocument = new TypedDocumentString(`
    mutation UpdateRetention($input: UpdateRetentionInput!) {
  updateRetention(input: $input) {
    updatedAt
  }
}
    `, {"documentId":"sha256:1ee67b97c0b8a289cfb71fdae86ef9db99dc0196fabe2bc53c0eab6e2e34151c"}) as unknown as TypedDocumentString<UpdateRetentionMutation, UpdateRetentionMutationVariables>;
export const ConsoleSessionsDocument = new TypedDocumentString(`
    query ConsoleSessions {
  consoleSessions {
    id
    startedAt
    lastUsedAt
    expiresAt
    address
    isCurrent
  }
}
    `, {"documentId":"sha256:abf1208252c684ac13575c3339479512435f260f438c80d72f7aa28c30770fa9"}) as unknown as TypedDocumentString<ConsoleSessionsQuery, ConsoleSessionsQueryVariables>;
export const EndConsoleSessionDocument = new TypedDocumentString(`
    mutation EndConsoleSession($id: ID!) {
  endConsoleSession(id: $id) {
    id
  }
}
    `, {"documentId":"sha256:73bb4cc69cc07c2c80c271e920346795d80a57d1b41fb5f454abf3157f4133f1"}) as unknown as TypedDocumentString<EndConsoleSessionMutation, EndConsoleSessionMutationVariables>;
export const DeliveriesDocument = new TypedDocumentString(`
    query Deliveries($first: Int!, $after: String, $endpointId: Int, $status: WebhookDeliveryStatus, $event: String, $eventId: ID, $conversationId: ID, $text: String, $since: DateTime, $until: DateTime) {
  webhookDeliveries(
    first: $first
    after: $after
    endpointId: $endpointId
    status: $status
    event: $event
    eventId: $eventId
    conversationId: $conversationId
    text: $text
    since: $since
    until: $until
  ) {
    pageInfo {
      hasNextPage
      endCursor
    }
    edges {
      node {
        ...DeliveryRow
      }
    }
  }
}
    fragment DeliveryRow on WebhookDelivery {
  id
  endpointId
  eventId
  event
  status
  attempt
  nextRetryAt
  waitingFor
  createdAt
  lastAttemptAt
  responseStatus
  error
  failureReason
  durationMs
}`, {"documentId":"sha256:94cda4ce2dd694107e0541df68e4c4e5b3a35e902b0af9182badd6f78ec999e7"}) as unknown as TypedDocumentString<DeliveriesQuery, DeliveriesQueryVariables>;
export const DeliveriesWithSubjectsDocument = new TypedDocumentString(`
    query DeliveriesWithSubjects($first: Int!, $after: String, $endpointId: Int, $status: WebhookDeliveryStatus, $event: String, $eventId: ID, $conversationId: ID, $text: String, $since: DateTime, $until: DateTime) {
  webhookDeliveries(
    first: $first
    after: $after
    endpointId: $endpointId
    status: $status
    event: $event
    eventId: $eventId
    conversationId: $conversationId
    text: $text
    since: $since
    until: $until
  ) {
    pageInfo {
      hasNextPage
      endCursor
    }
    edges {
      node {
        ...DeliveryRow
        ...DeliverySubject
      }
    }
  }
}
    fragment DeliveryRow on WebhookDelivery {
  id
  endpointId
  eventId
  event
  status
  attempt
  nextRetryAt
  waitingFor
  createdAt
  lastAttemptAt
  responseStatus
  error
  failureReason
  durationMs
}
fragment DeliverySubject on WebhookDelivery {
  sourceEvent {
    conversionType
    visitorId
    conversation {
      id
      visitorId
      goal
      identity {
        firstName
        lastName
        email
      }
    }
  }
}`, {"documentId":"sha256:3111be949256b4efcc43b10fa3ea7d5617fe31f234a67893df7a33bc543cad2c"}) as unknown as TypedDocumentString<DeliveriesWithSubjectsQuery, DeliveriesWithSubjectsQueryVariables>;
export const DeliveryChangesDocument = new TypedDocumentString(`
    subscription DeliveryChanges($endpointId: Int) {
  webhookDeliveryUpdated(endpointId: $endpointId) {
    ...DeliveryRow
  }
}
    fragment DeliveryRow on WebhookDelivery {
  id
  endpointId
  eventId
  event
  status
  attempt
  nextRetryAt
  waitingFor
  createdAt
  lastAttemptAt
  responseStatus
  error
  failureReason
  durationMs
}`, {"documentId":"sha256:005e6013145d6d182e5f290bc4e45d8f9c189f5dfc33ff10f50197dca98d3c01"}) as unknown as TypedDocumentString<DeliveryChangesSubscription, DeliveryChangesSubscriptionVariables>;
export const ExplainDeliveryDocument = new TypedDocumentString(`
    query ExplainDelivery($eventId: ID!, $endpointId: Int!) {
  explainDelivery(eventId: $eventId, endpointId: $endpointId) {
    reason
    message
  }
}
    `, {"documentId":"sha256:de3363839b141453b4211722ece349275420548d6289434ad58e46097fb37e2f"}) as unknown as TypedDocumentString<ExplainDeliveryQuery, ExplainDeliveryQueryVariables>;
export const ResendDeliveryDocument = new TypedDocumentString(`
    mutation ResendDelivery($id: ID!) {
  resendWebhookDelivery(id: $id) {
    id
  }
}
    `, {"documentId":"sha256:ec131a7e85d9bdf43bfdc85782d6f73645255d36f5d0d64a8fe4982e9d8a12b4"}) as unknown as TypedDocumentString<ResendDeliveryMutation, ResendDeliveryMutationVariables>;
export const SearchedDeliveryDocument = new TypedDocumentString(`
    query SearchedDelivery($id: ID!) {
  webhookDelivery(id: $id) {
    id
  }
}
    `, {"documentId":"sha256:acd228af4934eaf865f4fb139a0c31bf1f6f0baf12aefea1769d964d09197e7a"}) as unknown as TypedDocumentString<SearchedDeliveryQuery, SearchedDeliveryQueryVariables>;
export const SearchedEventDocument = new TypedDocumentString(`
    query SearchedEvent($id: ID!) {
  webhookEvent(id: $id) {
    id
  }
}
    `, {"documentId":"sha256:bd4d03a6f08bf4146ea3ebfba5a3c4b0b30a70702fc4dd02de7f765209078b0f"}) as unknown as TypedDocumentString<SearchedEventQuery, SearchedEventQueryVariables>;
export const SearchedConversationDocument = new TypedDocumentString(`
    query SearchedConversation($id: ID!) {
  conversation(id: $id) {
    id
  }
}
    `, {"documentId":"sha256:d4ba1a98e03a318506567ff0be8bcb08db7858de8d96a55af31c6a3a9837007d"}) as unknown as TypedDocumentString<SearchedConversationQuery, SearchedConversationQueryVariables>;
export const DeliveryDetailDocument = new TypedDocumentString(`
    query DeliveryDetail($id: ID!) {
  webhookDelivery(id: $id) {
    ...DeliveryRow
    payload
    scheduledAttempts
    manualAttempts
    attempts {
      number
      at
      manual
      probe
      responseStatus
      responseBody
      requestHeaders {
        name
        value
      }
      responseHeaders {
        name
        value
      }
      error
      durationMs
    }
  }
}
    fragment DeliveryRow on WebhookDelivery {
  id
  endpointId
  eventId
  event
  status
  attempt
  nextRetryAt
  waitingFor
  createdAt
  lastAttemptAt
  responseStatus
  error
  failureReason
  durationMs
}`, {"documentId":"sha256:f6b95bd1de69ec0fd52d67780b6f2505565f42c58d3a9aef488352faa2dd7225"}) as unknown as TypedDocumentString<DeliveryDetailQuery, DeliveryDetailQueryVariables>;
export const DeliverySubjectOfDocument = new TypedDocumentString(`
    query DeliverySubjectOf($id: ID!) {
  webhookDelivery(id: $id) {
    ...DeliverySubject
  }
}
    fragment DeliverySubject on WebhookDelivery {
  sourceEvent {
    conversionType
    visitorId
    conversation {
      id
      visitorId
      goal
      identity {
        firstName
        lastName
        email
      }
    }
  }
}`, {"documentId":"sha256:0ca0af5a952b1d924d34bfea23bc7b5648fae70305c95c6e9194fc1e2690c117"}) as unknown as TypedDocumentString<DeliverySubjectOfQuery, DeliverySubjectOfQueryVariables>;
export const EndpointCatchUpDocument = new TypedDocumentString(`
    query EndpointCatchUp($id: Int!, $since: DateTime!) {
  webhookEndpoint(id: $id) {
    succeeded: deliveries(first: 1, status: succeeded) {
      edges {
        node {
          ...CatchUpDelivery
        }
      }
    }
    retrying: deliveries(first: 1, status: retrying) {
      edges {
        node {
          ...CatchUpDelivery
        }
      }
    }
    failed: deliveries(first: 10, status: failed, since: $since) {
      edges {
        node {
          ...CatchUpDelivery
          attempts {
            manual
            responseStatus
          }
        }
      }
    }
    cancelled: deliveries(first: 1, status: cancelled, since: $since) {
      edges {
        node {
          eventId
        }
      }
    }
  }
}
    fragment CatchUpDelivery on WebhookDelivery {
  error
  failureReason
  lastAttemptAt
  nextRetryAt
  waitingFor
}`, {"documentId":"sha256:adae0332bdc4d445e8d70fbc65ad7437f98305616a5f0058d44a47f864b51918"}) as unknown as TypedDocumentString<EndpointCatchUpQuery, EndpointCatchUpQueryVariables>;
export const CreateEndpointDocument = new TypedDocumentString(`
    mutation CreateEndpoint($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) {
    secret
    endpoint {
      id
      publicKey
    }
  }
}
    `, {"documentId":"sha256:feb583e600c6535e6d3a4e565cc6b228ebc60b2eb583cdc0c5884bd4af31d798"}) as unknown as TypedDocumentString<CreateEndpointMutation, CreateEndpointMutationVariables>;
export const CancelBacklogDocument = new TypedDocumentString(`
    mutation CancelBacklog($id: Int!) {
  cancelWebhookBacklog(endpointId: $id) {
    cancelled
  }
}
    `, {"documentId":"sha256:66331afc44eb889f849fa0c0f9bee14820defab1a6e041f450d345fd630f715b"}) as unknown as TypedDocumentString<CancelBacklogMutation, CancelBacklogMutationVariables>;
export const RotateSecretDocument = new TypedDocumentString(`
    mutation RotateSecret($id: Int!, $overlapSeconds: Int!) {
  rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) {
    secret
    publicKey
  }
}
    `, {"documentId":"sha256:fd7f57255460f1a934bfe7d9f9aac1e2470bb5956bbd45991f3d7444e0c29a70"}) as unknown as TypedDocumentString<RotateSecretMutation, RotateSecretMutationVariables>;
export const DeleteEndpointDocument = new TypedDocumentString(`
    mutation DeleteEndpoint($id: Int!) {
  deleteWebhookEndpoint(id: $id) {
    id
  }
}
    `, {"documentId":"sha256:6aa5436666b129835790d51f0517914851f41044ab153af1f27edb0899b8090c"}) as unknown as TypedDocumentString<DeleteEndpointMutation, DeleteEndpointMutationVariables>;
export const MonitoredEndpointsDocument = new TypedDocumentString(`
    query MonitoredEndpoints {
  webhookEndpoints(first: 50) {
    edges {
      node {
        ...EndpointRow
        ...LatestAttempts
      }
    }
  }
}
    fragment LatestAttempts on WebhookEndpoint {
  succeeded: deliveries(first: 1, status: succeeded) {
    edges {
      node {
        ...LatestAttempt
      }
    }
  }
  retrying: deliveries(first: 1, status: retrying) {
    edges {
      node {
        ...LatestAttempt
      }
    }
  }
  failed: deliveries(first: 1, status: failed) {
    edges {
      node {
        ...LatestAttempt
      }
    }
  }
}
fragment LatestAttempt on WebhookDelivery {
  error
  lastAttemptAt
}
fragment EndpointRow on WebhookEndpoint {
  id
  url
  description
  events
  filter
  payload
  enabled
  disabledReason
  circuit {
    state
    since
    reason
  }
  headers
  authentication {
    oauth2 {
      tokenUrl
      clientId
      scope
      audience
      clientAuthentication
    }
    mtls {
      certificateExpiresAt
      certificateSubject
    }
  }
  signing
  publicKey
  previousSecretExpiresAt
  timeoutSeconds
  paused
  autoRecover
  ordering
  rateLimit {
    count
    perSeconds
  }
  createdAt
  updatedAt
}`, {"documentId":"sha256:2b63b3246019606b024eb6749f91feebeefa072689c4815ca866bb71ddfb92b9"}) as unknown as TypedDocumentString<MonitoredEndpointsQuery, MonitoredEndpointsQueryVariables>;
export const ListedEndpointsDocument = new TypedDocumentString(`
    query ListedEndpoints {
  webhookEndpoints(first: 50) {
    edges {
      node {
        ...EndpointRow
        ...LatestAttempts
        deliveries(first: 1) {
          edges {
            node {
              id
              status
              createdAt
            }
          }
        }
      }
    }
  }
}
    fragment LatestAttempts on WebhookEndpoint {
  succeeded: deliveries(first: 1, status: succeeded) {
    edges {
      node {
        ...LatestAttempt
      }
    }
  }
  retrying: deliveries(first: 1, status: retrying) {
    edges {
      node {
        ...LatestAttempt
      }
    }
  }
  failed: deliveries(first: 1, status: failed) {
    edges {
      node {
        ...LatestAttempt
      }
    }
  }
}
fragment LatestAttempt on WebhookDelivery {
  error
  lastAttemptAt
}
fragment EndpointRow on WebhookEndpoint {
  id
  url
  description
  events
  filter
  payload
  enabled
  disabledReason
  circuit {
    state
    since
    reason
  }
  headers
  authentication {
    oauth2 {
      tokenUrl
      clientId
      scope
      audience
      clientAuthentication
    }
    mtls {
      certificateExpiresAt
      certificateSubject
    }
  }
  signing
  publicKey
  previousSecretExpiresAt
  timeoutSeconds
  paused
  autoRecover
  ordering
  rateLimit {
    count
    perSeconds
  }
  createdAt
  updatedAt
}`, {"documentId":"sha256:2fe52f335dd457568e31efe960859db089c15053b9380eae9ddd419a5af48194"}) as unknown as TypedDocumentString<ListedEndpointsQuery, ListedEndpointsQueryVariables>;
export const RecoverDeliveriesDocument = new TypedDocumentString(`
    mutation RecoverDeliveries($endpointId: Int!, $since: DateTime!, $until: DateTime, $dryRun: Boolean!) {
  recoverWebhookDeliveries(
    endpointId: $endpointId
    since: $since
    until: $until
    dryRun: $dryRun
  ) {
    queued
    open
  }
}
    `, {"documentId":"sha256:ba5850e038165b4643e1da0853c0e17feec63c6959dd48b888078c2320bf6b10"}) as unknown as TypedDocumentString<RecoverDeliveriesMutation, RecoverDeliveriesMutationVariables>;
export const ReplayDeliveriesDocument = new TypedDocumentString(`
    mutation ReplayDeliveries($endpointId: Int!, $since: DateTime!, $until: DateTime, $status: WebhookDeliveryStatus, $dryRun: Boolean!) {
  replayWebhookDeliveries(
    endpointId: $endpointId
    since: $since
    until: $until
    status: $status
    dryRun: $dryRun
  ) {
    count
  }
}
    `, {"documentId":"sha256:7b21b1ed4cdc75f527de570f2bae2cef19594496a3b73e86bb2d860b269ebb8c"}) as unknown as TypedDocumentString<ReplayDeliveriesMutation, ReplayDeliveriesMutationVariables>;
export const RetryBacklogDocument = new TypedDocumentString(`
    mutation RetryBacklog($endpointId: Int!, $since: DateTime!, $until: DateTime, $event: String, $dryRun: Boolean!) {
  retryWebhookBacklog(
    endpointId: $endpointId
    since: $since
    until: $until
    event: $event
    dryRun: $dryRun
  ) {
    count
  }
}
    `, {"documentId":"sha256:048f17aa7519070fe87ebfbcd39ce31c79b5796d0b0d232a1dda6d606ace9f99"}) as unknown as TypedDocumentString<RetryBacklogMutation, RetryBacklogMutationVariables>;
export const SendTestEventDocument = new TypedDocumentString(`
    mutation SendTestEvent($endpointId: Int!, $event: String!, $data: JSON) {
  sendTestWebhook(endpointId: $endpointId, event: $event, data: $data) {
    id
  }
}
    `, {"documentId":"sha256:08e079e3c1319eff65fee015052277756bbef496145a929f34f49f9b94b5258c"}) as unknown as TypedDocumentString<SendTestEventMutation, SendTestEventMutationVariables>;
export const EventExamplesDocument = new TypedDocumentString(`
    query EventExamples {
  eventTypes {
    name
    example
  }
}
    `, {"documentId":"sha256:14694297557f155c50ae4fc2a2a42ad58199b86f6c3a64f0e3f2e75ec4cd954a"}) as unknown as TypedDocumentString<EventExamplesQuery, EventExamplesQueryVariables>;
export const EndpointStatisticsDocument = new TypedDocumentString(`
    query EndpointStatistics($id: Int!) {
  webhookEndpoint(id: $id) {
    ...EndpointBacklog
    statistics {
      succeeded
      failed
      attempts
      failedAttempts
      p50
      p95
      failingSince
      steps {
        startsAt
        attempts
        failedAttempts
        p50
        p95
      }
    }
  }
}
    fragment EndpointBacklog on WebhookEndpoint {
  backlog
  oldestWaitingAt
  scheduledRetries
}`, {"documentId":"sha256:792191cfac30409033491b69fe1431130f28e63c8173dd32230f7fed60806284"}) as unknown as TypedDocumentString<EndpointStatisticsQuery, EndpointStatisticsQueryVariables>;
export const EndpointResultsDocument = new TypedDocumentString(`
    query EndpointResults {
  webhookEndpoints(first: 50) {
    edges {
      node {
        id
        statistics {
          attempts
          failedAttempts
          p95
          failingSince
        }
      }
    }
  }
}
    `, {"documentId":"sha256:dbd6612e7ea2940e0e93ff6ef577b7377e262037f4f078d71c1d192c8d25856d"}) as unknown as TypedDocumentString<EndpointResultsQuery, EndpointResultsQueryVariables>;
export const EndpointBacklogsDocument = new TypedDocumentString(`
    query EndpointBacklogs {
  webhookEndpoints(first: 50) {
    edges {
      node {
        id
        ...EndpointBacklog
      }
    }
  }
}
    fragment EndpointBacklog on WebhookEndpoint {
  backlog
  oldestWaitingAt
  scheduledRetries
}`, {"documentId":"sha256:b99ff27080aad1ca625af95675d6f804d2eccaebf6bfa52bdc35a956c4d98b34"}) as unknown as TypedDocumentString<EndpointBacklogsQuery, EndpointBacklogsQueryVariables>;
export const EndpointsDocument = new TypedDocumentString(`
    query Endpoints {
  webhookEndpoints(first: 50) {
    edges {
      node {
        ...EndpointRow
      }
    }
  }
}
    fragment EndpointRow on WebhookEndpoint {
  id
  url
  description
  events
  filter
  payload
  enabled
  disabledReason
  circuit {
    state
    since
    reason
  }
  headers
  authentication {
    oauth2 {
      tokenUrl
      clientId
      scope
      audience
      clientAuthentication
    }
    mtls {
      certificateExpiresAt
      certificateSubject
    }
  }
  signing
  publicKey
  previousSecretExpiresAt
  timeoutSeconds
  paused
  autoRecover
  ordering
  rateLimit {
    count
    perSeconds
  }
  createdAt
  updatedAt
}`, {"documentId":"sha256:6ca66b962ae34f1702f87e25eda1586e387aed9a6c3d617a22cf7f3cb6709cf3"}) as unknown as TypedDocumentString<EndpointsQuery, EndpointsQueryVariables>;
export const EndpointDocument = new TypedDocumentString(`
    query Endpoint($id: Int!) {
  webhookEndpoint(id: $id) {
    ...EndpointRow
  }
}
    fragment EndpointRow on WebhookEndpoint {
  id
  url
  description
  events
  filter
  payload
  enabled
  disabledReason
  circuit {
    state
    since
    reason
  }
  headers
  authentication {
    oauth2 {
      tokenUrl
      clientId
      scope
      audience
      clientAuthentication
    }
    mtls {
      certificateExpiresAt
      certificateSubject
    }
  }
  signing
  publicKey
  previousSecretExpiresAt
  timeoutSeconds
  paused
  autoRecover
  ordering
  rateLimit {
    count
    perSeconds
  }
  createdAt
  updatedAt
}`, {"documentId":"sha256:1f28d13e427dce1858fc587896fd9b0219ef9f2dc8b02144095e7bb5495b60b3"}) as unknown as TypedDocumentString<EndpointQuery, EndpointQueryVariables>;
export const UpdateEndpointDocument = new TypedDocumentString(`
    mutation UpdateEndpoint($id: Int!, $input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(id: $id, input: $input) {
    id
  }
}
    `, {"documentId":"sha256:f2f817e82475db76eafd835ff434cb3c83f0ab0f7cab68d2f6077e93ddf87495"}) as unknown as TypedDocumentString<UpdateEndpointMutation, UpdateEndpointMutationVariables>;
export const DeleteEventFeedDocument = new TypedDocumentString(`
    mutation DeleteEventFeed($name: String!) {
  deleteEventFeed(name: $name) {
    name
  }
}
    `, {"documentId":"sha256:e1b248888d8903168558fc23769507c2c0a9a7b1a25140483326fea8372505a1"}) as unknown as TypedDocumentString<DeleteEventFeedMutation, DeleteEventFeedMutationVariables>;
export const EventFeedsDocument = new TypedDocumentString(`
    query EventFeeds {
  eventFeeds {
    name
    consumer
    heldUntil
    usedAt
    behind
    behindSince
    lost
  }
}
    `, {"documentId":"sha256:989297b27f838486fba3e60a4a3b408971e04f4b4b06a5c0c074a2ecbe95d5a3"}) as unknown as TypedDocumentString<EventFeedsQuery, EventFeedsQueryVariables>;
export const SeekEventFeedDocument = new TypedDocumentString(`
    mutation SeekEventFeed($name: String!, $to: String!) {
  seekEventFeed(name: $name, to: $to) {
    name
  }
}
    `, {"documentId":"sha256:265f22df8d5ac465957e54f7bd9f38645c3a822a5804e811ddf15e1dfc16f02f"}) as unknown as TypedDocumentString<SeekEventFeedMutation, SeekEventFeedMutationVariables>;
export const EventTypesDocument = new TypedDocumentString(`
    query EventTypes {
  eventTypes {
    name
    description
  }
}
    `, {"documentId":"sha256:ddc2fd1d5c49f689e7f215de71ef3ead898dca189e0ecac4609f719834a9afc9"}) as unknown as TypedDocumentString<EventTypesQuery, EventTypesQueryVariables>;
export const CustomerCheckDocument = new TypedDocumentString(`
    query CustomerCheck {
  viewer {
    scope
  }
}
    `, {"documentId":"sha256:0655db4ac30ab2a7d2e264ffee20719e4c03f0062f9003be3fc187b7d77ca1f5"}) as unknown as TypedDocumentString<CustomerCheckQuery, CustomerCheckQueryVariables>;