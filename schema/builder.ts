import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin, { type AuthFailure, AuthScopeFailureType } from '@pothos/plugin-scope-auth';
import SubGraphPlugin from '@pothos/plugin-sub-graph';
import ZodPlugin from '@pothos/plugin-zod';
import { InputIssues } from '../src/errors/input-issues.ts';
import { addZodIssues } from '../src/errors/to-app-error.ts';
import { hasScope, missingScope, type Scope } from '../src/features/tenants/scopes.ts';
import { addServiceIssues } from './argument-issues.ts';
import { BOUNDED_READS } from './bounded-reads-plugin.ts';
import type { GraphQLContext } from './context.ts';
import type { Mount } from './rest-route.ts';

/** The surface that a type or field belongs to: GraphQL or one REST mount. Types are in `graphql` by default. */
export type SubGraph = 'graphql' | Mount;

/** Returns the scope that a rejected field requires. Every field requires at most one. */
function requiredScope(failure: AuthFailure): Scope {
  switch (failure.kind) {
    case AuthScopeFailureType.AuthScope:
      return failure.scope as Scope;
    case AuthScopeFailureType.AnyAuthScopes:
    case AuthScopeFailureType.AllAuthScopes: {
      const [first] = failure.failures;
      if (first) return requiredScope(first);
    }
  }
  throw new Error(`A field was rejected for a reason other than its scope: ${failure.kind}`);
}

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
  plugins: [ScopeAuthPlugin, ZodPlugin, RelayPlugin, SubGraphPlugin, ComplexityPlugin, BOUNDED_READS],
  defaultFieldNullability: false,
  scopeAuth: {
    authorizeOnSubscribe: true,
    authScopes: ({ principal }) => ({
      read: hasScope(principal.scope, 'read'),
      write: hasScope(principal.scope, 'write'),
      admin: hasScope(principal.scope, 'admin'),
    }),
    unauthorizedError: (_parent, _context, _info, { failure }) => missingScope(requiredScope(failure)),
  },
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
  description: 'Read operations. They need an API key of scope `read`, or `admin` where a field requires it.',
  subGraphs: ['graphql', 'v1', 'preview', 'rpc'],
  defaultSubGraphsForFields: ['graphql'],
});
builder.mutationType({
  description:
    'Write operations. They need an API key of scope `write`, or `admin` where a field requires it. With the header `Idempotency-Key`, an operation is executed once: for 24 hours, the same key with the same operation and variables returns the first result without errors, and with others a `CONFLICT`.',
  subGraphs: ['graphql', 'v1', 'preview', 'rpc'],
  defaultSubGraphsForFields: ['graphql'],
});
builder.subscriptionType({
  description: 'Live updates as server-sent events: POST with `Accept: text/event-stream`.',
});
