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
import { isRequired, type Slot } from '../input-slot.ts';
import { bounded, boundsOf, rejectsNull, type Validated } from '../validation-bounds.ts';
import { type JsonSchema, schemaRef } from './openapi-types.ts';

/** JSON Schema of each scalar. */
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

/** Adds null to a schema. */
const nullable = (schema: JsonSchema): JsonSchema => {
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [schema.type, 'null'], ...(schema.enum && { enum: [...schema.enum, null] }) };
};

/**
 * Returns the JSON Schema of a type; objects and enums by reference.
 * @param onReference is called with each type that the schema refers to
 */
export function schemaOf(type: GraphQLType, onReference: (type: GraphQLNamedType) => void): JsonSchema {
  if (!isNonNullType(type)) return nullable(nonNullSchemaOf(type, onReference));
  return nonNullSchemaOf(type.ofType, onReference);
}

/** Returns the JSON Schema of a type without null. */
export function nonNullSchemaOf(
  type: GraphQLType,
  onReference: (type: GraphQLNamedType) => void,
): JsonSchema {
  if (isNonNullType(type)) return nonNullSchemaOf(type.ofType, onReference);
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, onReference) };
  const scalar = SCALARS[type.name];
  if (scalar) return { ...scalar };
  if (isScalarType(type)) throw new Error(`The scalar ${type.name} has no JSON Schema: add it to SCALARS.`);
  onReference(type);
  return schemaRef(type.name);
}

/** Returns the component schema of a type. */
export function componentOf(
  type: GraphQLNamedType,
  onReference: (type: GraphQLNamedType) => void,
): JsonSchema {
  if (isObjectType(type)) return outputComponent(type, onReference);
  if (isEnumType(type)) return enumComponent(type);
  if (isInputObjectType(type)) return inputComponent(type, onReference);
  throw new Error(`${type.name} cannot be part of a REST response`);
}

/** All fields are required: REST responses include all of them. */
function outputComponent(type: GraphQLObjectType, onReference: (type: GraphQLNamedType) => void): JsonSchema {
  const fields = Object.values(type.getFields());
  const properties = fields.map((field) => [
    field.name,
    { ...schemaOf(field.type, onReference), description: field.description ?? undefined },
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
  onReference: (type: GraphQLNamedType) => void,
): JsonSchema => ({
  ...objectOf(Object.values(type.getFields()), boundsOf(type), onReference),
  description: type.description ?? undefined,
});

/** Returns the schema of an object of input fields or arguments; other properties are not allowed. */
export function objectOf(
  slots: readonly (Slot & Validated & { description?: string | null })[],
  bounds: JsonSchema,
  onReference: (type: GraphQLNamedType) => void,
): JsonSchema {
  const properties = slots.map((slot) => [
    slot.name,
    slotSchema(slot, bounds.properties?.[slot.name], onReference),
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
 * Returns the schema of an input field or argument, narrowed by its validation.
 * @param parentBounds bounds of the property in the validation of the whole object, if there are any
 */
function slotSchema(
  slot: Slot & Validated & { description?: string | null },
  parentBounds: JsonSchema | undefined,
  onReference: (type: GraphQLNamedType) => void,
): JsonSchema {
  const bounds = parentBounds ?? boundsOf(slot);
  const schema = bounded(nonNullSchemaOf(slot.type, onReference), bounds);
  const acceptsNull = !isNonNullType(slot.type) && !rejectsNull(bounds);
  return {
    ...(acceptsNull ? nullable(schema) : schema),
    ...(slot.description && { description: slot.description }),
    ...(slot.defaultValue !== undefined && { default: slot.defaultValue }),
  };
}
