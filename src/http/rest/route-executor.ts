import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import type { GraphQLContext } from '../../../schema/context.ts';
import type { Variables } from './route-variables.ts';

/** Executes a document that Sofa generated. */
export type Execute = (
  document: DocumentNode,
  context: GraphQLContext,
  variables: Variables,
) => ExecutionResult | Promise<ExecutionResult>;

/** Compiles documents to JavaScript on first use. The cache is bounded: Sofa generates one document per route. */
export function compiledExecute(schema: GraphQLSchema): Execute {
  const cache = new Map<DocumentNode, CompiledQuery>();
  return (document, context, variables) => {
    let compiled = cache.get(document);
    if (!compiled) {
      const result = compileQuery(schema, document);
      if (!isCompiledQuery(result))
        throw new Error("Failed to compile a route's document", { cause: result.errors });
      compiled = result;
      cache.set(document, compiled);
    }
    return compiled.query(undefined, context, variables);
  };
}
