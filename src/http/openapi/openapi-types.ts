import type { GraphQLNamedType } from 'graphql';

/** A part of an OpenAPI document that is only written, never read. */
export type Json = { [key: string]: unknown };

/** A JSON Schema (2020-12), limited to the keywords that are read here. */
export interface JsonSchema extends Json {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  required?: string[];
  enum?: unknown[];
  description?: string;
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument extends Json {
  openapi: string;
  paths: Record<string, Record<string, Json>>;
  webhooks?: Record<string, Json>;
  components: { schemas: Record<string, JsonSchema> } & Json;
}

/** The schemas of a document under construction. */
export interface SchemaComponents {
  /** Adds the schema of a GraphQL type, for other schemas to refer to by the type's name. */
  onReference: (type: GraphQLNamedType) => void;
  /** Adds a schema. @returns a reference to it */
  define: (name: string, schema: JsonSchema) => JsonSchema;
}

export const schemaRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
