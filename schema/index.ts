import { PothosSubGraphPlugin } from '@pothos/plugin-sub-graph';
import { GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { builder, type SubGraph } from './builder.ts';
import './scalars.ts';
import './webhooks/event-types.ts';
import './webhooks/endpoints.ts';
import './webhooks/statistics.ts';
import './webhooks/deliveries.ts';
import './webhooks/delivery-actions.ts';
import './webhooks/published-events.ts';
import './webhooks/explain.ts';
import './webhooks/event-feeds.ts';
import './tenants.ts';
import './api-keys.ts';
import './viewer.ts';
import './activity.ts';
import './audit/audit-log.ts';
import './usage.ts';
import './health.ts';
import './preview-events/record-event.ts';
import './preview-events/event-lists.ts';
import './drift/drift.ts';
import './drift/drift-features.ts';
import './drift/drift-performance.ts';
import './drift/drift-alerts.ts';
import './drift/drift-mutes.ts';
import './drift/planned-changes.ts';
import './conversations/conversation-queries.ts';
import './conversations/conversation-moves.ts';
import './conversations/preview-conversations.ts';
import './meetings/connection.ts';
import './meetings/sync-runs.ts';
import './meetings/mapping.ts';
import './meetings/reprojection.ts';
import './meetings/meetings.ts';
import './meetings/search.ts';
import './privacy/erasures.ts';
import './privacy/suppressions.ts';
import './privacy/deletions.ts';
import './privacy/tenant-deletion.ts';
import './privacy/retention.ts';
import './privacy/exports.ts';
import './console-sessions.ts';

export interface Schemas {
  graphql: GraphQLSchema;
  v1: GraphQLSchema;
  preview: GraphQLSchema;
  rpc: GraphQLSchema;
}

let schemas: Schemas | undefined;

/**
 * Returns the schemas of all surfaces, which the first call builds. In the schemas of the REST surfaces, only root
 * fields with `extensions.rest` are routes.
 */
export function buildSchemas(): Schemas {
  schemas ??= build();
  return schemas;
}

function build(): Schemas {
  // `toSchema` with a sub-graph would build this schema for each of them.
  const whole = builder.toSchema({ sortSchema: false });
  const [graphql, v1, preview, rpc] = (['graphql', 'v1', 'preview', 'rpc'] as const).map((subGraph) =>
    buildSubGraph(whole, subGraph),
  );
  if (!graphql || !v1 || !preview || !rpc) throw new Error('A surface has no root field.');
  return { graphql, v1, preview, rpc };
}

/** The only field of a placeholder `Query`, in a surface that has mutations only; not a route. */
export const PLACEHOLDER_FIELD = '_';

const placeholder = new GraphQLObjectType({
  name: 'Query',
  fields: { [PLACEHOLDER_FIELD]: { type: GraphQLString, description: 'Always null.' } },
});

/**
 * Builds the schema of a sub-graph; null if it has no root field. Omits root types without fields, because an empty
 * one makes the schema invalid. A `Query` is mandatory, so a surface with mutations only gets a placeholder.
 */
function buildSubGraph(whole: GraphQLSchema, subGraph: SubGraph): GraphQLSchema | null {
  const config = PothosSubGraphPlugin.createSubGraph(whole, subGraph, builder).toConfig();
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
