import { getNamedType } from 'graphql';
import { parsePositiveInt32 } from '../positive-int32.ts';
import { noSuchId } from '../response/routing-errors.ts';
import type { Route } from './rest-routes.ts';

/** Path parameter that names the tenant; never an argument (contract 3). */
export const TENANT_PARAMETER = 'customerId';

/** Path parameter that names the customer which an admin key changes, without acting for it. */
export const TARGET_PARAMETER = 'customer';

/** A path parameter and the argument that receives it. */
export interface PathArgument {
  parameter: string;
  name: string;
  /** True if the id is an integer; false if it is an opaque string. */
  isInt: boolean;
}

/** @throws Error at start if a parameter has no argument, or one of an unsupported type */
export function pathArguments(route: Route): PathArgument[] {
  return route.parameters
    .filter((parameter) => parameter !== TENANT_PARAMETER)
    .map((parameter) => {
      const name = route.params?.[parameter] ?? parameter;
      const argument = route.field.args.find((candidate) => candidate.name === name);
      const type = argument && getNamedType(argument.type).name;
      if (type !== 'Int' && type !== 'ID' && type !== 'String') {
        throw new Error(`${route.fieldId} has no argument ${name} for :${parameter}`);
      }
      return { parameter, name, isInt: type === 'Int' };
    });
}

/**
 * Parses the argument's value from a path segment.
 * @throws AppError NOT_FOUND, not VALIDATION_FAILED, for text that is not a possible id: the path does not exist
 */
export function pathValue({ isInt }: PathArgument, text: string): unknown {
  if (isInt) {
    const id = parsePositiveInt32(text);
    if (id === null) throw noSuchId();
    return id;
  }
  if (text.includes('\0')) throw noSuchId();
  return text;
}
