import { readFile } from 'node:fs/promises';
import specs from '@asyncapi/specs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { EVENT_TYPES, type EventName, isCustomerEvent } from '../../src/features/outbox/event-catalog.ts';
import { CUSTOM_EVENT } from '../../src/shared/custom-events.ts';
import { send, startServer } from './support.ts';

interface Message {
  name: string;
  headers: object;
  payload: { $ref: string };
  examples: { headers: object; payload: object }[];
}
interface Document {
  asyncapi: string;
  info: { title: string };
  channels: Record<string, { messages: Record<string, { $ref: string }> }>;
  operations: Record<string, { action: string; messages: { $ref: string }[]; security: { $ref: string }[] }>;
  components: {
    messages: Record<string, Message>;
    schemas: Record<string, object>;
    securitySchemes: Record<string, { description: string }>;
  };
}

let server: Awaited<ReturnType<typeof startServer>>;
let document: Document;
beforeAll(async () => {
  server = await startServer();
  const { text } = await send(server, 'GET', '/api/v1/asyncapi.json', { key: null });
  document = JSON.parse(text);
});
afterAll(() => server.stop());

const ajvOf = () => addFormats.default(new Ajv({ strict: false, allErrors: true }));
/** Compiles the official schema of AsyncAPI, which brings its own copy of the schema of JSON Schema. */
const compileSpecification = () =>
  addFormats
    .default(new Ajv({ strict: false, meta: false, validateSchema: false }))
    .compile(specs.schemas['3.0.0'] as object);
/** Ends of references. */
const names = (references: { $ref: string }[]) => references.map(({ $ref }) => $ref.split('/').at(-1));
const messages = () => Object.values(document.components.messages);
const full = () => messages().filter(({ name }) => name !== 'ThinEvent');

test('is valid AsyncAPI 3.0', () => {
  expect(document.asyncapi).toBe('3.0.0');
  const validate = compileSpecification();
  expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
});

test('is validated by a schema that finds mistakes', () => {
  const validate = compileSpecification();
  const { sendCustomerEvent: sent } = document.operations;
  expect(validate({ ...document, operations: { sent: { ...sent, action: 'deliver' } } })).toBe(false);
});

test('has every event of the catalog, each in the operation that says which endpoints receive it', () => {
  expect(full().map(({ name }) => name)).toEqual(EVENT_TYPES.map(({ name }) => name));
  expect(Object.keys(document.channels.endpoint?.messages ?? {})).toEqual(
    Object.keys(document.components.messages),
  );
  for (const [operation, isIncluded] of [
    ['sendCustomerEvent', isCustomerEvent],
    ['sendOperationalEvent', (name: EventName) => !isCustomerEvent(name) && name !== CUSTOM_EVENT],
    ['sendCustomEvent', (name: EventName) => name === CUSTOM_EVENT],
  ] as const) {
    const sent = document.operations[operation];
    const events = names(sent?.messages ?? []).map((name) => document.components.messages[name ?? '']?.name);
    expect(sent?.action).toBe('send');
    expect(events).toEqual([
      ...EVENT_TYPES.map(({ name }) => name).filter((name) => isIncluded(name)),
      'ThinEvent',
    ]);
  }
});

test('describes the headers of a delivery, and what signs it', () => {
  const { schemas, securitySchemes } = document.components;
  expect(schemas.DeliveryHeaders).toMatchObject({
    required: [
      'X-SVC-Signature',
      'X-SVC-Timestamp',
      'X-SVC-Delivery-Id',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ],
  });
  expect(Object.keys(securitySchemes)).toEqual(['hmac', 'ed25519']);
  for (const { security } of Object.values(document.operations))
    expect(names(security)).toEqual(['hmac', 'ed25519']);
});

test('has the schemas of the OpenAPI document, and examples that are valid against them', async () => {
  const openApi = JSON.parse((await send(server, 'GET', '/api/v1/openapi.json', { key: null })).text);
  for (const [name, schema] of Object.entries(document.components.schemas))
    if (/(?:Data|Webhook)$/.test(name)) expect(schema, name).toEqual(openApi.components.schemas[name]);

  const ajv = ajvOf().addSchema(document, 'document');
  const isValid = ($ref: string, value: unknown) => {
    const validate = ajv.compile({ $ref: `document${$ref}` });
    expect(validate(value), `${$ref}: ${JSON.stringify(validate.errors)}`).toBe(true);
  };
  for (const { payload, examples } of messages())
    for (const example of examples) {
      isValid(payload.$ref, example.payload);
      isValid('#/components/schemas/DeliveryHeaders', example.headers);
    }
});

test('is the printed document, and is served as YAML as well', async () => {
  const file = new URL('../../schema/printed/asyncapi.json', import.meta.url);
  expect(document, 'run scripts/print-openapi.ts').toEqual(JSON.parse(await readFile(file, 'utf8')));
  const { status, headers, text } = await send(server, 'GET', '/api/v1/asyncapi.yaml', { key: null });
  expect([status, headers.get('content-type')]).toEqual([200, 'application/yaml']);
  expect(parse(text)).toEqual(document);
});
