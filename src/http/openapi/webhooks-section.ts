import { EVENT_TYPES, type EventType } from '../../features/outbox/event-catalog.ts';
import type { Json } from './openapi-types.ts';

const text = (name: string, description: string, example: string): [string, Json] => [
  name,
  { name, in: 'header', required: true, description, schema: { type: 'string' }, example },
];

const T = 1769851800;
const HEX = '5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd';

/** Headers of every delivery (contract 6), for `components.parameters`. */
export const DELIVERY_HEADERS: Json = Object.fromEntries([
  text(
    'X-SVC-Signature',
    '`t=<ts>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>`, keyed by the whole signing secret as UTF-8. Compare in constant time, and reject a `t` that differs from the current time by more than 300 seconds. It does not cover the id headers: to deduplicate by `webhook-id`, verify `webhook-signature`, or use the ids in `data`.',
    `t=${T},v1=${HEX}`,
  ),
  text('X-SVC-Timestamp', 'Unix time of this attempt in seconds; equal to `t`.', String(T)),
  text(
    'X-SVC-Delivery-Id',
    'ID of the delivery; the same for every attempt. No signature covers it.',
    '665f1d02b8e4d3a1f0c9b811',
  ),
  text(
    'webhook-id',
    'ID of the event; the same for every attempt (Standard Webhooks). Covered by `webhook-signature` only.',
    '665f1c9db8e4d3a1f0c9b801',
  ),
  text('webhook-timestamp', 'Unix time of this attempt in seconds (Standard Webhooks).', String(T)),
  text(
    'webhook-signature',
    '`v1,<base64>`: HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed by the decoded part of the secret after `whsec_` (Standard Webhooks).',
    `v1,${Buffer.from(HEX, 'hex').toString('base64')}`,
  ),
]);

/** Returns the schema of an event's data without its dialect, which is that of the document. */
function dataSchema({ schema }: EventType): Json {
  const { $schema: _dialect, ...data } = schema as { $schema?: string; properties?: Json };
  const test = {
    type: 'boolean',
    const: true,
    description: 'Present only in a test event.',
  };
  return { ...data, properties: { ...data.properties, test } };
}

const webhook = (event: EventType): Json => ({
  post: {
    operationId: `on:${event.name}`,
    summary: event.name,
    description: `${event.description} Respond with a 2xx status within 5 seconds; any other result is a failed attempt. There are at most five attempts.`,
    tags: ['Webhooks'],
    security: [],
    parameters: Object.keys(DELIVERY_HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['event', 'data', 'ts'],
            properties: {
              event: { type: 'string', const: event.name, description: 'Name of the event.' },
              data: dataSchema(event),
              ts: {
                type: 'integer',
                description: 'Unix time of the event in seconds; the same for every attempt.',
              },
            },
            additionalProperties: false,
          },
          example: { event: event.name, data: event.example, ts: T },
        },
      },
    },
    responses: { '2XX': { description: 'Received.' } },
  },
});

/** Builds the `webhooks` section: the requests that the service sends to endpoints, from the event catalog. */
export const webhooksSection = (): Record<string, Json> =>
  Object.fromEntries(EVENT_TYPES.map((event) => [event.name, webhook(event)]));
