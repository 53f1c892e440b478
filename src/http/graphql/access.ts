import { type FieldNode, GraphQLError } from 'graphql';
import type { GraphQLContext } from '../../../schema/context.ts';
import type { AppError } from '../../errors/app-error.ts';
import { toAppError } from '../../errors/to-app-error.ts';
import { checkScope } from '../access/check-scope.ts';
import { beforeOperation, type OperationPlugin, type RootField } from './operation.ts';

/** Converts an error of an operation, or of the root field `node`. */
export const toGraphQLError = (originalError: AppError, node?: FieldNode): GraphQLError =>
  new GraphQLError(originalError.message, {
    originalError,
    ...(node && { nodes: node, path: [(node.alias ?? node.name).value] }),
  });

/**
 * Refuses an operation that the key may not execute: with root fields that it may not call, or for a customer that it has
 * no access to.
 */
export const useAccess = (): OperationPlugin =>
  beforeOperation(({ context, setResultAndStopExecution }) => {
    const { rootFields } = context.operation;
    const forbidden = rootFields.flatMap(({ node, field }) => {
      const error = checkScope(context, field, context.services);
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
