import { AppError, invalid } from '../../errors.ts';
import type { TenantService } from '../../features/tenants/tenants.service.ts';
import type { Principal, Tenant } from '../../features/tenants/tenants.types.ts';
import type { Exchange } from '../exchange.ts';

const HEADER = 'X-Customer-Id';
const POSITIVE_INT = /^[1-9]\d{0,9}$/;
const INT32_MAX = 2 ** 31 - 1;

/** Reads an id as addresses and headers write it; null when it is no positive 32-bit integer. */
export function parseIntId(text: string): number | null {
  const id = POSITIVE_INT.test(text) ? Number(text) : 0;
  return id > 0 && id <= INT32_MAX ? id : null;
}

// The same words for a tenant that is not there and one that is another's.
const unknown = () => new AppError('NOT_FOUND', 'There is no such customer.');

/**
 * Finds the tenant that a request acts for (contract 3). A tenant's key acts for its own and may say so;
 * an admin key has to name one, in the path or in `X-Customer-Id`.
 *
 * The error is returned, not thrown: it counts only where tenant data is meant, and where that is,
 * its place is after the checks of the body.
 *
 * @param inPath the path's customer id, as it came; undefined where the path has none
 */
export async function resolveTenant(
  x: Exchange,
  principal: Principal,
  tenants: TenantService,
  inPath: string | undefined,
): Promise<Tenant | AppError> {
  try {
    const tenant = await named(x, principal, tenants, inPath);
    x.customerId = tenant.customerId;
    return tenant;
  } catch (error) {
    if (error instanceof AppError) return error.code === 'NOT_FOUND' ? unknown() : error;
    throw error;
  }
}

async function named(
  { req }: Exchange,
  { tenant: own }: Principal,
  tenants: TenantService,
  inPath: string | undefined,
): Promise<Tenant> {
  const header = req.headers['x-customer-id'];
  const inHeader = typeof header === 'string' ? header : undefined;
  if (own) {
    const names = (text: string | undefined) => text === undefined || parseIntId(text) === own.customerId;
    if (names(inPath) && names(inHeader)) return own;
    throw unknown();
  }
  if (inPath !== undefined) {
    const id = parseIntId(inPath);
    if (id === null) throw unknown();
    const tenant = await tenants.get(id);
    if (inHeader !== undefined && parseIntId(inHeader) !== id) {
      throw invalid(HEADER, 'Must name the same customer as the path, or be left out.');
    }
    return tenant;
  }
  if (inHeader === undefined)
    throw invalid(HEADER, 'Is required: an admin key names the customer that it acts for.');
  const id = parseIntId(inHeader);
  if (id === null) throw invalid(HEADER, 'Must be a customer id.');
  return tenants.get(id);
}
