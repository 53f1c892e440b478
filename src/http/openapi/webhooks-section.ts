import { EVENT_TYPES, type EventName, type EventType } from '../../features/outbox/event-catalog.ts';
import { CUSTOM_TYPE, exampleNameOf } from '../../features/outbox/event-type.ts';
import { CUSTOM_EVENT } from '../../shared/custom-events.ts';
import type { Json, JsonSchema, SchemaComponents } from './openapi-types.ts';

interface DeliveryHeader {
  name: string;
  description: string;
  example: string;
}

const header = (name: string, description: string, example: string): DeliveryHeader => ({
  name,
  description,
  example,
});

/** Unix time of the examples. */
export const EXAMPLE_TS = 1769851800;
const HEX = '5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd';

/** Headers of every delivery (contract 6). */
export const DELIVERY_HEADERS: readonly DeliveryHeader[] = [
  header(
    'X-SVC-Signature',
    '`t=<ts>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>`, keyed by the whole signing secret as UTF-8. While a rotated secret and the previous one overlap, there is a second `v1`: accept the delivery if one matches. Compare in constant time, and reject a `t` that differs from the current time by more than 300 seconds. It does not cover the id headers: to deduplicate by `webhook-id`, verify `webhook-signature`, or use the ids in `data`.',
    `t=${EXAMPLE_TS},v1=${HEX}`,
  ),
  header('X-SVC-Timestamp', 'Unix time of this attempt in seconds; equal to `t`.', String(EXAMPLE_TS)),
  header(
    'X-SVC-Delivery-Id',
    'ID of the delivery; the same for every attempt. No signature covers it.',
    '665f1d02b8e4d3a1f0c9b811',
  ),
  header(
    'webhook-id',
    'ID of the event; the same for every attempt (Standard Webhooks). Covered by `webhook-signature` only.',
    '665f1c9db8e4d3a1f0c9b801',
  ),
  header(
    'webhook-timestamp',
    'Unix time of this attempt in seconds (Standard Webhooks).',
    String(EXAMPLE_TS),
  ),
  header(
    'webhook-signature',
    '`v1,<base64>`: HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed by the decoded part of the secret after `whsec_` (Standard Webhooks). For an endpoint that signs with Ed25519: `v1a,<base64>`, verified by its `publicKey`. While two secrets overlap, there are two signatures, separated by a space.',
    `v1,${Buffer.from(HEX, 'hex').toString('base64')}`,
  ),
];

const HEADER_PARAMETERS: Json[] = DELIVERY_HEADERS.map(({ name, description, example }) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
}));

/** Returns the schema of an event's data without its dialect: the document states it. */
function dataSchema({ schema, description }: EventType): JsonSchema {
  const { $schema: _dialect, ...data } = schema as { $schema?: string; properties?: Json };
  const test = { type: 'boolean', description: 'True in a test event; absent otherwise.' };
  return { ...data, description, properties: { ...data.properties, test } } as JsonSchema;
}

/** Converts a name such as `conversation.started` to one that every language permits for a class. */
export const className = (event: EventName): string =>
  (event === CUSTOM_EVENT ? 'custom' : event).replaceAll(/(?:^|[._])([a-z])/g, (_match, letter: string) =>
    letter.toUpperCase(),
  );

/** Schema of `event` in a body. */
const nameSchema = ({ name }: EventType): JsonSchema =>
  name === CUSTOM_EVENT
    ? {
        type: 'string',
        pattern: `^custom\\.${CUSTOM_TYPE.source.slice(1)}`,
        description: 'Name of the event: `custom.` and its type.',
      }
    : { type: 'string', const: name, description: 'Name of the event.' };

/** Returns an example of the body. */
export const exampleBody = ({ name, example }: EventType): Json => ({
  event: exampleNameOf(name),
  data: example,
  ts: EXAMPLE_TS,
});

/** Returns a reference to the schema of an event's body, which it adds to the document. */
export function bodySchema(event: EventType, { define }: Pick<SchemaComponents, 'define'>): JsonSchema {
  const name = className(event.name);
  return define(`${name}Webhook`, {
    type: 'object',
    description: `Body of the webhook \`${event.name}\`.`,
    required: ['event', 'data', 'ts'],
    properties: {
      event: nameSchema(event),
      data: { ...define(`${name}Data`, dataSchema(event)), description: 'Data of the event.' },
      ts: {
        type: 'integer',
        format: 'int64',
        description: 'Unix time of the event in seconds; the same for every attempt.',
      },
    },
    additionalProperties: false,
  });
}

const webhook = (event: EventType, schemas: SchemaComponents): Json => ({
  post: {
    operationId: `on${className(event.name)}`,
    summary: event.name,
    description: `${event.description} Respond with a 2xx status within 5 seconds; any other result is a failed attempt. There are at most five attempts. An endpoint with \`payload: thin\` receives \`event\`, the ids of \`data\` without those of a person, \`ts\` and \`url\`, the resource that shows the current state.`,
    tags: ['Webhooks'],
    security: [],
    parameters: HEADER_PARAMETERS,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: bodySchema(event, schemas),
          example: exampleBody(event),
        },
      },
    },
    responses: { '2XX': { description: 'Received.' } },
  },
});

interface WebhooksSection {
  /** `webhooks`: references, because generators produce invalid code for inline webhooks. */
  webhooks: Record<string, Json>;
  /** `components.pathItems`. */
  pathItems: Record<string, Json>;
}

/** Builds the requests that the service sends to endpoints, from the event catalog. */
export function webhooksSection(schemas: SchemaComponents): WebhooksSection {
  const section: WebhooksSection = { webhooks: {}, pathItems: {} };
  for (const event of EVENT_TYPES) {
    const name = className(event.name);
    section.webhooks[event.name] = { $ref: `#/components/pathItems/${name}` };
    section.pathItems[name] = webhook(event, schemas);
  }
  return section;
}
