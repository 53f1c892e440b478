import { z } from 'zod';
import { CLIENT_AUTHENTICATIONS } from '../../src/features/webhooks/endpoints/authentication.ts';
import { type CustomHeaders, headerIssues } from '../../src/features/webhooks/endpoints/custom-headers.ts';
import { ORDERINGS, PAYLOADS, SIGNINGS } from '../../src/features/webhooks/endpoints/endpoint.types.ts';
import { isObject } from '../../src/platform/is-object.ts';
import { text } from '../../src/platform/text-validation.ts';
import {
  MAX_CLIENT_SECRET,
  MAX_RATE,
  MAX_TIMEOUT_SECONDS,
  MAX_TOKEN_PARAMETER,
} from '../../src/shared/endpoint-limits.ts';
import { MAX_URL } from '../../src/shared/text-limits.ts';
import { builder, GRAPHQL_AND_V1 } from '../builder.ts';
import { ClientAuthenticationMethod, Ordering, Payload, WebhookSigning } from './endpoint.types.ts';
import { eventName, MAX_EVENT_NAMES } from './event-types.ts';

const url = text({ max: MAX_URL }).meta({ format: 'uri' });
const description = text({ allowEmpty: true }).nullish();
const events = z
  .array(eventName)
  .min(1, 'Must name at least one event type; omit it or pass null to receive all customer events.')
  .max(MAX_EVENT_NAMES, `Must name at most ${MAX_EVENT_NAMES} event types.`)
  .refine((names) => new Set(names).size === names.length, 'Must name each event type once.')
  .meta({ uniqueItems: true })
  .nullish();

const rateLimit = z
  .object({
    count: z.number().int().min(1).max(MAX_RATE.count),
    perSeconds: z.number().int().min(1).max(MAX_RATE.perSeconds),
  })
  .nullish();

const headers = z
  .custom<CustomHeaders>()
  .superRefine((value, { addIssue }) => {
    if (!isObject(value)) return;
    for (const { path, message } of headerIssues(value))
      addIssue({ code: 'custom', path: path.split('.').slice(1), message });
  })
  .nullish();

/** PEM texts have line breaks. */
const pem = text({ max: 16_384, multiline: true });
const parameter = text({ max: MAX_TOKEN_PARAMETER }).nullish();
const authentication = z
  .object({
    oauth2: z
      .object({
        tokenUrl: url,
        clientId: text(),
        clientSecret: text({ max: MAX_CLIENT_SECRET }).nullish(),
        scope: parameter,
        audience: parameter,
        clientAuthentication: z.enum(CLIENT_AUTHENTICATIONS).nullish(),
      })
      .nullish(),
    mtls: z.object({ certificate: pem, privateKey: pem, ca: pem.nullish() }).nullish(),
  })
  .nullish();

/** Settings that both inputs have, apart from those above. */
const settings = {
  // The service validates it: it depends on the event types of the endpoint (`src/features/webhooks/endpoints/filter.ts`).
  filter: z.custom<Record<string, unknown>>().nullish(),
  payload: z.enum(PAYLOADS).nullish(),
  authentication,
  headers,
  signing: z.enum(SIGNINGS).nullish(),
  timeoutSeconds: z.number().int().min(1).max(MAX_TIMEOUT_SECONDS).nullish(),
  paused: z.boolean().nullish(),
  rateLimit,
  autoRecover: z.boolean().nullish(),
  ordering: z.enum(ORDERINGS).nullish(),
};

const createEndpoint = z.object({ url, description, events, ...settings });
const updateEndpoint = z.object({
  url: url.optional(),
  description,
  events,
  ...settings,
  enabled: z.boolean().optional(),
});

