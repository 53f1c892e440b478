import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
} from 'graphql';
import { edgeResource, requiredAccess } from '../../../schema/required-access.ts';
import type { Mount, RestRoute } from '../../../schema/rest-route.ts';
import type { FieldResource, Scope } from '../../features/tenants/scopes.ts';
import type { KeyResource } from '../../shared/key-limits.ts';

/** Base path of each REST mount, without a trailing slash (contract 5, 7 and 9). */
export const MOUNT_BASE: Readonly<Record<Mount, string>> = { v1: '/api/v1', preview: '/v1', rpc: '/api' };

/** REST route of a root field. */
export interface Route extends RestRoute {
  /** Key of the field in Sofa's `routes`, such as `Query.webhookEndpoints`. */
  fieldId: string;
  field: GraphQLField<unknown, unknown>;
  /** Smallest scope of an API key that may call the field. */
  scope: Scope;
  /** Resource that an API key limited to resources needs. */
  resource: FieldResource;
  /** Resources of the edges that the response contains, which such a key needs as well. */
  edges: readonly KeyResource[];
  /** Names of the path parameters, in order. */
  parameters: string[];
  /** Base path and path, with parameters as `:name`; also the label in logs and metrics. */
  pattern: string;
}

const isRestRoute = (value: unknown): value is RestRoute =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'mount' in value;

/**
 * Collects the routes of a sub-graph from the extensions of its root fields; a field without one has no route.
 * @throws Error at start if a field belongs to another mount
 */
export function collectRoutes(schema: GraphQLSchema, mount: Mount, base: string): Route[] {
  return [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}).flatMap((field) => {
      const { rest } = field.extensions;
      if (!isRestRoute(rest)) return [];
      const fieldId = `${type?.name}.${field.name}`;
      if (rest.mount !== mount) throw new Error(`${fieldId} belongs to mount ${rest.mount}, not to ${mount}`);
      const parameters = rest.path
        .split('/')
        .flatMap((part) => (part.startsWith(':') ? [part.slice(1)] : []));
      return [
        {
          ...{ ...rest, fieldId, field, ...requiredAccess(field), edges: edgesOf(field) },
          ...{ parameters, pattern: base + rest.path },
        },
      ];
    }),
  );
}

/** Returns the resources of all edges below a root field, since a response has every field of its type. */
function edgesOf(root: GraphQLField<unknown, unknown>): KeyResource[] {
  const found = new Set<KeyResource>();
  const visited = new Set<GraphQLNamedType>();
  function visit(type: GraphQLNamedType): void {
    if (!isObjectType(type) || visited.has(type)) return;
    visited.add(type);
    for (const field of Object.values(type.getFields())) {
      const resource = edgeResource(field);
      if (resource !== null) found.add(resource);
      visit(getNamedType(field.type));
    }
  }
  visit(getNamedType(root.type));
  return [...found];
}
