import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import SubGraphPlugin from '@pothos/plugin-sub-graph';
import ZodPlugin from '@pothos/plugin-zod';
import { AppError } from '../src/errors.ts';
import { SCOPES, type Scope } from '../src/features/tenants/tenants.types.ts';
import type { GraphQLContext } from './context.ts';
import { zodToAppError } from './errors.ts';
import type { Mount } from './rest-route.ts';

/** The surface that a type or field belongs to: GraphQL or one REST mount. Types are in `graphql` by default. */
export type SubGraph = 'graphql' | Mount;

/** Returns true if a key of scope `held` includes `required`; each scope includes those before it. */
const includes = (held: Scope, required: Scope) => SCOPES.indexOf(held) >= SCOPES.indexOf(required);

/**
 * Builds the schema of every surface. The scope-auth plugin precedes zod: a caller that lacks the scope does not learn
 * which input is valid.
 */
export const builder = new SchemaBuilder<{
  Context: GraphQLContext;
  AuthScopes: Record<Scope, boolean>;
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
  plugins: [ScopeAuthPlugin, ZodPlugin, RelayPlugin, SubGraphPlugin, ComplexityPlugin],
  defaultFieldNullability: false,
  scopeAuth: {
    authorizeOnSubscribe: true,
    authScopes: ({ principal }) => ({
      read: includes(principal.scope, 'read'),
      write: includes(principal.scope, 'write'),
      admin: includes(principal.scope, 'admin'),
    }),
    unauthorizedError: () =>
      new AppError(
        'FORBIDDEN',
        'The scope of this key is too small for that: it needs one of scope write, or admin to administer.',
      ),
  },
  zod: { validationError: zodToAppError },
  subGraphs: { defaultForTypes: ['graphql'], fieldsInheritFromTypes: true },
  // The cost of an operation is checked once before execution, by the HTTP layer, not in every root resolver.
  complexity: { disabled: true },
  relay: {
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
  description: 'Read operations. They need an API key of scope `read`, or `admin` where a field says so.',
  subGraphs: ['graphql', 'v1', 'preview', 'rpc'],
  defaultSubGraphsForFields: ['graphql'],
});
builder.mutationType({
  description: 'Write operations. They need an API key of scope `write`, or `admin` where a field says so.',
  subGraphs: ['graphql', 'v1', 'preview', 'rpc'],
  defaultSubGraphsForFields: ['graphql'],
});
builder.subscriptionType({
  description: 'Live updates as server-sent events: POST with `Accept: text/event-stream`.',
});
