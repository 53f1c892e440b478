import { isDeepStrictEqual } from 'node:util';
import jsonSchemaDiff from 'json-schema-diff';
import { isObject } from '../../src/platform/is-object.ts';

export type JsonSchema = Record<string, unknown>;

/**
 * Direction of a value. A client breaks if the service no longer accepts a value that it sends (`input`), or returns a
 * value that it did not return before (`output`).
 */
export type Direction = 'input' | 'output';

interface Comparison {
  released: JsonSchema;
  current: JsonSchema;
  direction: Direction;
}

/** Returns the paths at which a schema without references changed in a breaking way; the path of the whole is empty. */
export async function schemaChanges({ released, current, direction }: Comparison): Promise<string[]> {
  const comparison =
    direction === 'input'
      ? { released, current, direction }
      : { released: opened(released), current: opened(current), direction };
  const enums = direction === 'input' ? removedEnumValues(comparison) : [];
  return [...new Set([...(await typeChanges(comparison)), ...enums])];
}

/** Permits further properties in every object of a schema: a client ignores them (docs/versioning.md). */
function opened<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(opened) as T;
  if (!isObject(schema)) return schema;
  const { additionalProperties, ...rest } = schema;
  const members = Object.entries(rest).map(([name, value]) => [name, opened(value)]);
  return {
    ...Object.fromEntries(members),
    ...(additionalProperties !== undefined && additionalProperties !== false && { additionalProperties }),
  } as T;
}

/**
 * Returns the paths of the values of a request that have another default than before. A new default is none: the
 * property can have had the same one without a declaration.
 */
export function defaultChanges(released: JsonSchema, current: JsonSchema, path = ''): string[] {
  const isOther = 'default' in released && !isDeepStrictEqual(released.default, current.default);
  const nested = commonParts(released, current).flatMap(([name, [before, after]]) =>
    defaultChanges(before, after, join(path, name)),
  );
  return isOther ? [path, ...nested] : nested;
}

/** Compares the sets of values that the schemas accept; `enum` is not part of the comparison. */
async function typeChanges({ released, current, direction }: Comparison, path = ''): Promise<string[]> {
  // The comparison takes tens of milliseconds, and most schemas are the same as before.
  if (isDeepStrictEqual(released, current)) return [];
  const { additionsFound, removalsFound } = await jsonSchemaDiff.diffSchemas({
    sourceSchema: released,
    destinationSchema: current,
  });
  if (!(direction === 'input' ? removalsFound : additionsFound)) return [];
  const nested: string[] = [];
  for (const [name, [before, after]] of commonParts(released, current))
    nested.push(...(await typeChanges({ released: before, current: after, direction }, join(path, name))));
  return nested.length > 0 ? nested : [path];
}

/** A client may send each value of an enumeration. New values in a response are no breaking change. */
function removedEnumValues({ released, current, direction }: Comparison, path = ''): string[] {
  const after = enumOf(current);
  const isNarrower = after !== null && !enumOf(released)?.every((value) => after.includes(value));
  const nested = commonParts(released, current).flatMap(([name, [before, next]]) =>
    removedEnumValues({ released: before, current: next, direction }, join(path, name)),
  );
  return isNarrower ? [path, ...nested] : nested;
}

/** Returns the values of an enumeration as JSON, except null, which is part of the type; null if any value is valid. */
function enumOf({ enum: values, const: single, anyOf }: JsonSchema): string[] | null {
  if (Array.isArray(anyOf)) {
    const alternatives = anyOf.filter(isObject).filter(({ type }) => type !== 'null');
    const [first] = alternatives;
    return first && alternatives.length === 1 ? enumOf(first) : null;
  }
  const all = Array.isArray(values) ? values : single === undefined ? null : [single];
  if (all === null) return null;
  return all.filter((value) => value !== null).map((value) => JSON.stringify(value));
}

/** Returns the members that both schemas have: properties by name, and items as `[]`. */
function commonParts(released: JsonSchema, current: JsonSchema): [string, [JsonSchema, JsonSchema]][] {
  const before = partsOf(released);
  const after = partsOf(current);
  return Object.entries(before).flatMap(([name, schema]) => {
    const next = after[name];
    return next ? [[name, [schema, next]] as [string, [JsonSchema, JsonSchema]]] : [];
  });
}

function partsOf({ properties, items }: JsonSchema): Record<string, JsonSchema> {
  const parts = Object.entries(isObject(properties) ? properties : {}).filter(
    (entry): entry is [string, JsonSchema] => isObject(entry[1]),
  );
  return { ...Object.fromEntries(parts), ...(isObject(items) && { '[]': items }) };
}

const join = (path: string, name: string) => (path === '' || name === '[]' ? path + name : `${path}.${name}`);
