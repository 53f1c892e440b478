import type { GraphQLField } from 'graphql';
import { requiredScope } from '../../../schema/required-scope.ts';
import type { AppError } from '../../errors/app-error.ts';
import { hasScope, missingScope } from '../../features/tenants/scopes.ts';
import type { Principal } from '../../features/tenants/tenants.types.ts';

/**
 * Returns the error FORBIDDEN if a caller may not call a root field; null if it may. This is the only check of scopes,
 * for REST and GraphQL: nothing of the field, and no input of it, is processed before.
 */
export function checkScope({ scope }: Principal, field: GraphQLField<unknown, unknown>): AppError | null {
  const required = requiredScope(field);
  return hasScope(scope, required) ? null : missingScope(required);
}
