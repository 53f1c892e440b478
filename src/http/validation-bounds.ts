import { type GraphQLArgument, type GraphQLInputField, getNullableType, isListType } from 'graphql';
import { z } from 'zod';
import { isObject } from '../platform/is-object.ts';
import { zodJsonSchema } from '../platform/zod-json-schema.ts';
import type { JsonSchema } from './openapi/openapi-types.ts';

/** An argument or an input field. */
export type Slot = GraphQLArgument | GraphQLInputField;

/** An argument, field or type whose Pothos options (`validate: { schema }`) are kept in its extensions. */
export interface Validated {
  extensions: Readonly<Record<string, unknown>>;
}

/** Maximum number of items of a list whose validation specifies none. */
export const MAX_ITEMS = 1_000;

/** Keywords that narrow a type; the type itself is defined by GraphQL. */
const KEYWORDS = [
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
  'uniqueItems',
  'maxProperties',
  'enum',
] as const;

/** Converts the zod validation to JSON Schema; an empty schema if there is none. */
export function boundsOf({ extensions }: Validated): JsonSchema {
  const { pothosOptions } = extensions;
  const validate = isObject(pothosOptions) ? pothosOptions.validate : undefined;
  const schema = isObject(validate) ? validate.schema : undefined;
  if (!(schema instanceof z.ZodType)) return {};
  return zodJsonSchema(schema);
}

/** Returns true if zod rejects null; without a validation, the GraphQL type decides. */
export function rejectsNull(bounds: JsonSchema): boolean {
  return bounds.type !== undefined && !bounds.type.includes('null');
}

/** Keywords that make the fields of an object depend on each other. */
export const CONDITIONS = ['if', 'then'] as const;

/** Returns which of the given keywords a schema has. */
export const keywordsOf = (schema: JsonSchema, keywords: readonly string[]): JsonSchema =>
  Object.fromEntries(
    keywords.filter((keyword) => keyword in schema).map((keyword) => [keyword, schema[keyword]]),
  );

/** Adds the narrowing keywords of `bounds` to a schema; the GraphQL type decides whether null is valid. */
export function bounded(schema: JsonSchema, bounds: JsonSchema): JsonSchema {
  return {
    ...schema,
    ...keywordsOf(bounds, KEYWORDS),
    ...(bounds.enum && { enum: bounds.enum.filter((value) => value !== null) }),
    ...(schema.items && bounds.items && { items: bounded(schema.items, bounds.items) }),
  };
}

const maxItemsBySlot = new WeakMap<Validated, number>();

/**
 * Returns the maximum number of items of a list argument or field. It applies before the items are coerced, so that
 * the cost of an input is bounded.
 * @param parent input type of the field, whose validation may include the field's
 */
export function maxItemsOf(slot: Slot, parent?: Validated): number {
  if (!isListType(getNullableType(slot.type))) return MAX_ITEMS;
  let max = maxItemsBySlot.get(slot);
  if (max === undefined) {
    const bounds = (parent && boundsOf(parent).properties?.[slot.name]) ?? boundsOf(slot);
    const { maxItems } = bounded({}, bounds);
    max = typeof maxItems === 'number' ? maxItems : MAX_ITEMS;
    maxItemsBySlot.set(slot, max);
  }
  return max;
}

export const tooManyItems = (max: number): string => `Must have at most ${max.toLocaleString('en')} items.`;
