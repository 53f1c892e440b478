import { type GraphQLArgument, getNullableType, isInputObjectType, isRequiredArgument } from 'graphql';
import { argumentIssues } from '../../../schema/argument-issues.ts';
import { InputIssues } from '../../errors/input-issues.ts';
import type { Services } from '../../features/services.ts';
import { missingBody } from '../../platform/http/parse-json-body.ts';
import { isObject } from '../../platform/is-object.ts';
import { checkIdempotencyKey } from '../idempotency-key.ts';
import { checkOf, objectCheck } from '../input-check.ts';
import { pathArguments, pathValue } from './path-parameters.ts';
import { type QueryValues, queryReader } from './query-parameters.ts';
import type { Route } from './rest-routes.ts';

/** JSON values of a field's arguments, before GraphQL coercion. */
export type Variables = Record<string, unknown>;

interface RestInput {
  /** Path parameters, decoded. */
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

/** Returns true if a route's arguments are fields of its body; those of any other route are query parameters. */
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
  if (!bodyArgument) return takesBody(route) && free.some(isRequiredArgument);
  const type = getNullableType(bodyArgument.type);
  return isInputObjectType(type) && Object.values(type.getFields()).some(isRequiredArgument);
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
export function variableReader(route: Route, services: Services): VariableReader {
  const inPath = pathArguments(route);
  const { free, bodyArgument } = bodyArguments(route);
  const hasBody = takesBody(route);
  const bodyRequired = needsBody(route);
  const checkBody = bodyArgument ? checkOf(bodyArgument) : objectCheck(hasBody ? free : []);
  const readQuery = queryReader(hasBody ? [] : free);

  function readBody(body: unknown, issues: InputIssues): QueryValues {
    if (body === undefined && bodyRequired) throw missingBody();
    const value = body === undefined ? {} : body;
    const checked = value === null ? undefined : checkBody(value, '', issues);
    if (value === null) issues.add('body', 'Must be a JSON object.');
    // A value that is not an object has an issue by now and is discarded.
    if (bodyArgument)
      return { sent: { [bodyArgument.name]: value }, coerced: { [bodyArgument.name]: checked } };
    return { sent: { ...(value as Variables) }, coerced: (checked ?? {}) as Variables };
  }

  /** Adds the issues of values whose types are right, so that one response reports them all. */
  function addFurtherIssues(args: Variables, issues: InputIssues): void {
    const further = argumentIssues(route.field, args, services)
      .map(({ path, message }) => ({ path: bodyPath(path, route), message }))
      .filter(({ path }) => !issues.overlaps(path));
    for (const { path, message } of further) issues.add(path, message);
  }

  return ({ parameters, query, body, idempotencyKey }) => {
    const issues = new InputIssues();
    const { sent: variables, coerced } = hasBody ? readBody(body, issues) : readQuery(query, issues);
    // The other part has no arguments.
    if (hasBody && query !== '') readQuery(query, issues);
    if (!hasBody && body !== undefined) readBody(body, issues);
    if (idempotencyKey !== null) checkIdempotencyKey(idempotencyKey, issues);
    const hasFields = body === undefined || isObject(body);
    if (issues.details.length > 0 && hasFields) addFurtherIssues(coerced, issues);
    issues.throwIfAny();
    for (const argument of inPath)
      variables[argument.name] = pathValue(argument, parameters[argument.parameter] ?? '');
    return variables;
  };
}

/** Removes the argument that receives the whole body from the path of an issue, since clients do not see it. */
export const bodyPath = (path: string, { body }: Route): string =>
  body && path.startsWith(`${body}.`) ? path.slice(body.length + 1) : path;
