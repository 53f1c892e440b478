import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERROR_STATUS } from '../../../src/errors/error-codes.ts';
import { isObject } from '../../../src/platform/is-object.ts';

/** The rules by which generators of clients produce code that compiles, on the committed documents. */
type Json = Record<string, unknown>;

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  schema: Json;
}

interface Operation {
  operationId: string;
  security?: unknown[];
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { $ref?: string; headers?: Json }>;
}

interface Document {
  info: { contact?: Json; license?: Json };
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Json>;
  components: {
    schemas: Record<string, Json & { properties?: Record<string, Json>; enum?: unknown[] }>;
    responses: Record<string, { headers: Json }>;
    pathItems?: Record<string, Record<string, Operation>>;
  };
}

const PRINTED = join(import.meta.dirname, '../../../schema/printed');
const read = (name: string): Document =>
  JSON.parse(readFileSync(join(PRINTED, `openapi.${name}.json`), 'utf8')) as Document;

/** Every object in a document, except examples and the values of enumerations. */
function objectsIn(value: unknown): Json[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (!isObject(value)) return [];
  const below = Object.entries(value).filter(([key]) => key !== 'example' && key !== 'enum');
  return [value, ...below.flatMap(([, child]) => objectsIn(child))];
}

const isRef = (schema: unknown): boolean => isObject(schema) && typeof schema.$ref === 'string';

describe.each(['v1', 'preview', 'rpc'])('the document %s', (name) => {
  const document = read(name);
  const { schemas, responses, pathItems = {} } = document.components;
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  /** Health and metrics require no API key. */
  const routes = operations.filter(({ security }) => security === undefined);

  test('has no union of null and an inline schema: null is a type', () => {
    const unions = objectsIn(document).flatMap(({ anyOf, oneOf }) => [anyOf, oneOf].filter(Array.isArray));
    for (const branches of unions) {
      const others = branches.filter((branch) => isObject(branch) && branch.type !== 'null');
      expect(others.every(isRef), JSON.stringify(branches)).toBe(true);
    }
  });

  test('has no pattern with classes that only some languages know', () => {
    const patterns = objectsIn(document).flatMap(({ pattern }) =>
      typeof pattern === 'string' ? [pattern] : [],
    );
    expect(patterns.length).toBeGreaterThan(0);
    for (const pattern of patterns) expect(pattern).not.toContain('\\p');
  });

  test('has a named component for every body', () => {
    const webhookOperations = Object.values(pathItems).flatMap((item) => Object.values(item));
    const bodies = [...operations, ...webhookOperations].flatMap(({ requestBody }) => requestBody ?? []);
    expect(bodies.length).toBeGreaterThan(0);
    for (const { content } of bodies)
      expect(content['application/json']?.schema).toEqual({ $ref: expect.any(String) });
  });

  test('refers to the webhooks, whose headers are inline', () => {
    for (const webhook of Object.values(document.webhooks ?? {}))
      expect(webhook).toEqual({ $ref: expect.stringMatching(/^#\/components\/pathItems\/\w+$/) });
    for (const item of Object.values(pathItems)) {
      expect(item.post?.parameters.map((parameter) => parameter.in)).toEqual(Array(6).fill('header'));
      expect(item.post?.operationId).toMatch(/^on[A-Z][A-Za-z]+$/);
    }
  });

  test('has no schema with the name of a class that languages have, and no enumeration value twice', () => {
    expect(Object.keys(schemas)).not.toContain('Error');
    const values = Object.values(schemas).flatMap((schema) => schema.enum ?? []);
    expect(values).toHaveLength(new Set(values).size);
  });

  test('declares the values of objects without properties', () => {
    for (const schema of objectsIn(schemas)) {
      const isFree = [schema.type].flat().includes('object') && !schema.properties;
      if (isFree) expect(schema.additionalProperties, JSON.stringify(schema)).toBe(true);
    }
  });

  test('has a default response with every error code for every operation', () => {
    for (const { operationId, responses } of operations)
      expect(responses.default, operationId).toEqual({ $ref: '#/components/responses/ERROR' });
    expect(schemas.ErrorCode?.enum).toEqual(Object.keys(ERROR_STATUS));
  });

  test('declares the rate limit in every response of a counted request', () => {
    const limited = { 'RateLimit-Limit': { $ref: '#/components/headers/RateLimit-Limit' } };
    for (const { operationId, responses: own } of routes) {
      for (const [status, response] of Object.entries(own)) {
        const { headers } = response.$ref
          ? (responses[response.$ref.split('/').at(-1) as string] as { headers: Json })
          : response;
        // Before the key is known, and without a known status, there may be no limit.
        if (status === '401' || status === 'default') continue;
        expect(headers, `${operationId} ${status}`).toMatchObject(limited);
      }
    }
  });

  test('lets every route name the customer', () => {
    for (const { operationId, parameters } of routes)
      expect(parameters, operationId).toContainEqual({ $ref: '#/components/parameters/CustomerId' });
  });

  test('names a contact and the license', () => {
    expect(document.info.contact).toEqual({ name: expect.any(String) });
    expect(document.info.license).toEqual({ name: 'Proprietary', identifier: 'LicenseRef-Proprietary' });
  });
});

test('the preview document has `since` as a plain string, and the goal of a conversion as a condition', () => {
  const { paths, components } = read('preview');
  const since = paths['/conversations']?.get?.parameters.find(({ name }) => name === 'since');
  expect(since?.schema).toEqual({ type: 'string' });
  expect(components.schemas.CreateEventInput).toMatchObject({
    if: { properties: { type: { const: 'conversion' } }, required: ['type'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { properties: { goal: { type: 'string' } }, required: ['goal'] },
  });
});

test('the v1 document declares URLs and unique items', () => {
  const { schemas } = read('v1').components;
  for (const name of ['CreateWebhookEndpointInput', 'UpdateWebhookEndpointInput', 'WebhookEndpoint'])
    expect(schemas[name]?.properties?.url, name).toMatchObject({ type: 'string', format: 'uri' });
  for (const name of ['CreateWebhookEndpointInput', 'UpdateWebhookEndpointInput'])
    expect(schemas[name]?.properties?.events, name).toMatchObject({
      type: ['array', 'null'],
      items: { $ref: '#/components/schemas/EventName' },
      uniqueItems: true,
    });
});
