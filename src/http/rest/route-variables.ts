import { type GraphQLArgument, getNullableType, isInputObjectType } from 'graphql';
import { Issues } from '../../errors/input-issues.ts';
import { AppError } from '../../errors.ts';
import { checkOf, isRequired, objectCheck } from './input-check.ts';
import { pathArguments, pathValue } from './path-parameters.ts';
import { queryReader } from './query-parameters.ts';
import type { Route } from './rest-routes.ts';

/** Values of a field's arguments, as JSON: graphql's own coercion comes after. */
export type Variables = Record<string, unknown>;

interface RestInput {
  /** Path parameters, still percent-encoded. */
  parameters: Record<string, string>;
  /** What follows the `?`. */
  query: string;
  /** The parsed body; undefined where there was none. */
  body: unknown;
  /** `Idempotency-Key`, where the route heeds one and the request has one. */
  idempotencyKey: string | undefined;
}

/**
 * Builds a field's variables strictly from path, query or body, each from its own place alone.
 * An explicit null stays one.
 * @throws AppError BAD_REQUEST where a body is missing; VALIDATION_FAILED with all that is wrong;
 *   NOT_FOUND where an id in the path cannot be one
 */
export type VariableReader = (input: RestInput) => Variables;

/** RFC draft-ietf-httpapi-idempotency-key-header leaves the bounds to the server. */
export const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

/** Whether requests of a route carry a body. */
export const takesBody = ({ method }: Route): boolean => method === 'POST' || method === 'PATCH';

/** Whether a route heeds `Idempotency-Key`: that is the preview API's (contract 7). */
export const heedsIdempotencyKey = ({ mount, method }: Route): boolean =>
  mount === 'preview' && method === 'POST';

/** Arguments of a route that are not in its path. */
export function freeArguments(route: Route): GraphQLArgument[] {
  const inPath = pathArguments(route).map(({ name }) => name);
  return route.field.args.filter(({ name }) => !inPath.includes(name));
}

/** Whether there is anything to say in a route's body. */
export const expectsBody = (route: Route): boolean => takesBody(route) && freeArguments(route).length > 0;

/** Whether a route's body has to be there: something in it is required. */
export function needsBody(route: Route): boolean {
  const { bodyArgument, free } = bodyShape(route);
  if (!bodyArgument) return takesBody(route) && free.some(isRequired);
  const type = getNullableType(bodyArgument.type);
  return isInputObjectType(type) && Object.values(type.getFields()).some(isRequired);
}

/** The argument that takes the whole body, if there is one. */
function bodyShape(route: Route) {
  const free = freeArguments(route);
  const bodyArgument = free.find(({ name }) => name === route.body);
  if (route.body && (!bodyArgument || free.length > 1)) {
    throw new Error(`${route.fieldId} must have ${route.body}, and nothing else outside its path`);
  }
  return { free, bodyArgument };
}

/** Compiles a route's reader. @throws Error at start when route and arguments do not fit */
export function variableReader(route: Route): VariableReader {
  const inPath = pathArguments(route);
  const { free, bodyArgument } = bodyShape(route);
  const hasBody = takesBody(route);
  const bodyRequired = needsBody(route);
  const checkBody = bodyArgument ? checkOf(bodyArgument.type) : objectCheck(free);
  const readQuery = queryReader(hasBody ? [] : free);

  function fromBody(body: unknown, issues: Issues): Variables {
    if (body === undefined && bodyRequired) throw new AppError('BAD_REQUEST', 'A JSON body is expected.');
    const value = body === undefined ? {} : body;
    if (value === null) issues.add('', 'Must be a JSON object.');
    else checkBody(value, '', issues);
    // Whatever is no object is in the issues by now, and goes no further.
    return bodyArgument ? { [bodyArgument.name]: value } : { ...(value as Variables) };
  }

  return ({ parameters, query, body, idempotencyKey }) => {
    const issues = new Issues();
    const variables = hasBody ? fromBody(body, issues) : readQuery(query, issues);
    if (hasBody && query !== '') readQuery(query, issues);
    if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(idempotencyKey)) {
      issues.add('Idempotency-Key', 'Must have 1 to 255 printable ASCII characters.');
    }
    issues.throwIfAny();
    for (const argument of inPath)
      variables[argument.name] = pathValue(argument, parameters[argument.parameter] ?? '');
    return variables;
  };
}
