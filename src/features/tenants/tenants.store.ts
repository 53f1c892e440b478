import { LRUCache } from 'lru-cache';
import type { Model } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';
import type { TenantDoc } from './tenants.model.ts';
import type { Tenant } from './tenants.types.ts';

/** What is cached of a tenant never changes, so the cache needs no invalidation; suspensions have their own. */
const CACHED_TENANTS = 20_000;

const toTenant = ({ customerId, orgId, name, verifyEndpoints, createdAt }: TenantDoc): Tenant => ({
  customerId,
  orgId,
  name,
  ...(verifyEndpoints && { verifyEndpoints }),
  createdAt,
});

export function tenantStore({ Tenant: TenantModel }: { Tenant: Model<TenantDoc> }) {
  const cache = new LRUCache<number, Tenant>({ max: CACHED_TENANTS });

  async function find(customerId: number): Promise<Tenant | null> {
    const cached = cache.get(customerId);
    if (cached) return cached;
    const found = await TenantModel.findOne({ customerId }).lean<TenantDoc>();
    if (!found) return null;
    const tenant = toTenant(found);
    cache.set(customerId, tenant);
    return tenant;
  }

  return {
    insert: async (tenant: Tenant): Promise<void> => {
      await TenantModel.create(tenant);
    },
    find,
    /** Returns the suspended tenants by customer id. */
    async suspended(): Promise<ReadonlyMap<number, Date>> {
      const found = await TenantModel.find({ suspendedAt: { $exists: true } })
        .select({ _id: 0, customerId: 1, suspendedAt: 1 })
        .lean<Required<Pick<TenantDoc, 'customerId' | 'suspendedAt'>>[]>();
      return new Map(found.map(({ customerId, suspendedAt }) => [customerId, suspendedAt]));
    },
    /** Sets the time of suspension, unless the tenant is suspended already, or removes it with null. */
    async setSuspended(customerId: number, at: Date | null): Promise<void> {
      await TenantModel.updateOne(
        { customerId, ...(at && { suspendedAt: { $exists: false } }) },
        at ? { $set: { suspendedAt: at } } : { $unset: { suspendedAt: 1 } },
      );
    },
    /** @throws AppError `NOT_FOUND` */
    async get(customerId: number): Promise<Tenant> {
      const tenant = await find(customerId);
      if (!tenant) throw new AppError('NOT_FOUND', `Customer ${customerId} does not exist.`);
      return tenant;
    },
    /** @param range.before a customer id; null to begin with the highest */
    list: async ({ before, limit }: { before: number | null; limit: number }): Promise<Tenant[]> => {
      const rows = await TenantModel.find(before === null ? {} : { customerId: { $lt: before } })
        .sort({ customerId: -1 })
        .limit(limit)
        .lean<TenantDoc[]>();
      return rows.map(toTenant);
    },
  };
}

export type TenantStore = ReturnType<typeof tenantStore>;
