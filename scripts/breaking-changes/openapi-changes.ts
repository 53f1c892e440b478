import { hasScope, type Scope } from '../../src/features/tenants/scopes.ts';
import { isObject } from '../../src/platform/is-object.ts';
import type { BreakingChange } from './breaking-change.ts';
import { type Direction, defaultChanges, type JsonSchema, schemaChanges } from './json-schema-changes.ts';

type Json = Record<string, unknown>;

/** The parts of an operation that clients depend on, without references. */
interface Operation {
  subject: string;
  /** Scope that an API key must have; null if the operation requires none. */
  scope: Scope | null;
  /** Query and header parameters by place and name, path parameters by position. */
  parameters: Map<string, { required: boolean; schema: JsonSchema }>;
  body: Body | null;
  /** JSON schemas of the responses by status; null for a response without JSON. */
  responses: Map<string, JsonSchema | null>;
}

interface Body {
  required: boolean;
  schema: JsonSchema;
}

interface Comparison {
  released: Operation;
  current: Operation;
  /** Direction of the request: `output` for webhooks, which the service sends. */
  request: Direction;
}

/** Returns the breaking changes between two OpenAPI documents. Names of components do not matter. */
export async function openApiChanges(released: Json, current: Json): Promise<BreakingChange[]> {
  const changes = [];
  for (const section of ['paths', 'webhooks'] as const) {
    const after = operationsOf(current, section);
    for (const [id, operation] of operationsOf(released, section)) {
      const request = section === 'paths' ? 'input' : 'output';
      const next = after.get(id);
      const messages = next
        ? await operationChanges({ released: operation, current: next, request })
        : ['was removed'];
      changes.push(...messages.map((message) => ({ subject: operation.subject, message })));
    }
  }
  return changes;
}

async function operationChanges(comparison: Comparison): Promise<string[]> {
  return [
    ...scopeChanges(comparison),
    ...(await parameterChanges(comparison)),
    ...(await bodyChanges(comparison)),
    ...(await responseChanges(comparison)),
  ];
}

function scopeChanges({ released, current }: Comparison): string[] {
  const { scope } = current;
  const isWider = scope === null || (released.scope !== null && hasScope(released.scope, scope));
  return isWider ? [] : [`the scope ${scope} is required`];
}

async function parameterChanges({ released, current, request }: Comparison): Promise<string[]> {
  // The headers of a webhook are an addition to its body; only their removal breaks a receiver.
  const isSentByClient = request === 'input';
  const messages: string[] = [];
  for (const [name, { schema, required }] of released.parameters) {
    const next = current.parameters.get(name);
    if (!next) messages.push(`${name} was removed`);
    else if (isSentByClient && next.required && !required) messages.push(`${name} became required`);
    else if ((await schemaChanges({ released: schema, current: next.schema, direction: request })).length > 0)
      messages.push(`${name} ${EFFECT[request]}`);
    if (isSentByClient && next && defaultChanges(schema, next.schema).length > 0)
      messages.push(`${name} ${OTHER_DEFAULT}`);
  }
  for (const [name, { required }] of current.parameters)
    if (isSentByClient && required && !released.parameters.has(name))
      messages.push(`${name} is new and required`);
  return messages;
}

const EFFECT: Record<Direction, string> = {
  input: 'no longer accepts every value that it accepted',
  output: 'can be absent or have values that it never had',
};

const OTHER_DEFAULT = 'has another default';

async function bodyChanges({ released, current, request }: Comparison): Promise<string[]> {
  if (!current.body) return released.body ? ['the body was removed'] : [];
  if (!released.body) return current.body.required ? ['a body is required'] : [];
  const became = current.body.required && !released.body.required ? ['the body became required'] : [];
  const paths = await schemaChanges({
    released: released.body.schema,
    current: current.body.schema,
    direction: request,
  });
  const defaults = request === 'input' ? defaultChanges(released.body.schema, current.body.schema) : [];
  const inBody = (path: string) => (path ? `${path} of the body` : 'the body');
  return [
    ...became,
    ...paths.map((path) => `${inBody(path)} ${EFFECT[request]}`),
    ...defaults.map((path) => `${inBody(path)} ${OTHER_DEFAULT}`),
  ];
}

