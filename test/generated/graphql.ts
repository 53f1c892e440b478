/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Health of one component. */
export type ComponentStatus =
  /** The component does not work. */
  | 'down'
  /** The component works. */
  | 'up';

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

/** How the credentials are sent to the token server (RFC 6749 section 2.3.1). */
export type OAuth2ClientAuthentication =
  /** In the header `Authorization`. */
  | 'client_secret_basic'
  /** In the body. */
  | 'client_secret_post';

/** An event that a visitor caused. */
export type RecordEventInput = {
  /** Conversation that the event belongs to; default for a conversion: the visitor's newest conversation, if there is one. */
  conversationId?: string | number | null | undefined;
  /** Goal that was reached; required for a conversion, whose `conversionType` it is. */
  goal?: string | null | undefined;
  /** Time of the event; default: now. */
  occurredAt?: string | null | undefined;
  /** Custom properties; at most 16 KiB of JSON and five levels. */
  properties?: Record<string, unknown> | null | undefined;
  /** `conversion` or a custom type: a lower-case letter and up to 63 more of a-z, 0-9, _ . : - */
  type: string;
  /** Value of the event, in the customer's own unit. */
  value?: number | null | undefined;
  /** Visitor who caused the event, in the customer's own IDs; at most 500 characters. */
  visitorId: string;
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

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { scope: KeyScope, expiresAt: string | null, tenant: { customerId: number, orgId: string } | null } };

export type CreateEndpointMutationVariables = Exact<{
  input: CreateWebhookEndpointInput;
}>;


export type CreateEndpointMutation = { createWebhookEndpoint: { secret: string, endpoint: { id: number, customerId: number, url: string, description: string | null, events: Array<string> | null, enabled: boolean, disabledReason: WebhookDisabledReason | null, createdAt: string } } };

export type UpdateEndpointMutationVariables = Exact<{
  id: number;
  input: UpdateWebhookEndpointInput;
}>;


export type UpdateEndpointMutation = { updateWebhookEndpoint: { description: string | null, events: Array<string> | null, enabled: boolean, disabledReason: WebhookDisabledReason | null } };

export type DeleteEndpointMutationVariables = Exact<{
  id: number;
}>;


export type DeleteEndpointMutation = { deleteWebhookEndpoint: { id: number, deleted: boolean } };

export type RotateSecretMutationVariables = Exact<{
  id: number;
}>;


export type RotateSecretMutation = { rotateWebhookSecret: { id: number, secret: string } };