/** Descriptions of settings, shared by creation and change. */
const SETTING = {
  filter:
    "Conditions that an event must fulfil to be sent, over its envelope, in MongoDB's query operators: `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`, `$in`, `$nin`, `$exists`, `$not` and `$regex` (syntax of RE2) below the dotted path of a field such as `data.value`, and `$and` and `$or`; at most 4,096 bytes of JSON, five levels, 50 conditions, and five patterns of together 200 instructions (about one for each character or class, counted as often as it is repeated). `$regex` looks at the first 500 characters of a text, and at more if the patterns are smaller; a condition on a list looks at its first 500 items. Null, the default, for none. Test events, resends and recoveries are sent whatever it says.",
  payload: 'Body of the deliveries: `full`, the default and the meaning of null, or `thin`.',
  timeoutSeconds:
    'Time limit of an attempt in seconds, 1 to 30; null, the default, for that of the service, which is 5 seconds unless the operator changes it.',
  paused:
    'True to hold deliveries back: they wait, and are sent once it is false again, oldest first. Events are still accepted. Default: false.',
  rateLimit:
    'Maximum number of attempts in any period, over all processes; deliveries beyond it wait. Null, the default, for none.',
  autoRecover:
    'True to send deliveries whose attempts are exhausted during an outage of the receiver again by themselves, once an attempt succeeds. Default: false.',
  ordering:
    'Order of the deliveries: `none`, the default and the meaning of null, or `conversation`. It applies to the events that are published from now on.',
};

const HEADERS =
  'Custom headers of every delivery, as an object of values by name: at most 10; printable ASCII, a value at most 4,096 characters, all together 6,144. The service sets `Host`, `User-Agent`, `Content-…`, `webhook-…`, `X-SVC-…` and the headers of the connection itself. Values are never returned.';
const RateLimitInput = builder.inputType('WebhookRateLimitInput', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'Maximum number of attempts to a webhook endpoint in any period.',
  fields: (t) => ({
    count: t.int({ required: true, description: 'Number of attempts, 1 to 10,000.' }),
    perSeconds: t.int({ required: true, description: 'Length of the period in seconds, 1 to 86,400.' }),
  }),
});

const OAuth2Input = builder.inputType('WebhookOAuth2Input', {
  subGraphs: GRAPHQL_AND_V1,
  description:
    'OAuth 2.0 client credentials (RFC 6749 section 4.4). The service fetches a token, keeps it, and sends it with every delivery.',
  fields: (t) => ({
    tokenUrl: t.string({
      required: true,
      description:
        'URL of the token server, by the rules of the URL of an endpoint. Redirects are not followed.',
    }),
    clientId: t.string({ required: true, description: 'ID of the client; at most 500 characters.' }),
    clientSecret: t.string({
      description:
        'Secret of the client, at most 4,096 characters; it is never returned. In a change, it can be omitted or `***` to keep the stored one while `tokenUrl` and `clientId` stay the same.',
    }),
    scope: t.string({
      description: 'Scope to request, at most 1,000 characters; omitted or null for none.',
    }),
    audience: t.string({
      description: 'Audience to request, at most 1,000 characters; omitted or null for none.',
    }),
    clientAuthentication: t.field({
      type: ClientAuthenticationMethod,
      description:
        'How the credentials are sent to the token server; omitted or null for `client_secret_basic`.',
    }),
  }),
});

const MtlsInput = builder.inputType('WebhookMtlsInput', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'A client certificate for receivers that demand one. Each text is at most 16,384 characters.',
  fields: (t) => ({
    certificate: t.string({
      required: true,
      description: 'Certificate in PEM, followed by intermediate ones if there are any.',
    }),
    privateKey: t.string({
      required: true,
      description: 'Its private key in PEM, without a passphrase; it is never returned.',
    }),
    ca: t.string({
      description:
        "Certificates in PEM of the authorities that the receiver's certificate must be of; omitted or null for the public ones.",
    }),
  }),
});

const AuthenticationInput = builder.inputType('WebhookAuthenticationInput', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'How the service authenticates itself to a receiver: exactly one of the fields.',
  fields: (t) => ({
    oauth2: t.field({ type: OAuth2Input, description: 'OAuth 2.0 client credentials.' }),
    mtls: t.field({ type: MtlsInput, description: 'A client certificate.' }),
  }),
});

