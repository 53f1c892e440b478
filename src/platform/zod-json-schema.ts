import { z } from 'zod';

type Override = NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override'];

/** Replaces `anyOf: [x, null]` by `x` with null in its `type`: client generators do not understand the union. */
const mergeNull: Override = ({ jsonSchema }) => {
  const [value, none, ...more] = jsonSchema.anyOf ?? [];
  if (!value || none?.type !== 'null' || more.length > 0) return;
  const { anyOf: _union, ...annotations } = jsonSchema;
  delete jsonSchema.anyOf;
  Object.assign(jsonSchema, value, annotations);
  // A schema without a type accepts null already.
  if (typeof value.type === 'string') jsonSchema.type = [value.type, 'null'] as never;
  if (value.enum) jsonSchema.enum = [...value.enum, null];
};

/** States that an object may have any keys in the way that client generators understand. */
const openObject: Override = ({ jsonSchema }) => {
  const { additionalProperties: values } = jsonSchema;
  if (typeof values !== 'object' || Object.keys(values).length > 0) return;
  jsonSchema.additionalProperties = true;
  delete jsonSchema.propertyNames;
};

const override: Override = (context) => {
  mergeNull(context);
  openObject(context);
};

/** Converts a zod schema to JSON Schema (2020-12); rules that it cannot express are omitted. */
export const zodJsonSchema = (schema: z.ZodType): Record<string, unknown> =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override });
