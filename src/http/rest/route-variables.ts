import { type GraphQLArgument, getNullableType, isInputObjectType } from 'graphql';
import { furtherIssues } from '../../errors/further-issues.ts';
import { InputIssues } from '../../errors/input-issues.ts';
import type { Services } from '../../features/services.ts';
import { isObject } from '../../platform/is-object.ts';
import { checkIdempotencyKey } from '../idempotency-key.ts';
import { checkOf, objectCheck } from '../input-check.ts';
import { isRequired } from '../input-slot.ts';
import { missingBody } from '../request-body.ts';
import { pathArguments, pathValue } from './path-parameters.ts';
import { queryReader } from './query-parameters.ts';
import type { Route } from './rest-routes.ts';

/** JSON values of a field's arguments, before GraphQL coercion. */
export type Variables = Record<string, unknown>;

interface RestInput {
  /** Path parameters, percent-encoded. */
  parameters: Record<string, string>;
  /** Query string without the `?`. */
  query: string;
  /** Parsed body; undefined if empty. */
  body: unknown;
  /** Null if the request has none or the route does not use it. */
  idempotencyKey: string | null;
}

/**
 * Builds a field's variables from path, query or body, each argument from one source only.
 * An explicit null is preserved.
 * @throws AppError BAD_REQUEST if a required body is missing; VALIDATION_FAILED with all issues;
 *   NOT_FOUND if an id in the path is not a possible id
 */
export type VariableReader = (input: RestInput) => Variables;

export const takesBody = ({ method }: Route): boolean => method === 'POST' || method === 'PATCH';

/** Returns true if a route uses `Idempotency-Key`, as each POST does (contract 4). */
export const usesIdempotencyKey = ({ method }: Route): boolean => method === 'POST';

/** Arguments of a route that are not path parameters: its query parameters or body fields. */
export function freeArguments(route: Route): GraphQLArgument[] {
  const inPath = pathArguments(route).map(({ name }) => name);
  return route.field.args.filter(({ name }) => !inPath.includes(name));
}

/** Returns true if a route's body has fields, required or not. */
export const expectsBody = (route: Route): boolean => takesBody(route) && freeArguments(route).length > 0;

/** Returns true if a route's body is required: a change without one is a mistake, and so is a missing required field. */
export function needsBody(route: Route): boolean {
  if (route.method === 'PATCH') return true;
  const { bodyArgument, free } = bodyArguments(route);
  if (!bodyArgument) return takesBody(route) && free.some(isRequired);
  const type = getNullableType(bodyArgument.type);
  return isInputObjectType(type) && Object.values(type.getFields()).some(isRequired);
}

function bodyArguments(route: Route) {
  const free = freeArguments(route);
  const bodyArgument = free.find(({ name }) => name === route.body);
  if (route.body && (!bodyArgument || free.length > 1)) {
    throw new Error(`${route.fieldId} must have ${route.body} as its only argument besides path parameters`);
  }
  return { free, bodyArgument };
}

/** Compiles the reader of a route. @throws Error at start if the route does not match the field's arguments */
export function variableReader(route: Route, services: Services | null = null): VariableReader {
  const inPath = pathArguments(route);
  const { free, bodyArgument } = bodyArguments(route);
  const hasBody = takesBody(route);
  const bodyRequired = needsBody(route);
  const checkBody = bodyArgument ? checkOf(bodyArgument) : objectCheck(free);
  const readQuery = queryReader(hasBody ? [] : free);

  function readBody(body: unknown, issues: InputIssues): Variables {
    if (body === undefined && bodyRequired) throw missingBody();
    const value = body === undefined ? {} : body;
    if (value === null) issues.add('body', 'Must be a JSON object.');
    else checkBody(value, '', issues);
    // A value that is not an object has an issue by now and is discarded.
    return bodyArgument ? { [bodyArgument.name]: value } : { ...(value as Variables) };
  }

  /** Adds the issues of fields whose types are right, so that one response reports them all. */
  function addFurtherIssues(args: Variables, issues: InputIssues): void {
    const base = bodyArgument ? `${bodyArgument.name}.` : '';
    const found = issues.details.map(({ path }) => base + path);
    for (const { path, message } of furtherIssues(route.field, { args, found, services }))
      issues.add(path.startsWith(base) ? path.slice(base.length) : path, message);
  }

  return ({ parameters, query, body, idempotencyKey }) => {
    const issues = new InputIssues();
    const variables = hasBody ? readBody(body, issues) : readQuery(query, issues);
    if (hasBody && query !== '') readQuery(query, issues);
    if (idempotencyKey !== null) checkIdempotencyKey(idempotencyKey, issues);
    const hasFields = body === undefined || isObject(body);
    if (issues.details.length > 0 && hasFields && !issues.full) addFurtherIssues(variables, issues);
    issues.throwIfAny();
    for (const argument of inPath)
      variables[argument.name] = pathValue(argument, parameters[argument.parameter] ?? '');
    return variables;
  };
}
