import type { GraphQLNamedType, GraphQLObjectType } from 'graphql';
import type { Mount } from '../../../schema/rest-route.ts';
import type { Route } from '../rest/rest-routes.ts';
import { ERROR_SCHEMAS, errorResponses } from './error-responses.ts';
import { componentOf } from './json-schemas.ts';
import { operationOf } from './openapi-operation.ts';
import {
  type Json,
  type JsonSchema,
  type OpenApiDocument,
  type SchemaComponents,
  schemaRef,
} from './openapi-types.ts';
import { METRICS_SECURITY_SCHEME, PROBES_TAG, probeOperations } from './probe-operations.ts';
import { INFO, SECURITY_SCHEMES, sharedHeaders, sharedParameters, TAGS } from './shared-components.ts';
import { webhooksSection } from './webhooks-section.ts';

export interface Projection {
  mount: Mount;
  base: string;
  routes: readonly Route[];
  /** OpenAPI document that Sofa generated. */
  document: unknown;
}

interface Options {
  /** GraphQL type of `GET /api/health`. */
  health: GraphQLObjectType;
}

/**
 * Builds an OpenAPI 3.1 document from the one that Sofa generated. Paths and methods are kept; parameters, bodies,
 * nullability, bounds, errors, security and examples are built from the schema, because Sofa's are incomplete or wrong.
 */
export function openApiDocument(
  { mount, base, routes, document }: Projection,
  { health }: Options,
): OpenApiDocument {
  const schemas: Record<string, JsonSchema> = { ...ERROR_SCHEMAS };
  const pending: GraphQLNamedType[] = [];
  const components: SchemaComponents = {
    onReference: (type) => void pending.push(type),
    define(name, schema) {
      schemas[name] = schema;
      return schemaRef(name);
    },
  };
  const paths = buildPaths(document, routes, components);
  // The mount of the operators, who receive no webhooks.
  const forOperators = mount === 'rpc';
  if (forOperators) Object.assign(paths, probeOperations(health, components));
  const events = forOperators ? undefined : webhooksSection(components);
  for (let type = pending.pop(); type; type = pending.pop())
    schemas[type.name] ??= componentOf(type, components);

  const webhooksTag = {
    name: 'Webhooks',
    description: "Requests that the service sends to a customer's endpoints.",
  };
  const names = new Set([...routes.map(({ tag }) => tag), ...(forOperators ? [PROBES_TAG] : [])]);
  const tags = [...names].map((name) => ({ name, description: TAGS[name] }));
  const result: OpenApiDocument = {
    openapi: '3.1.0',
    info: INFO[mount],
    servers: [{ url: base }],
    security: [{ apiKey: [] }],
    tags: [...tags, ...(events ? [webhooksTag] : [])],
    paths,
    webhooks: events?.webhooks,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: errorResponses(routes),
      parameters: sharedParameters(routes),
      headers: sharedHeaders(routes),
      pathItems: events?.pathItems,
      securitySchemes: { ...SECURITY_SCHEMES, ...(forOperators && METRICS_SECURITY_SCHEME) },
    },
  };
  // Drops undefined values and shares no object with the sources.
  return JSON.parse(JSON.stringify(result)) as OpenApiDocument;
}

/** Builds the operation of each route. Operations that Sofa generated for fields without a route are dropped. */
function buildPaths(
  document: unknown,
  routes: readonly Route[],
  components: SchemaComponents,
): Record<string, Record<string, Json>> {
  const generated = (document as { paths?: Record<string, Record<string, Json>> }).paths ?? {};
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:([^/]+)/g, '{$1}');
    const method = route.method.toLowerCase();
    const operation = generated[path]?.[method];
    if (!operation) throw new Error(`Sofa generated no operation for ${route.method} ${route.path}`);
    paths[path] = { ...paths[path], [method]: { ...operation, ...operationOf(route, components) } };
  }
  return paths;
}
