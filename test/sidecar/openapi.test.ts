import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sidecarOpenApi } from '../../scripts/sidecar-openapi.ts';
import { STATUS } from '../support/sidecar.ts';
import { someRows, startTestSidecar, type TestSidecar } from './support.ts';

interface Operation {
  operationId: string;
  responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }>;
}
interface Schema {
  properties?: Record<string, Schema & { description?: string }>;
  items?: Schema;
  allOf?: Schema[];
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const document: Document = JSON.parse(JSON.stringify(sidecarOpenApi()));

let sidecar: TestSidecar;
beforeAll(async () => {
  sidecar = await startTestSidecar();
  for (const set of ['reference', 'current'] as const) await sidecar.add(set, 'lead', someRows(60, 1));
  await sidecar.check();
});
afterAll(() => sidecar.stop());

/** Compiles a component schema. */
function schema(name: string): ValidateFunction {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema({ $id: 'sidecar', ...document });
  return ajv.compile({ $ref: `sidecar#/components/schemas/${name}` });
}

const VALID: [name: string, method: string, path: string, body?: object][] = [
  ['Health', 'GET', '/health'],
  ['Status', 'GET', '/drift/status'],
  ['Status', 'GET', '/drift/status?stage=lead'],
  ['Check', 'POST', '/drift/check', { stage: 'lead' }],
  ['History', 'GET', '/drift/history?feature=age'],
  ['Feature', 'GET', '/drift/feature?feature=source&stage=lead'],
  ['Feature', 'GET', '/drift/feature?feature=prediction'],
  ['Stages', 'GET', '/drift/stages'],
  [
    'FeatureSettings',
    'PUT',
    '/drift/features',
    { features: [{ feature: 'age', weight: 2, threshold: null }] },
  ],
  ['FeatureSettings', 'GET', '/drift/features'],
];

describe('docs/sidecar.openapi.json', () => {
  test('is a valid OpenAPI 3.1 document and up to date', async () => {
    const text = await readFile(new URL('../../docs/sidecar.openapi.json', import.meta.url), 'utf8');
    expect(JSON.parse(text)).toEqual(document);
    const { valid, errors } = await new Validator().validate(JSON.parse(text));
    expect([valid, errors]).toEqual([true, undefined]);
  });

  test.each(
    Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => [method, path]),
    ),
  )('describes a route of the reference sidecar: %s %s', async (method, path) => {
    const { status, headers, body } = await sidecar.request('OPTIONS', path);
    expect([status, body.error?.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(headers.get('allow')?.split(', ')).toContain(method.toUpperCase());
  });

  test.each(VALID)('%s is a schema of the reference sidecar: %s %s', async (name, method, path, body) => {
    const response = await sidecar.request(method, path, body);
    expect(response.status).toBe(200);
    const validate = schema(name);
    expect([validate(response.body), validate.errors]).toEqual([true, null]);
  });

  test('an error for a stage without samples has its schema', async () => {
    const { status, body } = await sidecar.request('GET', '/drift/status?stage=nope');
    expect([status, schema('NotFound')(body)]).toEqual([404, true]);
  });

  test('Status accepts the status that the tests below change', () => {
    expect(schema('Status')(STATUS)).toBe(true);
  });

  test.each([
    ['Status', { ...STATUS, driftScore: 1.1 }],
    ['Status', { ...STATUS, threshold: undefined }],
    ['Check', { success: true }],
    ['History', [{ id: 'c1' }]],
    ['SamplesRequest', { set: 'other', rows: [] }],
    ['SamplesRequest', { set: 'current', rows: [{ features: {} }] }],
  ])('%s rejects what the service rejects: %j', (name, body) => {
    expect(schema(name)(JSON.parse(JSON.stringify(body)))).toBe(false);
  });

  test('describes every field of a response', () => {
    const undescribed: string[] = [];
    const visit = (path: string, { properties = {}, items, allOf = [] }: Schema): void => {
      if (items) visit(path, items);
      for (const part of allOf) visit(path, part);
      for (const [name, field] of Object.entries(properties)) {
        // Pairs of the two sets are described as a whole.
        const isOfSet = name === 'reference' || name === 'current';
        if (!field.description && !isOfSet) undescribed.push(`${path}.${name}`);
        visit(`${path}.${name}`, field);
      }
    };
    const {
      NotFound: _notFound,
      Error: _error,
      SamplesRequest: _samples,
      ...schemas
    } = document.components.schemas;
    for (const [name, one] of Object.entries(schemas)) visit(name, one);
    expect(undescribed).toEqual([]);
  });
});
