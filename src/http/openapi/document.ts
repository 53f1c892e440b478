import type { GraphQLNamedType } from 'graphql';
import type { Mount } from '../../../schema/rest-route.ts';
import type { Route } from '../rest/rest-routes.ts';
import { ERROR_SCHEMA, errorResponses } from './errors.ts';
import { operationOf } from './operation.ts';
import { componentOf } from './schemas.ts';
import { HEADERS, INFO, PARAMETERS, SECURITY_SCHEMES, TAGS } from './shared.ts';
import type { Json, JsonSchema, OpenApiDocument } from './types.ts';
import { DELIVERY_HEADERS, webhooksSection } from './webhooks.ts';

export interface Projection {
  mount: Mount;
  base: string;
  routes: readonly Route[];
  /** What Sofa generated. */
  document: unknown;
}

/**
 * Makes an OpenAPI 3.1 document of the one that Sofa generated. Its paths and methods stay; what it gets wrong is
 * made anew from the schema: parameters, bodies, nullability, bounds, errors, security and examples.
 */
export function openApiDocument({ mount, base, routes, document }: Projection): OpenApiDocument {
  const schemas: Record<string, JsonSchema> = { Error: ERROR_SCHEMA };
  const waiting: GraphQLNamedType[] = [];
  const found = (type: GraphQLNamedType) => void waiting.push(type);
  const paths = repairedPaths(document, routes, found);
  for (let type = waiting.pop(); type; type = waiting.pop()) schemas[type.name] ??= componentOf(type, found);

  // Whoever calls the procedures is the operator, who receives no webhooks.
  const webhooks = mount === 'rpc' ? undefined : webhooksSection();
  const webhooksTag = { name: 'Webhooks', description: "What this service sends to a customer's endpoints." };
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
      parameters: { ...(mount === 'preview' && PARAMETERS), ...(webhooks && DELIVERY_HEADERS) },
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
  // Leaves out what is undefined, and shares nothing with what it was made from.
  return JSON.parse(JSON.stringify(result)) as OpenApiDocument;
}

/** Sofa's paths, each operation repaired; what has no route is none. */
function repairedPaths(
  document: unknown,
  routes: readonly Route[],
  found: (type: GraphQLNamedType) => void,
): Record<string, Record<string, Json>> {
  const generated = (document as { paths?: Record<string, Record<string, Json>> }).paths ?? {};
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:([^/]+)/g, '{$1}');
    const method = route.method.toLowerCase();
    const operation = generated[path]?.[method];
    if (!operation) throw new Error(`Sofa generated nothing for ${route.method} ${route.path}`);
    paths[path] = { ...paths[path], [method]: { ...operation, ...operationOf(route, found) } };
  }
  return paths;
}
