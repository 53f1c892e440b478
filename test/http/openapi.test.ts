import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { EVENT_TYPES } from '../../src/features/outbox/event-catalog.ts';
import { isObject } from '../../src/platform/is-object.ts';
import { examplesOf, schemasOf } from './openapi-support.ts';
import { send, startServer } from './support.ts';

type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters: {
    $ref?: string;
    name: string;
    in: string;
    required: boolean;
    schema: object;
    example?: unknown;
  }[];
  requestBody?: { required: boolean; content: { 'application/json': { schema: object; example: unknown } } };
  responses: Record<string, object>;
};
interface Document {
  openapi: string;
  info: { version: string; description: string };
  servers: { url: string }[];
  security: object[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, { $ref: string }>;
  components: {
    schemas: Record<string, { properties: Record<string, object>; required: string[] }>;
    pathItems: Record<string, { post: Operation }>;
  };
}

const isProbe = (operationId: string) => ['getHealth', 'getMetrics'].includes(operationId);

const LIST = '/customers/{customerId}/webhook-endpoints';
let server: Awaited<ReturnType<typeof startServer>>;
const documents: Record<string, Document> = {};

beforeAll(async () => {
  server = await startServer();
  for (const base of ['/api/v1', '/v1', '/api']) {
    const { text } = await send(server, 'GET', `${base}/openapi.json`, { key: null });
    documents[base] = JSON.parse(text);
  }
});
afterAll(() => server.stop());

const v1 = () => documents['/api/v1'] as Document;
const preview = () => documents['/v1'] as Document;
const rpc = () => documents['/api'] as Document;

describe.each(['/api/v1', '/v1', '/api'])('the OpenAPI document of %s', (base) => {
  const document = () => documents[base] as Document;
  const operations = () => Object.values(document().paths).flatMap((path) => Object.values(path));

  test('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document()) as never);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(document().openapi).toBe('3.1.0');
  });

  test('has examples that are valid against their schemas: requests, responses, parameters and webhooks', () => {
    const schemaAt = schemasOf(document());
    const examples = examplesOf(document());
    expect(examples.length).toBeGreaterThan(10);
    for (const { schema, value } of examples) {
      const validate = schemaAt(schema);
      expect(validate(value), `${schema}: ${JSON.stringify(validate.errors)}`).toBe(true);
    }
  });

  test('has an example for every body and every response', () => {
    for (const { operationId, requestBody, responses } of operations()) {
      if (requestBody) expect(requestBody.content['application/json'].example, operationId).toBeDefined();
      const [success] = Object.keys(responses);
      const { content = {} } = responses[success as string] as { content?: object };
      for (const body of Object.values(content)) expect(body, operationId).toHaveProperty('example');
      expect(Object.keys(content), operationId).toHaveLength(1);
    }
  });

  test('describes every operation, parameter and property', () => {
    for (const operation of operations()) {
      expect(operation.summary).toBeTruthy();
      expect(operation.description).toBeTruthy();
      expect(operation.tags).toHaveLength(1);
      for (const parameter of operation.parameters) {
        if (!parameter.$ref) expect(parameter, operation.operationId).toHaveProperty('description');
      }
    }
    for (const [name, { properties = {} }] of Object.entries(document().components.schemas)) {
      for (const [field, schema] of Object.entries(properties)) {
        expect(schema, `${name}.${field}`).toHaveProperty('description');
      }
    }
  });

  test('lists the errors that each operation can return, in one format', () => {
    for (const methods of Object.values(document().paths)) {
      for (const [method, { operationId, responses }] of Object.entries(methods)) {
        const statuses = Object.keys(responses);
        expect(responses.default, operationId).toEqual({ $ref: '#/components/responses/ERROR' });
        // Health and metrics are no routes of a schema.
        if (isProbe(operationId)) continue;
        expect(statuses, operationId).toEqual(expect.arrayContaining(['401', '404', '422', '429', '500']));
        // A body that is sent is read, also where there is nothing to say in it.
        expect(statuses.includes('415'), operationId).toBe(['post', 'patch'].includes(method));
      }
    }
  });

  test('has path parameters only in the path, and every one of them', () => {
    for (const [path, methods] of Object.entries(document().paths)) {
      const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
      for (const { parameters, requestBody } of Object.values(methods)) {
        expect(parameters.filter((p) => p.in === 'path').map((p) => p.name)).toEqual(inPath);
        expect(
          Object.keys(
            (requestBody?.content['application/json'].schema as Document['components']['schemas'][string])
              ?.properties ?? {},
          ),
        ).not.toContain('customerId');
      }
    }
  });

  test('requires a bearer key, and has a relative server URL', () => {
    expect(document().security).toEqual([{ apiKey: [] }]);
    expect(document().components).toHaveProperty(
      'securitySchemes.apiKey',
      expect.objectContaining({ type: 'http', scheme: 'bearer' }),
    );
    expect(document().servers).toEqual([{ url: base }]);
  });
});

