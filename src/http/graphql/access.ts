import { type FieldNode, GraphQLError } from 'graphql';
import type { GraphQLContext } from '../../../schema/context.ts';
import type { AppError } from '../../errors/app-error.ts';
import { toAppError } from '../../errors/to-app-error.ts';
import { checkAccess } from '../access/check-access.ts';
import { edgeResourcesOf } from './edge-resources.ts';
import { beforeOperation, type OperationPlugin, type RootField } from './operation.ts';

/** Converts an error of an operation, or of the root field `node`. */
export const toGraphQLError = (originalError: AppError, node?: FieldNode): GraphQLError =>
  new GraphQLError(originalError.message, {
    originalError,
    ...(node && { nodes: node, path: [(node.alias ?? node.name).value] }),
  });

/**
 * Refuses an operation that the key may not execute: with root fields or edges that it may not read, or for a customer
 * that it has no access to.
 */
export const useAccess = (): OperationPlugin =>
  beforeOperation(({ context, setResultAndStopExecution }) => {
    const { rootFields } = context.operation;
    // Only a key that is limited to resources needs the edges.
    const edgesOf = context.principal.resources === null ? () => [] : edgeResourcesOf(context.operation);
    const forbidden = rootFields.flatMap(({ node, field }) => {
      const error = checkAccess(context, { field, edges: edgesOf(node) }, context.services);
      return error ? [toGraphQLError(error, node)] : [];
    });
    const errors = forbidden.length > 0 ? forbidden : unknownCustomer(rootFields, context);
    if (errors.length > 0) setResultAndStopExecution({ data: null, errors });
  });

/** `X-Customer-Id` names a customer that the key has no access to, even if no field uses its data. */
function unknownCustomer(rootFields: readonly RootField[], { tenant }: GraphQLContext): GraphQLError[] {
  const error = errorOf(tenant);
  if (error?.code !== 'NOT_FOUND') return [];
  // An introspection has no root field of the schema's own.
  if (rootFields.length === 0) return [toGraphQLError(error)];
  return rootFields.map(({ node }) => toGraphQLError(error, node));
}

function errorOf(read: () => unknown): AppError | null {
  try {
    read();
    return null;
  } catch (error) {
    return toAppError(error);
  }
}
