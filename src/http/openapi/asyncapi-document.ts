import {
  EVENT_TYPES,
  type EventType,
  isCustomerEvent,
  VERIFICATION_EVENT,
} from '../../features/outbox/event-catalog.ts';
import { CUSTOM_EVENT } from '../../shared/custom-events.ts';
import type { Json, JsonSchema } from './openapi-types.ts';
import { schemaRef } from './openapi-types.ts';
import { PUBLISHER } from './shared-components.ts';
import { bodySchema, className, DELIVERY_HEADERS, EXAMPLE_TS, exampleBody } from './webhooks-section.ts';

const HEADERS: JsonSchema = {
  type: 'object',
  description: 'Headers of every delivery.',
  required: DELIVERY_HEADERS.map(({ name }) => name),
  properties: Object.fromEntries(
    DELIVERY_HEADERS.map(({ name, description }) => [name, { type: 'string', description }]),
  ),
};

const EXAMPLE_HEADERS = Object.fromEntries(DELIVERY_HEADERS.map(({ name, example }) => [name, example]));

const THIN: JsonSchema = {
  type: 'object',
  description: 'Body of an event for an endpoint with `payload: thin`.',
  required: ['event', 'data', 'ts', 'url'],
  properties: {
    event: {
      type: 'string',
      description: 'Name of the event.',
    },
    data: {
      type: 'object',
      description: 'Ids of the event without the ids of a person.',
      required: ['customerId', 'orgId'],
      properties: {
        customerId: { type: 'integer', description: 'Customer that the event belongs to.' },
        orgId: { type: 'string', description: "The customer's organization id." },
        test: { type: 'boolean', description: 'True in a test event; absent otherwise.' },
      },
      additionalProperties: true,
    },
    ts: { type: 'integer', description: 'Unix time of the event in seconds; the same for every attempt.' },
    url: {
      type: 'string',
      format: 'uri',
      description: 'The resource that shows the current state; it requires an API key.',
    },
  },
  additionalProperties: false,
};

const THIN_EVENT = 'ThinEvent';

const ref = (path: string): Json => ({ $ref: `#/${path}` });

/** The parts of a message that do not depend on its event. */
const delivered = (payload: JsonSchema, example: Json): Json => ({
  contentType: 'application/json',
  headers: schemaRef('DeliveryHeaders'),
  correlationId: {
    description: 'ID of the event; the same for every attempt and every endpoint.',
    location: '$message.header#/webhook-id',
  },
  payload,
  examples: [{ headers: EXAMPLE_HEADERS, payload: example }],
});

const message = (event: EventType, payload: JsonSchema): Json => ({
  name: event.name,
  title: event.name,
  summary: event.description,
  ...delivered(payload, exampleBody(event)),
});

const thinMessage: Json = {
  name: THIN_EVENT,
  title: 'Thin event',
  summary: 'Any event, for an endpoint with `payload: thin`: what happened, and the resource to read.',
  ...delivered(schemaRef(THIN_EVENT), {
    event: 'conversation.started',
    data: { customerId: 42, orgId: 'org_42', conversationId: '665f1c2ab8e4d3a1f0c9b7e6' },
    ts: EXAMPLE_TS,
    url: 'https://engagement.example.com/v1/conversations/665f1c2ab8e4d3a1f0c9b7e6',
  }),
};

const operation = (summary: string, description: string, messages: readonly string[]): Json => ({
  action: 'send',
  channel: ref('channels/endpoint'),
  title: summary,
  summary,
  description,
  security: [ref('components/securitySchemes/hmac'), ref('components/securitySchemes/ed25519')],
  bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
  messages: messages.map((name) => ref(`channels/endpoint/messages/${name}`)),
});

const INFO = {
  title: 'Customer engagement service: events',
  version: '1.0.0',
  description: `Events that the service sends to webhook endpoints, as signed HTTP requests. The REST v1 document describes the same requests in
its section \`webhooks\`, and how endpoints are managed.

A receiver responds with a 2xx status within 5 seconds unless its endpoint has another \`timeoutSeconds\`; any other result is
a failed attempt. There are at most five attempts. Deliveries are at least once and in no particular order: deduplicate by
\`webhook-id\`. New event types can be added: ignore those that you do not know. \`${VERIFICATION_EVENT}\`, the challenge to a new URL, is no
event and not part of this document.`,
  contact: PUBLISHER.contact,
  license: { name: PUBLISHER.license.name },
};

/** `components.securitySchemes`: what signs a delivery (contract 6). */
const SECURITY_SCHEMES: Json = {
  hmac: {
    type: 'symmetricEncryption',
    description:
      'Endpoints with `signing: hmac`: HMAC-SHA256 with the signing secret of the endpoint, in two forms. `webhook-signature` has `v1,<base64>` over `<webhook-id>.<webhook-timestamp>.<raw body>` (Standard Webhooks); `X-SVC-Signature` has `t=<ts>,v1=<hex>` over `<t>.<raw body>`. Verify one of them.',
  },
  ed25519: {
    type: 'asymmetricEncryption',
    description:
      'Endpoints with `signing: ed25519`: `webhook-signature` has `v1a,<base64>` over `<webhook-id>.<webhook-timestamp>.<raw body>`, verified by the `publicKey` of the endpoint, which `/.well-known/webhook-keys.json` lists as well (Standard Webhooks). `X-SVC-Signature` is sent as for `hmac`.',
  },
};

/** Builds the AsyncAPI 3 document of the events, from the event catalog. */
export function asyncApiDocument(): Json {
  const schemas: Record<string, JsonSchema> = { DeliveryHeaders: HEADERS, [THIN_EVENT]: THIN };
  const messages: Record<string, Json> = {};
  const define = (name: string, schema: JsonSchema): JsonSchema => {
    schemas[name] = schema;
    return schemaRef(name);
  };
  for (const event of EVENT_TYPES)
    messages[className(event.name)] = message(event, bodySchema(event, { define }));
  messages[THIN_EVENT] = thinMessage;

  const namesOf = (isIncluded: (event: EventType) => boolean): string[] => [
    ...EVENT_TYPES.filter(isIncluded).map(({ name }) => className(name)),
    THIN_EVENT,
  ];
  return {
    asyncapi: '3.0.0',
    info: INFO,
    defaultContentType: 'application/json',
    channels: {
      endpoint: {
        address: null,
        title: 'Webhook endpoint',
        description: 'The `url` of a webhook endpoint, which the customer chooses.',
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, ref(`components/messages/${name}`)]),
        ),
      },
    },
    operations: {
      sendCustomerEvent: operation(
        'Send an event of the customer',
        'Sent to endpoints with `events: null`, and to endpoints that name the event.',
        namesOf(({ name }) => isCustomerEvent(name)),
      ),
      sendOperationalEvent: operation(
        'Send an operational event',
        'Sent only to endpoints that name the event in `events`.',
        namesOf(({ name }) => !isCustomerEvent(name) && name !== CUSTOM_EVENT),
      ),
      sendCustomEvent: operation(
        'Send an event of a custom type',
        'Sent only to endpoints that name its type in `events`, as `custom.` and the type, or all custom types, as `custom.*`.',
        namesOf(({ name }) => name === CUSTOM_EVENT),
      ),
    },
    components: { schemas, messages, securitySchemes: SECURITY_SCHEMES },
  };
}
