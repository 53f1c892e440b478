import type { GraphQLNamedType } from 'graphql';
import type { Mount } from '../../../schema/rest-route.ts';
import type { Route } from '../rest/rest-routes.ts';
import { ERROR_SCHEMA, errorResponses } from './error-responses.ts';
import { componentOf } from './json-schemas.ts';
import { operationOf } from './openapi-operation.ts';
import type { Json, JsonSchema, OpenApiDocument } from './openapi-types.ts';
import { HEADERS, INFO, PARAMETERS, SECURITY_SCHEMES, TAGS } from './shared-components.ts';
import { DELIVERY_HEADERS, webhooksSection } from './webhooks-section.ts';

export interface Projection {
  mount: Mount;
  base: string;
  routes: readonly Route[];
  /** OpenAPI document that Sofa generated. */
  document: unknown;
}

/**
 * Builds an OpenAPI 3.1 document from the one that Sofa generated. Paths and methods are kept; parameters, bodies,
 * nullability, bounds, errors, security and examples are built from the schema, because Sofa's are incomplete or wrong.
 */
export function openApiDocument({ mount, base, routes, document }: Projection): OpenApiDocument {
  const schemas: Record<string, JsonSchema> = { Error: ERROR_SCHEMA };
  const pending: GraphQLNamedType[] = [];
  const onReference = (type: GraphQLNamedType) => void pending.push(type);
  const paths = buildPaths(document, routes, onReference);
  for (let type = pending.pop(); type; type = pending.pop())
    schemas[type.name] ??= componentOf(type, onReference);

  // The procedures are for operators, who receive no webhooks.
  const webhooks = mount === 'rpc' ? undefined : webhooksSection();
  const webhooksTag = {
    name: 'Webhooks',
    description: "Requests that the service sends to a customer's endpoints.",
  };
  const tags = [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name, description: TAGS[name] }));
  const result: OpenApiDocument = {
    openapi: '3.1.0',
    info: INFO[mount],
    servers: [{ url: base }],
    security: [{ apiKey: [] }],
    tags: [...tags, ...(webhooks ? [webhooksTag] : [])],
    paths,
    webhooks,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: errorResponses(routes),
      parameters: {
        IdempotencyKey: PARAMETERS.IdempotencyKey,
        ...(mount === 'preview' && PARAMETERS),
        ...(webhooks && DELIVERY_HEADERS),
      },
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
  // Drops undefined values and shares no object with the sources.
  return JSON.parse(JSON.stringify(result)) as OpenApiDocument;
}

/** Builds the operation of each route. Operations that Sofa generated for fields without a route are dropped. */
function buildPaths(
  document: unknown,
  routes: readonly Route[],
  onReference: (type: GraphQLNamedType) => void,
): Record<string, Record<string, Json>> {
  const generated = (document as { paths?: Record<string, Record<string, Json>> }).paths ?? {};
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:([^/]+)/g, '{$1}');
    const method = route.method.toLowerCase();
    const operation = generated[path]?.[method];
    if (!operation) throw new Error(`Sofa generated no operation for ${route.method} ${route.path}`);
    paths[path] = { ...paths[path], [method]: { ...operation, ...operationOf(route, onReference) } };
  }
  return paths;
}