describe.each(['/api/v1', '/v1'])('the webhooks in the OpenAPI document of %s', (base) => {
  test('cover every event of the catalogue, with its envelope and its signature', () => {
    const webhooks = documents[base]?.webhooks ?? {};
    expect(Object.keys(webhooks)).toEqual(EVENT_TYPES.map(({ name }) => name));
    expect(webhooks['conversion.recorded']).toEqual({ $ref: '#/components/pathItems/ConversionRecorded' });
    const { pathItems, schemas } = (documents[base] as Document).components;
    expect(Object.values(webhooks).map(({ $ref }) => $ref.split('/').at(-1))).toEqual(Object.keys(pathItems));
    const { post } = pathItems.ConversionRecorded as { post: Operation };
    expect(post.parameters).toContainEqual(
      expect.objectContaining({ name: 'X-SVC-Signature', in: 'header' }),
    );
    expect(post.requestBody?.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/ConversionRecordedWebhook',
    });
    expect(schemas.ConversionRecordedWebhook).toMatchObject({
      required: ['event', 'data', 'ts'],
      properties: {
        event: { const: 'conversion.recorded' },
        data: { $ref: '#/components/schemas/ConversionRecordedData' },
        ts: { type: 'integer' },
      },
    });
  });
});

test('the document of the drift procedures has these, each with its response without a sidecar, and the probes', () => {
  expect(Object.keys(rpc().paths)).toEqual([
    '/drift.getStatus',
    '/drift.getStages',
    '/drift.getModels',
    '/drift.getHistory',
    '/drift.getFeature',
    '/drift.getFeatureSettings',
    '/drift.getPerformance',
    '/drift.getAlerts',
    '/drift.getMutes',
    '/drift.getPlannedChanges',
    '/drift.triggerCheck',
    '/drift.setFeatureSettings',
    '/drift.acknowledgeAlert',
    '/drift.withdrawAcknowledgement',
    '/drift.muteFeature',
    '/drift.unmuteFeature',
    '/drift.createPlannedChange',
    '/drift.deletePlannedChange',
    '/health',
    '/metrics',
  ]);
  expect(rpc().webhooks).toBeUndefined();
  for (const methods of Object.values(rpc().paths))
    for (const { operationId, responses } of Object.values(methods))
      if (operationId !== 'getMetrics') expect(responses).toHaveProperty('503');
  const { get } = rpc().paths['/drift.getHistory'] as { get: Operation };
  expect(get.parameters.flatMap(({ name, required }) => (name ? [[name, required]] : []))).toEqual([
    ['stage', false],
    ['limit', false],
    ['overall', false],
    ['feature', false],
    ['model', false],
  ]);
  expect(get.parameters[1]?.schema).toMatchObject({ minimum: 1, maximum: 200, default: 50 });
});

