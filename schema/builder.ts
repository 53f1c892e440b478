import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import RelayPlugin from '@pothos/plugin-relay';
import SubGraphPlugin from '@pothos/plugin-sub-graph';
import ZodPlugin from '@pothos/plugin-zod';
import { InputIssues } from '../src/errors/input-issues.ts';
import { addZodIssues } from '../src/errors/to-app-error.ts';
import { addServiceIssues } from './argument-issues.ts';
import { AUDIT } from './audit/audit-plugin.ts';
import { BOUNDED_READS } from './bounded-reads-plugin.ts';
import type { GraphQLContext } from './context.ts';
import type { Mount } from './rest-route.ts';
import './required-access.ts';

/** The surface that a type or field belongs to: GraphQL or one REST mount. Types are in `graphql` by default. */
export type SubGraph = 'graphql' | Mount;

export const GRAPHQL_AND_V1: SubGraph[] = ['graphql', 'v1'];
/** For root types and scalars. */
export const EVERY_SUB_GRAPH: SubGraph[] = ['graphql', 'v1', 'preview', 'rpc'];

/** Builds the schema of every surface. */
export const builder = new SchemaBuilder<{
  Context: GraphQLContext;
  SubGraphs: SubGraph;
  DefaultFieldNullability: false;
  DefaultInputFieldRequiredness: false;
  DefaultEdgesNullability: false;
  DefaultNodeNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    Instant: { Input: Date; Output: Date };
    JSON: { Input: Record<string, unknown>; Output: Record<string, unknown> };
  };
}>({
  plugins: [ZodPlugin, RelayPlugin, SubGraphPlugin, ComplexityPlugin, BOUNDED_READS, AUDIT],
  defaultFieldNullability: false,
  zod: {
    validationError: (error, args, { services }, { parentType, fieldName }) => {
      const issues = new InputIssues();
      addZodIssues(error, issues);
      const field = parentType.getFields()[fieldName];
      if (field) addServiceIssues(field, args, services, issues);
      return issues.toError();
    },
  },
  subGraphs: { defaultForTypes: ['graphql'], fieldsInheritFromTypes: true },
  // The cost of an operation is checked once before execution, by the HTTP layer, not in every root resolver.
  complexity: { disabled: true },
  relay: {
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    edgesFieldOptions: {
      description: 'Nodes of this page, each with its cursor.',
      nullable: false,
      // The connection field multiplies by the page size.
      complexity: { field: 0, multiplier: 1 },
    },
    nodeFieldOptions: { description: 'The node.', nullable: false, complexity: 0 },
    cursorFieldOptions: {
      description: 'Opaque cursor; pass as `after` to continue after this node.',
      complexity: 0,
    },
    pageInfoTypeOptions: { description: 'Position of a page in its list.' },
    pageInfoFieldOptions: { description: 'Position of this page in the list.' },
    hasNextPageFieldOptions: { description: 'True if nodes follow this page.' },
    hasPreviousPageFieldOptions: { description: 'True if nodes precede this page.' },
    startCursorFieldOptions: { description: 'Cursor of the first node; null if the page is empty.' },
    endCursorFieldOptions: {
      description:
        'Cursor of the last node; pass as `after` to get the next page. Null if the page is empty.',
    },
  },
});

// A root field declares its own sub-graphs.
builder.queryType({
  description:
    'Read operations. They need an API key of scope `read`, or `write` or `admin` where a field requires it.',
  subGraphs: EVERY_SUB_GRAPH,
  defaultSubGraphsForFields: ['graphql'],
});
builder.mutationType({
  description:
    'Write operations. They need an API key of scope `write`, or `admin` where a field requires it. With the header `Idempotency-Key`, an operation is executed once: for 24 hours, the same key with the same operation and variables returns the first result without errors, and with others a `CONFLICT`.',
  subGraphs: EVERY_SUB_GRAPH,
  defaultSubGraphsForFields: ['graphql'],
});
builder.subscriptionType({
  description: 'Live updates as server-sent events: POST with `Accept: text/event-stream`.',
});
