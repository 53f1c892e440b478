import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';

/** A named, typed part of an input: an argument or an input field. */
export interface Slot {
  name: string;
  type: GraphQLInputType;
  defaultValue?: unknown;
}

/** Invalid values by the name of the expected scalar. */
const MISTAKES: Record<string, unknown[]> = {
  Int: ['1', 1.5, true, [], 2 ** 31, -(2 ** 31) - 1],
  Float: ['1', true, []],
  String: [5, true, [], 'x'.repeat(40_000), ''],
  ID: [true, []],
  Boolean: ['true', 1, []],
  DateTime: ['yesterday', '2026-02-30T00:00:00Z', '2026-01-31Z', 5, [], ''],
  JSON: ['x', 5, []],
};
/** The filter that finds everything, where a value belongs. */
const OPERATOR = { $gt: '' };

/** An empty description is a description, and no settings are settings. */
const MAY_BE_EMPTY = ['description', 'features'];
/** Names and ids that clients choose, in which every character may occur. */
const FREE_TEXT = [
  ...['feature', 'stage', 'model', 'visitor_id', 'import_id', 'person_id', 'company', 'text'],
  ...['visitorId', 'resolvedPersonId'],
];

/** Values that a slot must not take. */
export function mistakesOf({ name, type }: Slot): unknown[] {
  const mistakes: unknown[] = isNonNullType(type) ? [null] : [];
  const inner = getNullableType(type);
  if (isListType(inner))
    return [...mistakes, ...(MAY_BE_EMPTY.includes(name) ? [] : [[]]), [OPERATOR], OPERATOR, 5];
  if (isInputObjectType(inner)) return [...mistakes, 'x', 5, [], OPERATOR];
  if (isEnumType(inner)) return [...mistakes, 'nope', 5, '', [], OPERATOR];
  const scalar = MISTAKES[inner.name];
  if (!scalar) throw new Error(`no mistakes are known for ${inner.name}`);
  mistakes.push(...scalar.filter((value) => value !== '' || !MAY_BE_EMPTY.includes(name)));
  // Free JSON may have any key.
  return inner.name === 'JSON' ? mistakes : [...mistakes, OPERATOR];
}

/** Texts of a query parameter that a slot must not take. */
export function queryMistakesOf({ name, type }: Slot): string[] {
  const inner = getNullableType(type);
  if (isEnumType(inner)) return ['nope', '', '{"$gt":""}'];
  if ('name' in inner && inner.name === 'Int')
    return ['x', '', '1.5', '0x1', '-1', '99999999999', '{"$gt":""}'];
  if ('name' in inner && inner.name === 'Boolean') return ['1', 'yes', ''];
  // A malformed id is treated as an unknown one.
  if ('name' in inner && inner.name === 'ID') return ['\0'];
  return ['x'.repeat(3_000), '\0', ...(FREE_TEXT.includes(name) ? [] : ['{"$gt":""}'])];
}

/** True if the value is required. */
export const isRequired = ({ type, defaultValue }: Slot): boolean =>
  isNonNullType(type) && defaultValue === undefined;

/** A copy of a value with what is at a dotted path replaced; `undefined` takes it out. */
export function withValue<T>(whole: T, path: string, value: unknown): T {
  const [name = '', ...rest] = path.split('.');
  const copy = (Array.isArray(whole) ? [...whole] : { ...whole }) as Record<string, unknown>;
  if (rest.length > 0) copy[name] = withValue(copy[name], rest.join('.'), value);
  else if (value === undefined) delete copy[name];
  else copy[name] = value;
  return copy as T;
}
