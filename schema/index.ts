import { GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { builder, type SubGraph } from './builder.ts';
import './scalars.ts';
import './webhooks/event-types.ts';
import './webhooks/endpoints.ts';
import './webhooks/deliveries.ts';
import './webhooks/delivery-actions.ts';
import './tenants.ts';
import './api-keys.ts';
import './viewer.ts';
import './activity.ts';
import './health.ts';
import './events.ts';
import './drift.ts';
import './conversations/queries.ts';
import './conversations/moves.ts';
import './conversations/preview.ts';
import './meetings/connection.ts';
import './meetings/runs.ts';
import './meetings/mapping.ts';
import './meetings/meetings.ts';

/** The schema of every surface. */
export interface Schemas {
  graphql: GraphQLSchema;
  v1: GraphQLSchema;
  preview: GraphQLSchema;
  rpc: GraphQLSchema;
}

/**
 * Builds the schema of every surface from the one builder. In those of the REST mounts only root fields
 * with `extensions.rest` are routes.
 */
export function buildSchemas(): Schemas {
  const [graphql, v1, preview, rpc] = (['graphql', 'v1', 'preview', 'rpc'] as const).map(buildSubGraph);
  if (!graphql || !v1 || !preview || !rpc) throw new Error('A surface has no root field.');
  return { graphql, v1, preview, rpc };
}

/** The one field of a `Query` that would have none: no route, and nothing behind it. */
export const PLACEHOLDER_FIELD = '_';

const placeholder = new GraphQLObjectType({
  name: 'Query',
  fields: { [PLACEHOLDER_FIELD]: { type: GraphQLString, description: 'Always null.' } },
});

/**
 * One sub-graph without root types that have no field: an empty `Mutation` makes a schema invalid, and then
 * every call to it fails. A `Query` there must be, so a surface of mutations alone gets one with a placeholder.
 */
function buildSubGraph(subGraph: SubGraph): GraphQLSchema | null {
  const config = builder.toSchema({ subGraph, sortSchema: false }).toConfig();
  const roots = [config.query, config.mutation, config.subscription];
  const [query, mutation, subscription] = roots.map((root) =>
    root && Object.keys(root.getFields()).length > 0 ? root : null,
  );
  if (!query && !mutation) return null;
  return new GraphQLSchema({
    ...config,
    types: config.types.filter((type) => !roots.some((root) => root === type)),
    query: query ?? placeholder,
    mutation,
    subscription,
  });
}