test('the v1 document has the bounds, defaults and nullability of its input', () => {
  const { get } = v1().paths[LIST] as { get: Operation };
  expect(get.parameters.find(({ name }) => name === 'limit')?.schema).toEqual({
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: 200,
    default: 50,
  });
  const { CreateWebhookEndpointInput: create, UpdateWebhookEndpointInput: update } = v1().components.schemas;
  expect(create?.required).toEqual(['url']);
  expect(create?.properties.url).toMatchObject({ type: 'string', maxLength: 2048 });
  expect(create?.properties.events).toMatchObject({ type: ['array', 'null'], minItems: 1 });
  expect(update?.properties.url).toMatchObject({ type: 'string' });
  expect(update?.properties.description).toMatchObject({ type: ['string', 'null'], maxLength: 500 });
  expect(update).toHaveProperty('additionalProperties', false);
});

test('the v1 document marks every nullable field of responses', () => {
  const { WebhookEndpoint: endpoint } = v1().components.schemas;
  expect(endpoint?.required).toEqual(Object.keys(endpoint?.properties ?? {}));
  expect(endpoint?.properties.description).toMatchObject({ type: ['string', 'null'] });
  expect(endpoint?.properties.disabledReason).toMatchObject({
    anyOf: [{ $ref: '#/components/schemas/WebhookDisabledReason' }, { type: 'null' }],
  });
});

test('the v1 document has the statuses of the contract', () => {
  const { post } = v1().paths[LIST] as { post: Operation };
  expect(Object.keys(post.responses)).toEqual(expect.arrayContaining(['201', '400', '403', '409', '413']));
  expect(v1().paths[`${LIST}/{endpointId}/test`]?.post?.responses).toHaveProperty('202');
});

test('the preview document is marked as a preview', () => {
  expect(preview().info.version).toMatch(/preview/);
  expect(preview().info.description).toMatch(/preview/i);
});

test('the request examples are accepted, and the responses match their schemas', async () => {
  const calls = [
    [v1(), LIST, 'post', 201],
    [v1(), LIST, 'get', 200],
    [v1(), `${LIST}/{endpointId}`, 'patch', 200],
    [v1(), '/event-types', 'get', 200],
    [preview(), '/events', 'post', 201],
  ] as const;
  const tenant = await server.services.tenants.get(42);
  for (const [document, path, method, status] of calls) {
    const example = document.paths[path]?.[method]?.requestBody?.content['application/json'].example;
    let body = example;
    if (isObject(example) && 'conversation_id' in example) {
      const visitorId = String(example.visitor_id);
      const { id } = await server.services.moves.start(tenant, { visitorId });
      body = { ...example, conversation_id: id };
    }
    const address = path.replace('{customerId}', '42').replace('{endpointId}', '1');
    const answer = await send(server, method.toUpperCase(), document.servers[0]?.url + address, { body });
    expect(answer.status, answer.text).toBe(status);
    const pointer = `/paths/${path.replaceAll('/', '~1')}/${method}/responses/${status}/content/application~1json/schema`;
    const validate = schemasOf(document)(pointer);
    expect(validate(JSON.parse(answer.text)), JSON.stringify(validate.errors)).toBe(true);
  }
});

test('the printed documents match the served ones', async () => {
  for (const [base, name] of [
    ['/api/v1', 'v1'],
    ['/v1', 'preview'],
    ['/api', 'rpc'],
  ] as const) {
    const file = new URL(`../../schema/printed/openapi.${name}.json`, import.meta.url);
    expect(documents[base], 'run scripts/print-openapi.ts').toEqual(JSON.parse(await readFile(file, 'utf8')));
  }
});

test('each document is served as YAML as well, without a key', async () => {
  for (const base of ['/api/v1', '/v1', '/api']) {
    const { status, headers, text } = await send(server, 'GET', `${base}/openapi.yaml`, { key: null });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/yaml']);
    expect(parse(text)).toEqual(documents[base]);
  }
});
