import { coerceInputValue, type GraphQLField } from 'graphql';
import { z } from 'zod';
import type { Services } from '../features/services.ts';
import { isObject } from '../platform/is-object.ts';
import type { ErrorDetail } from './app-error.ts';
import { InputIssues, isWithin } from './input-issues.ts';
import { addZodIssues } from './to-app-error.ts';

type Field = GraphQLField<unknown, unknown>;
type Arguments = Record<string, unknown>;

/**
 * Finds issues of valid types that depend on the service's configuration. A field declares it as the extension
 * `serviceIssues`, so that a response reports these issues together with all others.
 */
export type ServiceIssues = (args: Arguments, services: Services) => ErrorDetail[];

/** Returns true if one of the paths is the path, contains it or is within it. */
const overlaps = (path: string, paths: readonly string[]): boolean =>
  paths.some((other) => isWithin(path, other) || isWithin(other, path));

/** Returns every issue of a field's coerced arguments; those of different checks at one path are not repeated. */
export function validationIssues(field: Field, args: Arguments, services: Services | null): InputIssues {
  const issues = new InputIssues();
  const validate = (validator: unknown, value: unknown, path: readonly string[]) => {
    const result = validator instanceof z.ZodType ? validator.safeParse(value) : null;
    if (result?.error) addZodIssues(result.error, issues, path);
  };
  validate(ownValidator(field), args, []);
  for (const { name, extensions } of field.args) validate(extensions.validator, args[name], [name]);
  const { serviceIssues } = field.extensions as { serviceIssues?: ServiceIssues };
  for (const { path, message } of (services && serviceIssues?.(args, services)) ?? []) {
    const paths = issues.details.map((detail) => detail.path);
    if (!overlaps(path, paths)) issues.add(path, message);
  }
  return issues;
}

/** Returns the validation of all arguments together. */
function ownValidator({ extensions: { pothosOptions } }: Field): unknown {
  const validate = isObject(pothosOptions) ? pothosOptions.validate : undefined;
  return isObject(validate) ? validate.schema : undefined;
}

/**
 * Returns the issues of a field's arguments besides those that were found in the types of their values.
 * @param args JSON as sent
 * @param found paths of the issues so far, which begin with the name of an argument
 */
export function furtherIssues(
  field: Field,
  { args, found, services }: { args: Arguments; found: readonly string[]; services: Services | null },
): ErrorDetail[] {
  const rest = found.reduce<Arguments>((whole, path) => without(whole, path.split('.')) as Arguments, args);
  const coerced = field.args.flatMap(({ name, type }) =>
    rest[name] === undefined ? [] : [[name, coerceInputValue(rest[name], type, () => {})] as const],
  );
  const { details } = validationIssues(field, Object.fromEntries(coerced), services);
  return details.filter(({ path }) => !overlaps(path, found));
}

/** Returns a copy of a value without the part at a path, which later checks cannot read. */
function without(whole: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined || typeof whole !== 'object' || whole === null || !Object.hasOwn(whole, step))
    return whole;
  const copy = (Array.isArray(whole) ? [...whole] : { ...whole }) as Arguments;
  copy[step] = rest.length === 0 ? undefined : without(copy[step], rest);
  return copy;
}
