import { AppError, invalid } from '../../errors/app-error.ts';
import type { TenantService } from '../../features/tenants/tenants.service.ts';
import type { Principal, Tenant } from '../../features/tenants/tenants.types.ts';
import { parsePositiveInt32 } from '../positive-int32.ts';
import type { RequestScope } from '../request-scope.ts';

const HEADER = 'X-Customer-Id';

// The same message for a customer that does not exist and one that the key has no access to.
const noSuchCustomer = () => new AppError('NOT_FOUND', 'The customer does not exist.');

interface ResolveOptions {
  principal: Principal;
  tenants: TenantService;
  /** Customer id in the path, as sent; undefined if the path has none. */
  pathId: string | undefined;
}

/**
 * Resolves the tenant that a request acts for (contract 3). A tenant's key acts for its own tenant and may name it;
 * an admin key must name one, in the path or in `X-Customer-Id`.
 *
 * Returns null if an admin key names none, and an AppError instead of throwing it: either is an error only of operations
 * that use tenant data, and only after the checks of the body.
 */
export async function resolveTenant(
  scope: RequestScope,
  options: ResolveOptions,
): Promise<Tenant | AppError | null> {
  const { principal, tenants, pathId } = options;
  const headerId = sentId(scope);
  if (!principal.tenant && pathId === undefined && headerId === undefined) return null;
  try {
    const tenant = principal.tenant
      ? ownTenant(principal.tenant, [pathId, headerId])
      : await tenants.get(requestedId(pathId, headerId));
    if (
      pathId !== undefined &&
      headerId !== undefined &&
      parsePositiveInt32(headerId) !== tenant.customerId
    ) {
      throw differs();
    }
    scope.customerId = tenant.customerId;
    return tenant;
  } catch (error) {
    if (error instanceof AppError) return error.code === 'NOT_FOUND' ? noSuchCustomer() : error;
    throw error;
  }
}

/**
 * Checks `X-Customer-Id` where the path names the customer that an admin key changes, which it does not act for: the
 * customer may be one that is being deleted, or was.
 * @throws AppError VALIDATION_FAILED if the two differ
 */
export function requireSameTarget(scope: RequestScope, target: string): void {
  const headerId = sentId(scope);
  if (headerId !== undefined && parsePositiveInt32(headerId) !== parsePositiveInt32(target)) throw differs();
}

/** Returns `X-Customer-Id` as sent; undefined if it is absent. */
function sentId({ req }: RequestScope): string | undefined {
  const header = req.headers['x-customer-id'];
  return typeof header === 'string' ? header : undefined;
}

const differs = (): AppError => invalid(HEADER, 'Must match the customer id in the path.');

/** @throws AppError NOT_FOUND if one of the ids is not the tenant's */
function ownTenant(tenant: Tenant, ids: (string | undefined)[]): Tenant {
  for (const id of ids) {
    if (id !== undefined && parsePositiveInt32(id) !== tenant.customerId) throw noSuchCustomer();
  }
  return tenant;
}

/** Returns the error of an operation on tenant data for an admin key that names no tenant. */
export const unnamedTenant = (): AppError => invalid(HEADER, 'Is required with an admin key.');

/** Returns the customer id that an admin key names. @throws AppError NOT_FOUND, VALIDATION_FAILED */
function requestedId(pathId: string | undefined, headerId: string | undefined): number {
  if (pathId !== undefined) {
    const id = parsePositiveInt32(pathId);
    if (id === null) throw noSuchCustomer();
    return id;
  }
  const id = parsePositiveInt32(headerId ?? '');
  if (id === null) throw invalid(HEADER, 'Must be a customer id: a positive 32-bit integer.');
  return id;
}
