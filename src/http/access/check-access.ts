import type { GraphQLField } from 'graphql';
import { requiredAccess } from '../../../schema/required-access.ts';
import type { AppError } from '../../errors/app-error.ts';
import { countRefusal } from '../../features/audit/refusals.ts';
import type { Services } from '../../features/services.ts';
import { hasResource, hasScope, missingResource, missingScope } from '../../features/tenants/scopes.ts';
import type { Principal } from '../../features/tenants/tenants.types.ts';
import type { KeyResource } from '../../shared/key-limits.ts';

interface CallerWithAccess {
  principal: Principal;
  clientAddress: string | null;
}

/** A root field as a request calls it. */
interface CalledField {
  field: GraphQLField<unknown, unknown>;
  /** Resources of the edges that the call follows. */
  edges: readonly KeyResource[];
}

/**
 * Returns the error FORBIDDEN if a caller may not call a root field; null if it may. This is the only check of scopes and
 * resources, for REST and GraphQL: nothing of the field, and no input of it, is processed before. Refusals are counted in
 * the audit log.
 */
export function checkAccess(
  { principal, clientAddress }: CallerWithAccess,
  { field, edges }: CalledField,
  services: Pick<Services, 'audit'>,
): AppError | null {
  const { scope, resource } = requiredAccess(field);
  const refuse = (target: { type: string; id: string }): void =>
    countRefusal(services.audit, { principal, clientAddress, action: field.name, target });
  if (!hasScope(principal.scope, scope)) {
    refuse({ type: 'scope', id: scope });
    return missingScope(scope);
  }
  const missing = [resource, ...edges].find((required) => !hasResource(principal.resources, required));
  if (missing === undefined) return null;
  refuse({ type: 'resource', id: missing });
  return missingResource(missing);
}