/** Fields of an input after its validation, which narrows `events` to the names of event types. */
export type CreateEndpoint = z.output<typeof createEndpoint>;
export type UpdateEndpoint = z.output<typeof updateEndpoint>;

export const CreateEndpointInput = builder.inputType('CreateWebhookEndpointInput', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'Settings of a new webhook endpoint.',
  validate: { schema: createEndpoint },
  fields: (t) => ({
    url: t.string({
      required: true,
      description:
        'URL that deliveries are posted to: `https:`, without credentials, no private or local target; at most 2,048 characters.',
    }),
    description: t.string({ description: 'Free-text label; at most 500 characters.' }),
    events: t.stringList({
      description:
        'Names of the event types to receive, each once; omitted or null to receive all customer events, future ones included. Operational events, such as `endpoint.disabled` and `drift.detected`, and custom ones, such as `custom.page.viewed`, are sent only to endpoints that name them; `custom.*` names all custom ones. At most 100.',
    }),
    filter: t.field({ type: 'JSON', description: SETTING.filter }),
    payload: t.field({ type: Payload, description: SETTING.payload }),
    authentication: t.field({
      type: AuthenticationInput,
      description:
        'How the service authenticates itself to the receiver besides its signatures; omitted or null for no other way.',
    }),
    headers: t.field({ type: 'JSON', description: `${HEADERS} Null or omitted for none.` }),
    signing: t.field({
      type: WebhookSigning,
      description:
        'How `webhook-signature` is signed; omitted or null for `hmac`. With `ed25519`, the service creates a key pair.',
    }),
    timeoutSeconds: t.int({ description: SETTING.timeoutSeconds }),
    paused: t.boolean({ description: SETTING.paused }),
    rateLimit: t.field({ type: RateLimitInput, description: SETTING.rateLimit }),
    autoRecover: t.boolean({ description: SETTING.autoRecover }),
    ordering: t.field({ type: Ordering, description: SETTING.ordering }),
  }),
});

export const UpdateEndpointInput = builder.inputType('UpdateWebhookEndpointInput', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'Changes to a webhook endpoint; an omitted field keeps its value.',
  validate: { schema: updateEndpoint },
  fields: (t) => ({
    url: t.string({ description: 'New URL, by the same rules as at creation.' }),
    description: t.string({ description: 'New label; null removes it.' }),
    events: t.stringList({
      description:
        'Names of the event types to receive from now on; null to receive all customer events, without the operational and custom ones.',
    }),
    filter: t.field({ type: 'JSON', description: SETTING.filter }),
    payload: t.field({ type: Payload, description: SETTING.payload }),
    timeoutSeconds: t.int({ description: SETTING.timeoutSeconds }),
    paused: t.boolean({ description: SETTING.paused }),
    rateLimit: t.field({ type: RateLimitInput, description: SETTING.rateLimit }),
    autoRecover: t.boolean({ description: SETTING.autoRecover }),
    ordering: t.field({ type: Ordering, description: SETTING.ordering }),
    enabled: t.boolean({
      description:
        'False stops deliveries and cancels the pending ones; true resumes them and clears `disabledReason` and the failure counters.',
    }),
    authentication: t.field({
      type: AuthenticationInput,
      description:
        'How the service authenticates itself to the receiver from now on; replaces what is stored. Null for its signatures alone.',
    }),
    headers: t.field({
      type: 'JSON',
      description: `${HEADERS} Replaces all of them; the value \`***\` keeps the stored value of its name. Null for none.`,
    }),
    signing: t.field({
      type: WebhookSigning,
      description:
        'How `webhook-signature` is signed from now on; null for `hmac`. A change to `ed25519` creates a key pair, and a change to `hmac` deletes it.',
    }),
  }),
});