async function responseChanges({ released, current }: Comparison): Promise<string[]> {
  const messages: string[] = [];
  for (const [status, schema] of released.responses) {
    const next = current.responses.get(status);
    const isError = status === 'default' || Number(status) >= 400;
    if (next === undefined && !isError) messages.push(`the response ${status} was removed`);
    if (!schema || next === undefined) continue;
    const paths = next ? await schemaChanges({ released: schema, current: next, direction: 'output' }) : [''];
    messages.push(...paths.map((path) => `${path && `${path} of `}the response ${status} ${EFFECT.output}`));
  }
  return messages;
}

/** Returns operations by method and path, regardless of the names of path parameters. */
function operationsOf(document: Json, section: 'paths' | 'webhooks'): Map<string, Operation> {
  const items = resolve(document[section] ?? {}, document) as Record<string, Record<string, Json>>;
  const [server] = (document.servers ?? []) as { url?: string }[];
  const base = section === 'paths' ? (server?.url ?? '') : '';
  return new Map(
    Object.entries(items).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => METHODS.has(method))
        .map(([method, operation]): [string, Operation] => {
          const subject = section === 'paths' ? `${method.toUpperCase()} ${base}${path}` : path;
          return [subject.replaceAll(PATH_PARAMETER, '{}'), operationOf(subject, operation)];
        }),
    ),
  );
}

const PATH_PARAMETER = /\{(\w+)\}/g;

const METHODS = new Set(['get', 'head', 'put', 'post', 'patch', 'delete', 'options', 'trace']);

/** Returns a name that does not depend on how a path parameter is called. */
function parameterName(subject: string, { in: place, name }: Json): string {
  if (place !== 'path') return `the ${place} parameter ${name}`;
  const names = [...subject.matchAll(PATH_PARAMETER)].map(([, parameter]) => parameter);
  return `the path parameter ${names.indexOf(String(name)) + 1}`;
}

function operationOf(subject: string, operation: Json): Operation {
  const { parameters, requestBody, responses, 'x-required-scope': scope = null } = operation;
  const listed = (Array.isArray(parameters) ? parameters : []) as Json[];
  const body = requestBody as Json | undefined;
  const bodySchema = body && jsonSchemaOf(body);
  return {
    subject,
    scope: scope as Scope | null,
    parameters: new Map(
      listed.map((parameter) => [
        parameterName(subject, parameter),
        { required: parameter.required === true, schema: (parameter.schema ?? {}) as JsonSchema },
      ]),
    ),
    body: bodySchema ? { required: body.required === true, schema: bodySchema } : null,
    responses: new Map(
      Object.entries((responses ?? {}) as Record<string, Json>).map(([status, response]) => [
        status,
        jsonSchemaOf(response),
      ]),
    ),
  };
}

const jsonSchemaOf = ({ content }: Json): JsonSchema | null =>
  (content as Record<string, { schema?: JsonSchema }> | undefined)?.['application/json']?.schema ?? null;

/** Replaces references by what they refer to; a schema that contains itself accepts anything at the second level. */
function resolve(value: unknown, document: Json, pending: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, document, pending));
  if (!isObject(value)) return value;
  const { $ref, ...siblings } = value;
  if (typeof $ref !== 'string')
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, resolve(member, document, pending)]),
    );
  if (pending.includes($ref)) return {};
  const target = resolve(referenced($ref, document), document, [...pending, $ref]) as Json;
  return { ...target, ...(resolve(siblings, document, pending) as Json) };
}

/** Follows a reference within the document; the value of any other `$ref` accepts anything. */
function referenced(reference: string, document: Json): unknown {
  const names = reference
    .replace(/^#\//, '')
    .split('/')
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));
  return (
    names.reduce<unknown>((parent, name) => (isObject(parent) ? parent[name] : undefined), document) ?? {}
  );
}
