import { type ExecutionResult, type FieldNode, GraphQLError } from 'graphql';
import type { GraphQLContext } from '../../../schema/context.ts';
import type { AppError } from '../../errors/app-error.ts';
import { toAppError } from '../../errors/to-app-error.ts';
import { checkScope } from '../access/check-scope.ts';
import type { RootField } from './root-fields.ts';

/** Converts an error of an operation, or of the root field `node`. */
export const toGraphQLError = (originalError: AppError, node?: FieldNode): GraphQLError =>
  new GraphQLError(originalError.message, {
    originalError,
    ...(node && { nodes: node, path: [(node.alias ?? node.name).value] }),
  });

/**
 * Returns the response to an operation that the key may not execute: with root fields that it may not call, or for a
 * customer that it has no access to. Null if it may execute the operation.
 */
export const refusalOf = (
  rootFields: readonly RootField[],
  context: GraphQLContext,
): ExecutionResult | null =>
  forbiddenResult(rootFields, context) ?? unknownCustomerResult(rootFields, context);

function forbiddenResult(
  rootFields: readonly RootField[],
  { principal }: GraphQLContext,
): ExecutionResult | null {
  const errors = rootFields.flatMap(({ node, field }) => {
    const forbidden = checkScope(principal, field);
    return forbidden ? [toGraphQLError(forbidden, node)] : [];
  });
  return errors.length > 0 ? { data: null, errors } : null;
}

/** `X-Customer-Id` names a customer that the key has no access to, even if no field uses its data. */
function unknownCustomerResult(
  rootFields: readonly RootField[],
  context: GraphQLContext,
): ExecutionResult | null {
  const error = tenantError(context);
  if (error?.code !== 'NOT_FOUND') return null;
  const errors = rootFields.map(({ node }) => toGraphQLError(error, node));
  // An introspection has no root field of the schema's own.
  return { data: null, errors: errors.length > 0 ? errors : [toGraphQLError(error)] };
}

/** Returns the error of `X-Customer-Id`; null if the request names a tenant. */
function tenantError(context: GraphQLContext): AppError | null {
  try {
    context.tenant();
    return null;
  } catch (error) {
    return toAppError(error);
  }
}
