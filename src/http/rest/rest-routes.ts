import type { GraphQLField, GraphQLSchema } from 'graphql';
import { requiredScope } from '../../../schema/required-scope.ts';
import type { Mount, RestRoute } from '../../../schema/rest-route.ts';
import type { Scope } from '../../features/tenants/scopes.ts';

/** Base path of each REST mount, without a trailing slash (contract 5, 7 and 9). */
export const MOUNT_BASE: Readonly<Record<Mount, string>> = { v1: '/api/v1', preview: '/v1', rpc: '/api' };

/** REST route of a root field. */
export interface Route extends RestRoute {
  /** Key of the field in Sofa's `routes`, such as `Query.webhookEndpoints`. */
  fieldId: string;
  field: GraphQLField<unknown, unknown>;
  /** Smallest scope of an API key that may call the field. */
  scope: Scope;
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
        { ...rest, fieldId, field, scope: requiredScope(field), parameters, pattern: base + rest.path },
      ];
    }),
  );
}
