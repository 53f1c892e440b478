import { STATUS_CODES } from 'node:http';
import { isNonNullType, isRequiredArgument } from 'graphql';
import { MAX_INT32 } from '../../shared/int32.ts';
import { DEPRECATION_HEADERS, deprecationHeaders } from '../rest/deprecation-headers.ts';
import { pathArguments } from '../rest/path-parameters.ts';
import { LINES_TYPE } from '../rest/respond-lines.ts';
import type { Route } from '../rest/rest-routes.ts';
import {
  expectsBody,
  freeArguments,
  needsBody,
  takesBody,
  usesIdempotencyKey,
} from '../rest/route-variables.ts';
import { boundsOf } from '../validation-bounds.ts';
import { errorsOf, isConditionalChange } from './error-responses.ts';
import { narrowedSchemaOf, nonNullSchemaOf, objectOf, schemaOf } from './json-schemas.ts';
import type { Json, JsonSchema, SchemaComponents } from './openapi-types.ts';
import { headerRefs, RATE_LIMIT_HEADERS } from './shared-components.ts';

/** Example values of path parameters. */
const PARAMETER_EXAMPLES: Record<string, unknown> = {
  customerId: 42,
  customer: 42,
  endpointId: 7,
  deliveryId: '665f1d02b8e4d3a1f0c9b811',
  conversation_id: '665f1c2ab8e4d3a1f0c9b7e6',
  keyId: '665f1c2ab8e4d3a1f0c9b700',
};

const INT_ID: JsonSchema = { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_INT32 };

export const operationOf = (route: Route, schemas: SchemaComponents): Json => ({
  operationId: route.field.name,
  summary: route.summary,
  description: route.field.description ?? undefined,
  deprecated: route.deprecated ? true : undefined,
  tags: [route.tag],
  parameters: [...pathParameters(route), ...queryParameters(route, schemas), ...headerParameters(route)],
  requestBody: expectsBody(route) ? requestBody(route, schemas) : undefined,
  responses: {
    [route.responseStatus ?? 200]: successResponse(route, schemas),
    ...(isConditionalRead(route) && { 304: notModified(route) }),
    ...errorsOf(route),
  },
  'x-required-scope': route.scope,
  'x-required-resources': [route.resource, ...route.edges],
});

function pathParameters(route: Route): Json[] {
  const byName = new Map(pathArguments(route).map((argument) => [argument.parameter, argument]));
  return route.parameters.map((name) => {
    const common = { name, in: 'path', required: true, example: PARAMETER_EXAMPLES[name] };
    const argument = route.field.args.find((arg) => arg.name === byName.get(name)?.name);
    if (!argument) return { ...common, description: 'ID of the customer.', schema: INT_ID };
    return {
      ...common,
      description: argument.description ?? undefined,
      schema: byName.get(name)?.isInt ? INT_ID : { type: 'string' },
    };
  });
}

/** Arguments of a route without a body are query parameters, which cannot be null. */
function queryParameters(route: Route, schemas: SchemaComponents): Json[] {
  if (takesBody(route)) return [];
  return freeArguments(route).map((argument) => ({
    name: argument.name,
    in: 'query',
    required: isRequiredArgument(argument),
    description: argument.description ?? undefined,
    example: route.example.query?.[argument.name],
    schema: {
      ...narrowedSchemaOf(argument.type, boundsOf(argument), schemas),
      ...(argument.defaultValue !== undefined && { default: argument.defaultValue }),
    },
  }));
}

function headerParameters(route: Route): Json[] {
  return [...sharedParameters(route), ...conditionParameters(route)];
}

function sharedParameters(route: Route): Json[] {
  const names = usesIdempotencyKey(route) ? ['CustomerId', 'IdempotencyKey'] : ['CustomerId'];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function conditionParameters(route: Route): Json[] {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  });
  if (isConditionalRead(route))
    return [
      header('If-None-Match', 'Entity tags that the client has; the response is a 304 if one applies.'),
    ];
  return isConditionalChange(route)
    ? [header('If-Match', '`ETag` of the resource as it was read; the response is a 412 if it has changed.')]
    : [];
}

const isConditionalRead = ({ method, validator }: Route): boolean =>
  method === 'GET' && validator !== undefined;

const responseHeaders = (route: Route): string[] => [
  'X-Request-Id',
  ...RATE_LIMIT_HEADERS,
  ...(usesIdempotencyKey(route) ? ['Idempotent-Replayed'] : []),
  ...(route.validator ? ['ETag'] : []),
  ...(route.createdId ? ['Location'] : []),
];

/** Inline, since as a component it would be in every document, used or not. */
function deprecationHeadersOf({ deprecated }: Route): Json {
  if (!deprecated) return {};
  const examples = deprecationHeaders(deprecated);
  return Object.fromEntries(
    Object.entries(examples).map(([name, example]) => [
      name,
      {
        description: DEPRECATION_HEADERS[name as keyof typeof DEPRECATION_HEADERS],
        schema: { type: 'string' },
        example,
      },
    ]),
  );
}

/** Each body is a named component: generators invent names for inline bodies. */
function requestBody(route: Route, schemas: SchemaComponents): Json {
  const { name } = route.field;
  const free = freeArguments(route);
  const whole = free.find((argument) => argument.name === route.body);
  const schema = whole
    ? nonNullSchemaOf(whole.type, schemas)
    : schemas.define(`${name.charAt(0).toUpperCase()}${name.slice(1)}Input`, {
        description: `Body of \`${name}\`.`,
        ...objectOf(free, boundsOf(route.field), schemas),
      });
  return {
    required: needsBody(route),
    content: { 'application/json': { schema, example: route.example.body } },
  };
}

function successResponse(route: Route, schemas: SchemaComponents): Json {
  const { type } = route.field;
  const status = route.responseStatus ?? 200;
  if (route.lines) return linesResponse(route);
  // A null result of a nullable field is a 404 over REST.
  const schema = isNonNullType(type) ? schemaOf(type, schemas) : nonNullSchemaOf(type, schemas);
  return {
    description: STATUS_CODES[status] ?? '',
    headers: { ...headerRefs(responseHeaders(route)), ...deprecationHeadersOf(route) },
    content: { 'application/json': { schema, example: route.example.response } },
  };
}

/** A stream of JSON lines; generated clients return it as text. */
const linesResponse = (route: Route): Json => ({
  description: 'JSON lines.',
  headers: headerRefs(responseHeaders(route)),
  content: {
    [LINES_TYPE]: {
      schema: { type: 'string' },
      example: (route.example.response as object[]).map((line) => `${JSON.stringify(line)}\n`).join(''),
    },
  },
});

const notModified = (route: Route): Json => ({
  description: 'The content is that of a tag in `If-None-Match`.',
  headers: headerRefs(responseHeaders(route)),
});
