import type {
  Authentication as AuthenticationShape,
  ClientAuthentication,
} from '../../src/features/webhooks/endpoints/authentication.ts';
import type { RotatedSecret as RotatedSecretShape } from '../../src/features/webhooks/endpoints/endpoint.service.ts';
import type {
  CIRCUIT_STATES,
  DISABLED_REASONS,
  EndpointCircuit,
  EndpointRateLimit,
  WebhookEndpoint as EndpointShape,
  ORDERINGS,
  PAYLOADS,
  SIGNINGS,
} from '../../src/features/webhooks/endpoints/endpoint.types.ts';
import { builder, GRAPHQL_AND_V1 } from '../builder.ts';

const SECRET = 'Signing secret: `whsec_` and base64. Returned only once; it cannot be retrieved later.';
const PUBLIC_KEY =
  'Public key that verifies `webhook-signature`: `whpk_` and base64; null unless `signing` is `ed25519`.';
const PREVIOUS_EXPIRY =
  'Time until which the secret before the last rotation signs deliveries as well; null if that rotation had no overlap.';

const DisabledReason = builder.enumType('WebhookDisabledReason', {
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'Reason why an endpoint is disabled.',
  values: {
    manual: { description: 'A client disabled it.' },
    gone: { description: 'Its receiver responded 410 Gone, or with the header `webhook-delivery: disable`.' },
    failing: { description: 'Every attempt failed for five days, at least 100 of them.' },
  } satisfies Record<(typeof DISABLED_REASONS)[number], object>,
});

export const Payload = builder.enumType('WebhookPayload', {
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'Body of the deliveries to an endpoint.',
  values: {
    full: { description: 'The whole event.' },
    thin: {
      description:
        'The ids in `data` without those of a person, and `url`, the resource that shows the current state.',
    },
  } satisfies Record<(typeof PAYLOADS)[number], object>,
});

export const Ordering = builder.enumType('WebhookOrdering', {
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'Order in which an endpoint receives deliveries.',
  values: {
    none: { description: 'No order: a delivery waits for no other.' },
    conversation: {
      description:
        'The deliveries of a conversation in the order of its events: an attempt begins once the earlier deliveries are terminal. Conversations do not wait for each other.',
    },
  } satisfies Record<(typeof ORDERINGS)[number], object>,
});

export const WebhookSigning = builder.enumType('WebhookSigning', {
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'How the header `webhook-signature` is signed (Standard Webhooks).',
  values: {
    hmac: { description: '`v1`: HMAC-SHA256, keyed by the signing secret.' },
    ed25519: { description: '`v1a`: Ed25519; the public key of the endpoint verifies it.' },
  } satisfies Record<(typeof SIGNINGS)[number], object>,
});

export const ClientAuthenticationMethod = builder.enumType('OAuth2ClientAuthentication', {
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'How the credentials are sent to the token server (RFC 6749 section 2.3.1).',
  values: {
    client_secret_basic: { description: 'In the header `Authorization`.' },
    client_secret_post: { description: 'In the body.' },
  } satisfies Record<ClientAuthentication, object>,
});

const WebhookOAuth2 = builder
  .objectRef<NonNullable<AuthenticationShape['oauth2']>>('WebhookOAuth2')
  .implement({
    subGraphs: [...GRAPHQL_AND_V1],
    description: 'OAuth 2.0 client credentials, without their secret.',
    fields: (t) => ({
      tokenUrl: t.exposeString('tokenUrl', {
        description: 'URL of the token server.',
        extensions: { jsonSchema: { format: 'uri' } },
      }),
      clientId: t.exposeString('clientId', { description: 'ID of the client at the token server.' }),
      scope: t.exposeString('scope', { nullable: true, description: 'Requested scope; null if none is.' }),
      audience: t.exposeString('audience', {
        nullable: true,
        description: 'Requested audience; null if none is.',
      }),
      clientAuthentication: t.expose('clientAuthentication', {
        type: ClientAuthenticationMethod,
        description: 'How the credentials are sent to the token server.',
      }),
    }),
  });

const WebhookMtls = builder.objectRef<NonNullable<AuthenticationShape['mtls']>>('WebhookMtls').implement({
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'A client certificate, without its key.',
  fields: (t) => ({
    certificateExpiresAt: t.expose('certificateExpiresAt', {
      type: 'DateTime',
      description: 'End of the validity of the certificate; the console warns 30 days before.',
    }),
    certificateSubject: t.exposeString('certificateSubject', {
      description: "Distinguished name of the certificate's subject; empty if it has none.",
    }),
  }),
});

const WebhookAuthentication = builder.objectRef<AuthenticationShape>('WebhookAuthentication').implement({
  subGraphs: [...GRAPHQL_AND_V1],
  description:
    'How the service authenticates itself to a receiver, without its secrets; exactly one field is not null.',
  fields: (t) => ({
    oauth2: t.expose('oauth2', {
      type: WebhookOAuth2,
      nullable: true,
      description: 'OAuth 2.0 client credentials; null with another method.',
    }),
    mtls: t.expose('mtls', {
      type: WebhookMtls,
      nullable: true,
      description: 'Client certificate; null with another method.',
    }),
  }),
});

const CircuitState = builder.enumType('WebhookCircuitState', {
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'State of the circuit of an endpoint.',
  values: {
    closed: { description: 'Deliveries are sent as they become due.' },
    open: { description: 'The receiver is down: deliveries wait for the next probe.' },
    half_open: { description: 'One delivery probes whether the receiver responds again; the others wait.' },
  } satisfies Record<(typeof CIRCUIT_STATES)[number], object>,
});

