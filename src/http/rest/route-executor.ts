import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import type { GraphQLContext } from '../../../schema/context.ts';
import type { Variables } from './route-variables.ts';

/** Runs one of Sofa's documents. */
export type Execute = (
  document: DocumentNode,
  context: GraphQLContext,
  variables: Variables,
) => ExecutionResult | Promise<ExecutionResult>;

/** Documents are compiled to JavaScript on first use; Sofa makes one for each route, so there are only so many. */
export function compiledExecute(schema: GraphQLSchema): Execute {
  const cache = new Map<DocumentNode, CompiledQuery>();
  return (document, context, variables) => {
    let compiled = cache.get(document);
    if (!compiled) {
      const result = compileQuery(schema, document);
      if (!isCompiledQuery(result))
        throw new Error('A route could not be compiled.', { cause: result.errors });
      compiled = result;
      cache.set(document, compiled);
    }
    return compiled.query(undefined, context, variables);
  };
}
