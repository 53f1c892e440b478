import { STATUS_CODES } from 'node:http';
import { type GraphQLNamedType, isNonNullType } from 'graphql';
import { MAX_INT32 } from '../../platform/int32.ts';
import { isRequired } from '../input-slot.ts';
import { pathArguments } from '../rest/path-parameters.ts';
import type { Route } from '../rest/rest-routes.ts';
import {
  expectsBody,
  freeArguments,
  needsBody,
  takesBody,
  usesIdempotencyKey,
} from '../rest/route-variables.ts';
import { bounded, boundsOf } from '../validation-bounds.ts';
import { errorsOf, isConditionalChange } from './error-responses.ts';
import { nonNullSchemaOf, objectOf, schemaOf } from './json-schemas.ts';
import type { Json, JsonSchema } from './openapi-types.ts';

type OnReference = (type: GraphQLNamedType) => void;

/** Example values of path parameters. */
const PARAMETER_EXAMPLES: Record<string, unknown> = {
  customerId: 42,
  endpointId: 7,
  deliveryId: '665f1d02b8e4d3a1f0c9b811',
  conversation_id: '665f1c2ab8e4d3a1f0c9b7e6',
};

const INT_ID: JsonSchema = { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_INT32 };

/** Builds one operation. */
export const operationOf = (route: Route, onReference: OnReference): Json => ({
  operationId: route.field.name,
  summary: route.summary,
  description: route.field.description ?? undefined,
  tags: [route.tag],
  parameters: [...pathParameters(route), ...queryParameters(route, onReference), ...headerParameters(route)],
  requestBody: expectsBody(route) ? requestBody(route, onReference) : undefined,
  responses: {
    [route.responseStatus ?? 200]: successResponse(route, onReference),
    ...(isConditionalRead(route) && { 304: notModified(route) }),
    ...errorsOf(route),
  },
  'x-required-scope': route.scope,
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
function queryParameters(route: Route, onReference: OnReference): Json[] {
  if (takesBody(route)) return [];
  return freeArguments(route).map((argument) => ({
    name: argument.name,
    in: 'query',
    required: isRequired(argument),
    description: argument.description ?? undefined,
    schema: {
      ...bounded(nonNullSchemaOf(argument.type, onReference), boundsOf(argument)),
      ...(argument.defaultValue !== undefined && { default: argument.defaultValue }),
    },
  }));
}

function headerParameters(route: Route): Json[] {
  return [...sharedParameters(route), ...conditionParameters(route)];
}

function sharedParameters(route: Route): Json[] {
  if (route.mount !== 'preview') return [];
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
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  ...(usesIdempotencyKey(route) ? ['Idempotent-Replayed'] : []),
  ...(route.validator ? ['ETag'] : []),
  ...(route.createdId ? ['Location'] : []),
];

function requestBody(route: Route, onReference: OnReference): Json {
  const free = freeArguments(route);
  const whole = free.find(({ name }) => name === route.body);
  const schema = whole
    ? nonNullSchemaOf(whole.type, onReference)
    : objectOf(free, boundsOf(route.field), onReference);
  return {
    required: needsBody(route),
    content: { 'application/json': { schema, example: route.example.body } },
  };
}

function successResponse(route: Route, onReference: OnReference): Json {
  const { type } = route.field;
  const status = route.responseStatus ?? 200;
  // A null result of a nullable field is a 404 over REST.
  const schema = isNonNullType(type) ? schemaOf(type, onReference) : nonNullSchemaOf(type, onReference);
  return {
    description: STATUS_CODES[status] ?? '',
    headers: headersOf(route),
    content: { 'application/json': { schema, example: route.example.response } },
  };
}

const notModified = (route: Route): Json => ({
  description: 'The content is that of a tag in `If-None-Match`.',
  headers: headersOf(route),
});

const headersOf = (route: Route): Json =>
  Object.fromEntries(responseHeaders(route).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
