import type { GraphQLField } from 'graphql';
import { requiredScope } from '../../../schema/required-scope.ts';
import type { AppError } from '../../errors/app-error.ts';
import type { Services } from '../../features/services.ts';
import { hasScope, missingScope } from '../../features/tenants/scopes.ts';
import type { Principal } from '../../features/tenants/tenants.types.ts';

interface ScopedCaller {
  principal: Principal;
  clientAddress: string | null;
}

/**
 * Returns the error FORBIDDEN if a caller may not call a root field; null if it may. This is the only check of scopes,
 * for REST and GraphQL: nothing of the field, and no input of it, is processed before. Refusals are counted in the audit
 * log.
 */
export function checkScope(
  { principal, clientAddress }: ScopedCaller,
  field: GraphQLField<unknown, unknown>,
  services: Pick<Services, 'audit'>,
): AppError | null {
  const required = requiredScope(field);
  if (hasScope(principal.scope, required)) return null;
  const { session, keyId, keyPrefix, tenant } = principal;
  services.audit.countRefusal({
    customerId: tenant?.customerId ?? null,
    action: field.name,
    actor: { type: session ? 'session' : 'key', id: keyId, name: keyPrefix },
    clientAddress,
    requestId: null,
    target: { type: 'scope', id: required },
  });
  return missingScope(required);
}