export type EndpointsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type EndpointsQuery = { webhookEndpoints: { edges: Array<{ cursor: string, node: { id: number } }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type EndpointQueryVariables = Exact<{
  id: number;
}>;


export type EndpointQuery = { webhookEndpoint: { id: number, deliveries: { edges: Array<{ node: { id: string, event: string, payload: string, attempts: Array<{ number: number, manual: boolean }> } }> } } | null };

export type DeliveriesQueryVariables = Exact<{
  endpointId?: number | null | undefined;
  status?: WebhookDeliveryStatus | null | undefined;
  event?: string | null | undefined;
  after?: string | null | undefined;
}>;


export type DeliveriesQuery = { webhookDeliveries: { edges: Array<{ node: { id: string, endpointId: number, status: WebhookDeliveryStatus, event: string } }> } };

export type RecordEventMutationVariables = Exact<{
  input: RecordEventInput;
}>;


export type RecordEventMutation = { recordEvent: { id: string, type: string, goal: string | null, visitorId: string, conversationId: string | null, value: number | null, occurredAt: string } };

export type OverviewQueryVariables = Exact<{
  since: string;
}>;


export type OverviewQuery = { health: { status: HealthStatus, database: { status: ComponentStatus } }, activity: { events: Array<{ event: string, count: number }> }, eventTypes: Array<{ name: string }> };

export type CreateTenantMutationVariables = Exact<{
  input: CreateTenantInput;
}>;


export type CreateTenantMutation = { createTenant: { customerId: number, orgId: string, name: string } };

export type CreateApiKeyMutationVariables = Exact<{
  input: CreateApiKeyInput;
}>;


export type CreateApiKeyMutation = { createApiKey: { key: string, apiKey: { id: string, scope: KeyScope, customerId: number | null, prefix: string, revokedAt: string | null } } };

export type RevokeApiKeyMutationVariables = Exact<{
  id: string | number;
}>;


export type RevokeApiKeyMutation = { revokeApiKey: { revokedAt: string | null } };

export type AdministrationQueryVariables = Exact<{ [key: string]: never; }>;


export type AdministrationQuery = { tenants: { edges: Array<{ node: { customerId: number } }> }, apiKeys: { edges: Array<{ node: { id: string } }>, pageInfo: { hasNextPage: boolean } } };

export type DeliveryUpdatedSubscriptionVariables = Exact<{
  endpointId?: number | null | undefined;
}>;


export type DeliveryUpdatedSubscription = { webhookDeliveryUpdated: { endpointId: number, event: string, status: WebhookDeliveryStatus } };

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

export const ViewerDocument = new TypedDocumentString(`
    query Viewer {
  viewer {
    scope
    expiresAt
    tenant {
      customerId
      orgId
    }
  }
}
    `) as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;
export const CreateEndpointDocument = new TypedDocumentString(`
    mutation CreateEndpoint($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) {
    secret
    endpoint {
      id
      customerId
      url
      description
      events
      enabled
      disabledReason
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<CreateEndpointMutation, CreateEndpointMutationVariables>;
export const UpdateEndpointDocument = new TypedDocumentString(`
    mutation UpdateEndpoint($id: Int!, $input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(id: $id, input: $input) {
    description
    events
    enabled
    disabledReason
  }
}
    `) as unknown as TypedDocumentString<UpdateEndpointMutation, UpdateEndpointMutationVariables>;
export const DeleteEndpointDocument = new TypedDocumentString(`
    mutation DeleteEndpoint($id: Int!) {
  deleteWebhookEndpoint(id: $id) {
    id
    deleted
  }
}
    `) as unknown as TypedDocumentString<DeleteEndpointMutation, DeleteEndpointMutationVariables>;
export const RotateSecretDocument = new TypedDocumentString(`
    mutation RotateSecret($id: Int!) {
  rotateWebhookSecret(id: $id) {
    id
    secret
  }
}
    `) as unknown as TypedDocumentString<RotateSecretMutation, RotateSecretMutationVariables>;
export const EndpointsDocument = new TypedDocumentString(`
    query Endpoints($first: Int, $after: String) {
  webhookEndpoints(first: $first, after: $after) {
    edges {
      cursor
      node {
        id
      }
    }
    pageInfo {
      hasNextPage
      hasPreviousPage
      startCursor
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<EndpointsQuery, EndpointsQueryVariables>;
export const EndpointDocument = new TypedDocumentString(`
    query Endpoint($id: Int!) {
  webhookEndpoint(id: $id) {
    id
    deliveries(first: 5) {
      edges {
        node {
          id
          event
          payload
          attempts {
            number
            manual
          }
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<EndpointQuery, EndpointQueryVariables>;
export const DeliveriesDocument = new TypedDocumentString(`
    query Deliveries($endpointId: Int, $status: WebhookDeliveryStatus, $event: String, $after: String) {
  webhookDeliveries(
    endpointId: $endpointId
    status: $status
    event: $event
    after: $after
  ) {
    edges {
      node {
        id
        endpointId
        status
        event
      }
    }
  }
}
    `) as unknown as TypedDocumentString<DeliveriesQuery, DeliveriesQueryVariables>;
export const RecordEventDocument = new TypedDocumentString(`
    mutation RecordEvent($input: RecordEventInput!) {
  recordEvent(input: $input) {
    id
    type
    goal
    visitorId
    conversationId
    value
    occurredAt
  }
}
    `) as unknown as TypedDocumentString<RecordEventMutation, RecordEventMutationVariables>;
export const OverviewDocument = new TypedDocumentString(`
    query Overview($since: DateTime!) {
  health {
    status
    database {
      status
    }
  }
  activity(since: $since) {
    events {
      event
      count
    }
  }
  eventTypes {
    name
  }
}
    `) as unknown as TypedDocumentString<OverviewQuery, OverviewQueryVariables>;
export const CreateTenantDocument = new TypedDocumentString(`
    mutation CreateTenant($input: CreateTenantInput!) {
  createTenant(input: $input) {
    customerId
    orgId
    name
  }
}
    `) as unknown as TypedDocumentString<CreateTenantMutation, CreateTenantMutationVariables>;
export const CreateApiKeyDocument = new TypedDocumentString(`
    mutation CreateApiKey($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    key
    apiKey {
      id
      scope
      customerId
      prefix
      revokedAt
    }
  }
}
    `) as unknown as TypedDocumentString<CreateApiKeyMutation, CreateApiKeyMutationVariables>;
export const RevokeApiKeyDocument = new TypedDocumentString(`
    mutation RevokeApiKey($id: ID!) {
  revokeApiKey(id: $id) {
    revokedAt
  }
}
    `) as unknown as TypedDocumentString<RevokeApiKeyMutation, RevokeApiKeyMutationVariables>;
export const AdministrationDocument = new TypedDocumentString(`
    query Administration {
  tenants(first: 100) {
    edges {
      node {
        customerId
      }
    }
  }
  apiKeys(first: 1) {
    edges {
      node {
        id
      }
    }
    pageInfo {
      hasNextPage
    }
  }
}
    `) as unknown as TypedDocumentString<AdministrationQuery, AdministrationQueryVariables>;
export const DeliveryUpdatedDocument = new TypedDocumentString(`
    subscription DeliveryUpdated($endpointId: Int) {
  webhookDeliveryUpdated(endpointId: $endpointId) {
    endpointId
    event
    status
  }
}
    `) as unknown as TypedDocumentString<DeliveryUpdatedSubscription, DeliveryUpdatedSubscriptionVariables>;