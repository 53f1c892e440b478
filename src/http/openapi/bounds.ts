import { z } from 'zod';
import type { JsonSchema } from './types.ts';

/** What Pothos keeps of an argument's, a field's or a type's options (`validate: { schema }`). */
export interface Validated {
  extensions: Readonly<Record<string, unknown>>;
}

/** Keywords that narrow a type; the type itself is GraphQL's to say. */
const KEYWORDS = [
  'minLength',
  'maxLength',
  'pattern',
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

/** What zod demands of something, as JSON Schema; an empty one where it demands nothing. */
export function boundsOf({ extensions }: Validated): JsonSchema {
  const { pothosOptions } = extensions;
  const validate = isRecord(pothosOptions) ? pothosOptions.validate : undefined;
  const schema = isRecord(validate) ? validate.schema : undefined;
  if (!(schema instanceof z.ZodType)) return {};
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Whether zod lets null through; where it demands nothing, GraphQL's own nullability holds. */
export function refusesNull(bounds: JsonSchema): boolean {
  if (Object.keys(bounds).length === 0) return false;
  const types = [bounds, ...(bounds.anyOf ?? [])].flatMap(({ type }) => type ?? []);
  return !types.includes('null');
}

/** A schema with the narrowing keywords of another one, whose null branch is left aside. */
export function bounded(schema: JsonSchema, bounds: JsonSchema): JsonSchema {
  const branch = bounds.anyOf?.find(({ type }) => type !== 'null') ?? bounds;
  const narrowing = KEYWORDS.filter((keyword) => branch[keyword] !== undefined);
  return {
    ...schema,
    ...Object.fromEntries(narrowing.map((keyword) => [keyword, branch[keyword]])),
    ...(schema.items && branch.items && { items: bounded(schema.items, branch.items) }),
  };
}
