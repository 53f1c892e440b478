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
  isRequiredArgument,
  isScalarType,
} from 'graphql';
import { bounded, boundsOf, CONDITIONS, keywordsOf, rejectsNull, type Slot } from '../validation-bounds.ts';
import { type JsonSchema, type SchemaComponents, schemaRef } from './openapi-types.ts';

/** JSON Schema of each scalar. */
const SCALARS: Record<string, JsonSchema> = {
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number', format: 'double' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  ID: { type: 'string' },
  DateTime: { type: 'string', format: 'date-time' },
  // A union of a time and a number has no type in many languages; the description has the rule.
  Instant: { type: 'string' },
  // Explicit, because generators take an object without properties to be empty.
  JSON: { type: 'object', additionalProperties: true },
};

const nullable = (schema: JsonSchema): JsonSchema => {
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [schema.type, 'null'], ...(schema.enum && { enum: [...schema.enum, null] }) };
};

/**
 * Returns the JSON Schema of a type; objects and enums by reference.
 * @param schemas receives each type that the schema refers to
 */
export function schemaOf(type: GraphQLType, schemas: SchemaComponents): JsonSchema {
  if (!isNonNullType(type)) return nullable(nonNullSchemaOf(type, schemas));
  return nonNullSchemaOf(type.ofType, schemas);
}

/** Returns the JSON Schema of a type without null. */
export function nonNullSchemaOf(type: GraphQLType, schemas: SchemaComponents): JsonSchema {
  if (isNonNullType(type)) return nonNullSchemaOf(type.ofType, schemas);
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, schemas) };
  const scalar = SCALARS[type.name];
  if (scalar) return { ...scalar };
  if (isEnumType(type) && type.extensions.inOpenApi === 'inline') return enumComponent(type);
  if (isScalarType(type)) throw new Error(`The scalar ${type.name} has no JSON Schema: add it to SCALARS.`);
  schemas.onReference(type);
  return schemaRef(type.name);
}

/** Returns the JSON Schema of a type without null, narrowed by its validation. */
export const narrowedSchemaOf = (type: GraphQLType, bounds: JsonSchema, schemas: SchemaComponents) =>
  withNamedSchemas(bounded(nonNullSchemaOf(type, schemas), bounds), bounds, schemas);

/** Replaces a validation that has a title, of the values of a text, by a component of that name. */
function withNamedSchemas(schema: JsonSchema, bounds: JsonSchema, schemas: SchemaComponents): JsonSchema {
  const { title, description } = bounds;
  if ((bounds.enum || bounds.pattern) && typeof title === 'string')
    return schemas.define(title, { ...schema, description });
  if (!schema.items || !bounds.items) return schema;
  return { ...schema, items: withNamedSchemas(schema.items, bounds.items, schemas) };
}

export function componentOf(type: GraphQLNamedType, schemas: SchemaComponents): JsonSchema {
  if (isObjectType(type)) return outputComponent(type, schemas);
  if (isEnumType(type)) return enumComponent(type);
  if (isInputObjectType(type)) return inputComponent(type, schemas);
  throw new Error(`${type.name} cannot be part of a REST response`);
}

/** All fields are required: REST responses include all of them. */
function outputComponent(type: GraphQLObjectType, schemas: SchemaComponents): JsonSchema {
  const fields = Object.values(type.getFields());
  const properties = fields.map((field) => [
    field.name,
    {
      ...schemaOf(field.type, schemas),
      ...(field.extensions.jsonSchema as JsonSchema | undefined),
      description: field.description ?? undefined,
    },
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

const inputComponent = (type: GraphQLInputObjectType, schemas: SchemaComponents): JsonSchema => ({
  ...objectOf(Object.values(type.getFields()), boundsOf(type), schemas),
  description: type.description ?? undefined,
});

/** Returns the schema of an object of input fields or arguments; other properties are not allowed. */
export function objectOf(slots: readonly Slot[], bounds: JsonSchema, schemas: SchemaComponents): JsonSchema {
  const properties = slots.map((slot) => [
    slot.name,
    slotSchema(slot, bounds.properties?.[slot.name], schemas),
  ]);
  const required = slots.filter(isRequiredArgument).map(({ name }) => name);
  return {
    type: 'object',
    ...(required.length && { required }),
    properties: Object.fromEntries(properties),
    additionalProperties: false,
    ...keywordsOf(bounds, CONDITIONS),
  };
}

/**
 * Returns the schema of an input field or argument, narrowed by its validation.
 * @param parentBounds bounds of the property in the validation of the whole object, if there are any
 */
function slotSchema(slot: Slot, parentBounds: JsonSchema | undefined, schemas: SchemaComponents): JsonSchema {
  const bounds = parentBounds ?? boundsOf(slot);
  const schema = narrowedSchemaOf(slot.type, bounds, schemas);
  const acceptsNull = !isNonNullType(slot.type) && !rejectsNull(bounds);
  return {
    ...(acceptsNull ? nullable(schema) : schema),
    ...(slot.description && { description: slot.description }),
    ...(slot.defaultValue !== undefined && { default: slot.defaultValue }),
  };
}
