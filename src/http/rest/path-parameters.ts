import { getNamedType } from 'graphql';
import { AppError } from '../../errors.ts';
import { parseIntId } from '../access/tenant-resolution.ts';
import type { Route } from './rest-routes.ts';

/** The parameter that names the tenant; never an argument (contract 3). */
export const TENANT_PARAMETER = 'customerId';

/** A path parameter and the argument that it becomes. */
export interface PathArgument {
  parameter: string;
  /** Name of the argument. */
  name: string;
  /** Whether it is a number; else it is text, as an opaque id is. */
  isInt: boolean;
}

/** @throws Error at start when a parameter has no argument, or one that a path segment cannot be */
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

const noSuch = () => new AppError('NOT_FOUND', 'There is nothing with that id.');

/**
 * The argument's value from a segment as it came.
 * @throws AppError NOT_FOUND where nothing can have such an id: nothing that is wrong there is the client's input,
 *   it is an address that does not exist
 */
export function pathValue({ isInt }: PathArgument, segment: string): unknown {
  if (isInt) {
    const id = parseIntId(segment);
    if (id === null) throw noSuch();
    return id;
  }
  try {
    const text = decodeURIComponent(segment);
    if (!text.includes('\0')) return text;
  } catch {
    // Malformed percent-encoding, or bytes that are not UTF-8.
  }
  throw noSuch();
}
