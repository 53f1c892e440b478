import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { isRequired, type Slot } from '../rest/input-check.ts';
import { bounded, boundsOf, refusesNull, type Validated } from './bounds.ts';
import { type JsonSchema, schemaRef } from './types.ts';

/** What a scalar is in JSON. */
const SCALARS: Record<string, JsonSchema> = {
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number', format: 'double' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  ID: { type: 'string' },
  DateTime: { type: 'string', format: 'date-time' },
  Instant: { type: 'string', anyOf: [{ format: 'date-time' }, { pattern: '^\\d{1,11}$' }] },
  JSON: { type: 'object' },
};

/** The same schema, and null. */
const nullable = (schema: JsonSchema): JsonSchema => {
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [schema.type, 'null'], ...(schema.enum && { enum: [...schema.enum, null] }) };
};

/**
 * The schema of a type; objects and enums by reference.
 * @param found is told of every type referred to
 */
export function schemaOf(type: GraphQLType, found: (type: GraphQLNamedType) => void): JsonSchema {
  if (!isNonNullType(type)) return nullable(nonNullSchemaOf(type, found));
  return nonNullSchemaOf(type.ofType, found);
}

/** The schema of a type's values other than null. */
export function nonNullSchemaOf(type: GraphQLType, found: (type: GraphQLNamedType) => void): JsonSchema {
  if (isNonNullType(type)) return nonNullSchemaOf(type.ofType, found);
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, found) };
  const scalar = SCALARS[type.name];
  if (scalar) return { ...scalar };
  if (isScalarType(type))
    throw new Error(`What the scalar ${type.name} is in JSON has to be said in openapi/schemas.ts`);
  found(type);
  return schemaRef(type.name);
}

/** The component of a type that schemas refer to. */
export function componentOf(type: GraphQLNamedType, found: (type: GraphQLNamedType) => void): JsonSchema {
  if (isObjectType(type)) return outputComponent(type, found);
  if (isEnumType(type)) return enumComponent(type);
  if (isInputObjectType(type)) return inputComponent(type, found);
  throw new Error(`${type.name} cannot be part of a REST answer`);
}

/** Every field is there in every answer: REST selects them all. */
function outputComponent(type: GraphQLObjectType, found: (type: GraphQLNamedType) => void): JsonSchema {
  const fields = Object.values(type.getFields());
  const properties = fields.map((field) => [
    field.name,
    { ...schemaOf(field.type, found), description: field.description ?? undefined },
  ]);
  return {
    type: 'object',
    description: type.description ?? undefined,
    required: fields.map(({ name }) => name),
    properties: Object.fromEntries(properties),
  };
}

function enumComponent(type: GraphQLEnumType): JsonSchema {
  const values = type.getValues();
  const lines = values.map(({ name, description }) => `- \`${name}\`: ${description ?? ''}`);
  return {
    type: 'string',
    description: [type.description ?? '', ...lines].join('\n'),
    enum: values.map(({ name }) => name),
  };
}

const inputComponent = (
  type: GraphQLInputObjectType,
  found: (type: GraphQLNamedType) => void,
): JsonSchema => ({
  ...objectOf(Object.values(type.getFields()), boundsOf(type), found),
  description: type.description ?? undefined,
});

/** An object of input fields or arguments, which takes nothing else. */
export function objectOf(
  slots: readonly (Slot & Validated & { description?: string | null })[],
  bounds: JsonSchema,
  found: (type: GraphQLNamedType) => void,
): JsonSchema {
  const properties = slots.map((slot) => [
    slot.name,
    slotSchema(slot, bounds.properties?.[slot.name], found),
  ]);
  const required = slots.filter(isRequired).map(({ name }) => name);
  return {
    type: 'object',
    ...(required.length && { required }),
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

/**
 * The schema of one input field or argument: of its type, within its bounds.
 * @param fromParent its bounds where they are part of the whole object's
 */
function slotSchema(
  slot: Slot & Validated & { description?: string | null },
  fromParent: JsonSchema | undefined,
  found: (type: GraphQLNamedType) => void,
): JsonSchema {
  const bounds = fromParent ?? boundsOf(slot);
  const schema = bounded(nonNullSchemaOf(slot.type, found), bounds);
  const takesNull = !isNonNullType(slot.type) && !refusesNull(bounds);
  return {
    ...(takesNull ? nullable(schema) : schema),
    ...(slot.description && { description: slot.description }),
    ...(slot.defaultValue !== undefined && { default: slot.defaultValue }),
  };
}
