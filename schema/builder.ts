import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import SubGraphPlugin from '@pothos/plugin-sub-graph';
import ZodPlugin from '@pothos/plugin-zod';
import { zodToAppError } from '../src/errors/to-app-error.ts';
import { AppError } from '../src/errors.ts';
import { SCOPES, type Scope } from '../src/features/tenants/tenants.types.ts';
import type { GraphQLContext } from './context.ts';
import type { Mount, RestRoute } from './rest-route.ts';

/** Who a type or field is for: GraphQL clients, or those of one REST mount. A field names its own; the default is `graphql` alone. */
export type SubGraph = 'graphql' | Mount;

/** The `extensions` of a root field that a REST mount projects. */
export const rest = (route: RestRoute) => ({ rest: route });

/** Whether a key of scope `held` may do what asks for `wanted`; each scope includes the ones before it. */
const includes = (held: Scope, wanted: Scope) => SCOPES.indexOf(held) >= SCOPES.indexOf(wanted);

/**
 * The builder of every surface. scope-auth stands before zod: whoever may not call a field
 * learns nothing of what it would accept.
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
  // Costs are counted before execution (src/http/graphql-limits.ts), not again in every root resolver.
  complexity: { disabled: true },
  relay: {
    edgesFieldOptions: {
      description: 'The rows of this page, each with its cursor.',
      nullable: false,
      // The connection field itself multiplies, by what was asked for.
      complexity: { field: 0, multiplier: 1 },
    },
    nodeFieldOptions: { description: 'The row.', nullable: false, complexity: 0 },
    cursorFieldOptions: {
      description: 'Opaque; goes back as `after` to continue behind this row.',
      complexity: 0,
    },
    pageInfoTypeOptions: { description: 'Where a page stands in its list.' },
    pageInfoFieldOptions: { description: 'Where this page stands in its list.' },
    hasNextPageFieldOptions: { description: 'Whether rows follow this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether rows come before this page.' },
    startCursorFieldOptions: { description: 'Cursor of the first row; null on an empty page.' },
    endCursorFieldOptions: { description: 'Cursor of the last row, to go on with; null on an empty page.' },
  },
});

// A sub-graph's root fields say themselves which sub-graphs they are in.
builder.queryType({
  description: 'What can be asked.',
  subGraphs: ['graphql', 'v1', 'preview', 'rpc'],
  defaultSubGraphsForFields: ['graphql'],
});
builder.mutationType({
  description: 'What can be changed. Needs a key of scope `write`, or `admin` where a field says so.',
  subGraphs: ['graphql', 'v1', 'preview', 'rpc'],
  defaultSubGraphsForFields: ['graphql'],
});
builder.subscriptionType({
  description: 'What can be watched: POST with `Accept: text/event-stream`, answered by server-sent events.',
});
