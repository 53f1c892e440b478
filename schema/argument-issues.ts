import type { GraphQLField } from 'graphql';
import { z } from 'zod';
import type { ErrorDetail } from '../src/errors/app-error.ts';
import { InputIssues } from '../src/errors/input-issues.ts';
import { addZodIssues } from '../src/errors/to-app-error.ts';
import type { Services } from '../src/features/services.ts';
import { isObject } from '../src/platform/is-object.ts';

type Field = GraphQLField<unknown, unknown>;
type Arguments = Record<string, unknown>;

/**
 * Finds issues of valid types that depend on the service's configuration. A field declares it as the extension
 * `serviceIssues`, so that a response reports these issues together with all others.
 */
export type ServiceIssues = (args: Arguments, services: Services) => ErrorDetail[];

/** Adds the issues that only the service finds, except where zod has found one. */
export function addServiceIssues(
  field: Field,
  args: Arguments,
  services: Services,
  issues: InputIssues,
): void {
  const { serviceIssues } = field.extensions as { serviceIssues?: ServiceIssues };
  for (const { path, message } of serviceIssues?.(args, services) ?? [])
    if (!issues.overlaps(path)) issues.add(path, message);
}

/**
 * Returns the issues of a field's arguments, which begin with the name of an argument. Used where the types of some
 * values are wrong, so that the resolver, and zod in it, is not reached.
 * @param args coerced, without the invalid parts
 */
export function argumentIssues(field: Field, args: Arguments, services: Services): readonly ErrorDetail[] {
  const issues = new InputIssues();
  const validate = (validator: unknown, value: unknown, path: readonly string[]) => {
    const result = validator instanceof z.ZodType ? validator.safeParse(value) : null;
    if (result?.error) addZodIssues(result.error, issues, path);
  };
  validate(ownValidator(field), args, []);
  for (const { name, extensions } of field.args)
    if (args[name] !== undefined) validate(extensions.validator, args[name], [name]);
  addServiceIssues(field, args, services, issues);
  return issues.details;
}

/** Returns the validation of all arguments together. */
function ownValidator({ extensions: { pothosOptions } }: Field): unknown {
  const validate = isObject(pothosOptions) ? pothosOptions.validate : undefined;
  return isObject(validate) ? validate.schema : undefined;
}