const Circuit = builder.objectRef<EndpointCircuit>('WebhookCircuit').implement({
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'Whether deliveries are sent to an endpoint, or wait because its receiver is down.',
  fields: (t) => ({
    state: t.expose('state', { type: CircuitState, description: 'State of the circuit.' }),
    since: t.expose('since', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which it opened; null while it is closed.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Short code of the last failure (`timeout`, `http_503`, …); null while it is closed.',
    }),
  }),
});

const RateLimit = builder.objectRef<EndpointRateLimit>('WebhookRateLimit').implement({
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'Maximum number of attempts to a webhook endpoint in any period.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Number of attempts.' }),
    perSeconds: t.exposeInt('perSeconds', { description: 'Length of the period in seconds.' }),
  }),
});

export const WebhookEndpoint = builder.objectRef<EndpointShape>('WebhookEndpoint').implement({
  subGraphs: [...GRAPHQL_AND_V1],
  description: "A URL that receives a customer's events.",
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Numeric ID of the endpoint, unique within the service.' }),
    customerId: t.exposeInt('customerId', { description: 'Customer that the endpoint belongs to.' }),
    url: t.exposeString('url', {
      description: 'URL that deliveries are posted to.',
      extensions: { jsonSchema: { format: 'uri' } },
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Free-text label; null if none was given.',
    }),
    events: t.exposeStringList('events', {
      nullable: true,
      description:
        'Names of the event types that it receives; null if it receives all customer events, future ones included. Operational events, such as `endpoint.disabled` and `drift.detected`, and custom ones, such as `custom.page.viewed`, are received only if named; `custom.*` names all custom ones.',
    }),
    filter: t.expose('filter', {
      type: 'JSON',
      nullable: true,
      description: 'Conditions that an event must fulfil to be sent to it; null if there are none.',
    }),
    payload: t.expose('payload', { type: Payload, description: 'Body of the deliveries to it.' }),
    enabled: t.exposeBoolean('enabled', { description: 'True if deliveries are sent to it.' }),
    disabledReason: t.expose('disabledReason', {
      type: DisabledReason,
      nullable: true,
      description: 'Reason why it is disabled; null while it is enabled.',
    }),
    circuit: t.expose('circuit', {
      type: Circuit,
      description: 'Its circuit, which opens while the receiver is down and closes with a success.',
    }),
    headers: t.expose('headers', {
      type: 'JSON',
      description:
        'Custom headers of its deliveries, by name; every value is shown as `***`. Empty if there are none.',
    }),
    authentication: t.expose('authentication', {
      type: WebhookAuthentication,
      nullable: true,
      description: 'How the service authenticates itself to the receiver; null if by its signatures alone.',
    }),
    signing: t.expose('signing', {
      type: WebhookSigning,
      description:
        'How `webhook-signature` is signed. `X-SVC-Signature` is an HMAC keyed by the signing secret in both cases.',
    }),
    publicKey: t.exposeString('publicKey', { nullable: true, description: PUBLIC_KEY }),
    previousSecretExpiresAt: t.expose('previousSecretExpiresAt', {
      type: 'DateTime',
      nullable: true,
      description: PREVIOUS_EXPIRY,
    }),
    timeoutSeconds: t.exposeFloat('timeoutSeconds', { description: 'Time limit of an attempt in seconds.' }),
    paused: t.exposeBoolean('paused', {
      description:
        'True if its deliveries wait until it is false; unlike those of a disabled endpoint, none is cancelled.',
    }),
    rateLimit: t.expose('rateLimit', {
      type: RateLimit,
      nullable: true,
      description: 'Maximum number of attempts in any period; null if there is none.',
    }),
    autoRecover: t.exposeBoolean('autoRecover', {
      description:
        'True if deliveries whose attempts are exhausted during an outage are sent again by themselves after it.',
    }),
    ordering: t.expose('ordering', { type: Ordering, description: 'Order of the deliveries.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

export const CreatedEndpoint = builder
  .objectRef<{ endpoint: EndpointShape; secret: string }>('CreatedWebhookEndpoint')
  .implement({
    subGraphs: [...GRAPHQL_AND_V1],
    description: 'A new webhook endpoint and its signing secret.',
    fields: (t) => ({
      endpoint: t.expose('endpoint', { type: WebhookEndpoint, description: 'The new endpoint.' }),
      secret: t.exposeString('secret', { description: SECRET }),
    }),
  });

export const RotatedSecret = builder.objectRef<RotatedSecretShape>('RotatedWebhookSecret').implement({
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'The new signing secret of a webhook endpoint.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'ID of the endpoint.' }),
    secret: t.exposeString('secret', { description: SECRET }),
    publicKey: t.exposeString('publicKey', { nullable: true, description: PUBLIC_KEY }),
    previousSecretExpiresAt: t.expose('previousSecretExpiresAt', {
      type: 'DateTime',
      nullable: true,
      description: PREVIOUS_EXPIRY,
    }),
  }),
});

export const DeletedEndpoint = builder
  .objectRef<{ id: number; deleted: true }>('DeletedWebhookEndpoint')
  .implement({
    subGraphs: [...GRAPHQL_AND_V1],
    description: 'Confirmation that a webhook endpoint was deleted.',
    fields: (t) => ({
      id: t.exposeInt('id', { description: 'ID of the deleted endpoint.' }),
      deleted: t.exposeBoolean('deleted', { description: 'Always true.' }),
    }),
  });
