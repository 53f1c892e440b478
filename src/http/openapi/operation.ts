import { STATUS_CODES } from 'node:http';
import { type GraphQLNamedType, isNonNullType } from 'graphql';
import { isRequired } from '../rest/input-check.ts';
import { pathArguments } from '../rest/path-parameters.ts';
import type { Route } from '../rest/rest-routes.ts';
import {
  expectsBody,
  freeArguments,
  heedsIdempotencyKey,
  needsBody,
  takesBody,
} from '../rest/route-variables.ts';
import { bounded, boundsOf } from './bounds.ts';
import { errorsOf } from './errors.ts';
import { exampleOf, inputExample } from './examples.ts';
import { nonNullSchemaOf, objectOf, schemaOf } from './schemas.ts';
import type { Json, JsonSchema } from './types.ts';

type Found = (type: GraphQLNamedType) => void;

const INT_ID: JsonSchema = { type: 'integer', format: 'int32', minimum: 1, maximum: 2 ** 31 - 1 };

/** The repaired form of one operation that Sofa generated. */
export const operationOf = (route: Route, found: Found): Json => ({
  operationId: route.field.name,
  summary: route.summary,
  description: route.field.description ?? undefined,
  tags: [route.tag],
  parameters: [...pathParameters(route), ...queryParameters(route, found), ...headerParameters(route)],
  requestBody: expectsBody(route) ? requestBody(route, found) : undefined,
  responses: { [route.responseStatus ?? 200]: success(route, found), ...errorsOf(route) },
  'x-required-scope': route.scope,
});

function pathParameters(route: Route): Json[] {
  const byName = new Map(pathArguments(route).map((argument) => [argument.parameter, argument]));
  return route.parameters.map((name) => {
    const described = { name, in: 'path', required: true };
    const argument = route.field.args.find((arg) => arg.name === byName.get(name)?.name);
    if (!argument) return { ...described, description: 'The customer.', schema: INT_ID, example: 42 };
    return {
      ...described,
      description: argument.description ?? undefined,
      schema: byName.get(name)?.isInt ? INT_ID : { type: 'string' },
      example: exampleOf(argument.type, '', name),
    };
  });
}

/** An argument of a route that takes no body is a query parameter, which cannot say null. */
function queryParameters(route: Route, found: Found): Json[] {
  if (takesBody(route)) return [];
  return freeArguments(route).map((argument) => ({
    name: argument.name,
    in: 'query',
    required: isRequired(argument),
    description: argument.description ?? undefined,
    schema: {
      ...bounded(nonNullSchemaOf(argument.type, found), boundsOf(argument)),
      ...(argument.defaultValue !== undefined && { default: argument.defaultValue }),
    },
  }));
}

function headerParameters(route: Route): Json[] {
  if (route.mount !== 'preview') return [];
  const names = heedsIdempotencyKey(route) ? ['CustomerId', 'IdempotencyKey'] : ['CustomerId'];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

const answerHeaders = (route: Route): string[] => [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  ...(heedsIdempotencyKey(route) ? ['Idempotent-Replayed'] : []),
];

function requestBody(route: Route, found: Found): Json {
  const free = freeArguments(route);
  const whole = free.find(({ name }) => name === route.body);
  const schema = whole ? nonNullSchemaOf(whole.type, found) : objectOf(free, boundsOf(route.field), found);
  const example = whole ? exampleOf(whole.type) : inputExample(free);
  return {
    required: needsBody(route),
    content: { 'application/json': { schema, example } },
  };
}

function success(route: Route, found: Found): Json {
  const { type } = route.field;
  const status = route.responseStatus ?? 200;
  // A null that a field may answer is a 404 here.
  const schema = isNonNullType(type) ? schemaOf(type, found) : nonNullSchemaOf(type, found);
  return {
    description: STATUS_CODES[status] ?? '',
    headers: Object.fromEntries(
      answerHeaders(route).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    content: { 'application/json': { schema, example: exampleOf(type) } },
  };
}
