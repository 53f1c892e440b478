import type { ValidateFunction } from 'ajv';
import { expect } from 'vitest';
import type { Answer } from '../support/app.ts';
import { schemasOf } from './openapi-support.ts';

interface Response {
  headers: Record<string, { $ref?: string; schema: object }>;
  /** Absent if the response has no body. */
  content?: object;
}

interface Operation {
  operationId: string;
  /** Absent of health and metrics, which are no routes of a schema. */
  'x-required-scope'?: 'read' | 'write' | 'admin';
  requestBody?: object;
  responses: Record<string, Response | { $ref: string }>;
}

/** As much of an OpenAPI document as a check of answers needs. */
export interface Document {
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: object };
}

/** An operation of a document, with its address. */
export interface Documented extends Operation {
  base: string;
  method: string;
  path: string;
}

/** A document that answers are held against. */
export interface Conformance {
  operations: Documented[];
  /** The schema that errors have everywhere. */
  error: ValidateFunction;
  /** Fails unless the operation says that it answers so: status, body (with nothing more in it) and headers. */
  expect(operation: Documented, answer: Answer): void;
}

/** Headers that are not in every answer: no limit, nothing replayed. */
const SOMETIMES = /^(RateLimit|Idempotent-Replayed)/;

/** Returns the schema with additional properties forbidden. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([name, value]) => [name, closed(value)]);
  return { ...Object.fromEntries(entries), ...('properties' in schema && { additionalProperties: false }) };
}

const escaped = (text: string) => text.replaceAll('~', '~0').replaceAll('/', '~1');

/** The value that a JSON pointer (RFC 6901) names in a document. */
const at = (document: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (value, key) => (value as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );

export function conformanceOf(served: Document): Conformance {
  const { components } = served;
  const document = {
    ...served,
    components: { ...components, schemas: closed(components.schemas) as object },
  };
  const schemaAt = schemasOf(document);
  const resolved = (pointer: string): string =>
    (at(document, pointer) as { $ref?: string }).$ref?.slice(1) ?? pointer;
  const base = served.servers[0]?.url ?? '';

  return {
    operations: Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, base, path, method })),
    ),
    error: schemaAt('/components/schemas/ErrorResponse'),
    expect({ method, path, operationId, responses }, answer) {
      const status = String(answer.status);
      const label = `${operationId} ${status} ${JSON.stringify(answer.body)}`;
      expect(Object.keys(responses), label).toContain(status);
      const pointer = resolved(`/paths/${escaped(path)}/${method}/responses/${status}`);
      const documented = at(document, pointer) as Response;
      const [type] = Object.keys(documented.content ?? {});
      if (type !== undefined) {
        const validate = schemaAt(`${pointer}/content/${escaped(type)}/schema`);
        expect(validate(answer.body), `${label}: ${JSON.stringify(validate.errors)}`).toBe(true);
        expect(answer.headers.get('content-type')).toBe(
          type === 'application/json' ? 'application/json; charset=utf-8' : type,
        );
      } else expect([answer.body, answer.headers.get('content-type')]).toEqual(['', null]);
      for (const name of Object.keys(documented.headers)) {
        const value = answer.headers.get(name);
        if (value === null && SOMETIMES.test(name)) continue;
        const header = resolved(`${pointer}/headers/${name}`);
        const { type } = (at(document, header) as { schema: { type: string } }).schema;
        const check = schemaAt(`${header}/schema`);
        expect(check(type === 'integer' ? Number(value) : value), `${label}: ${name} ${value}`).toBe(true);
      }
    },
  };
}
