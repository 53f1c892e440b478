import { LRUCache } from 'lru-cache';
import type { Model } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';
import type { DeletionState, TenantDoc } from './tenants.model.ts';
import type { Tenant } from './tenants.types.ts';

/** Maximum age of a cached tenant in milliseconds; less than `SETTLE_MS` of its deletion. */
export const TENANT_TTL_MS = 60_000;

/**
 * The cached fields of a tenant never change until it is removed, so the cache needs no invalidation; suspensions have their
 * own. A tenant that is being deleted is not cached, and stays for longer than an entry: no process finds a removed one.
 */
const CACHED_TENANTS = { max: 20_000, ttl: TENANT_TTL_MS };

/** A suspended tenant. */
export type SuspendedTenant = Required<Pick<TenantDoc, 'suspendedAt'>> & Pick<TenantDoc, 'deletion'>;

const toTenant = ({ customerId, orgId, name, verifyEndpoints, createdAt }: TenantDoc): Tenant => ({
  customerId,
  orgId,
  name,
  ...(verifyEndpoints && { verifyEndpoints }),
  createdAt,
});

export function tenantStore({ Tenant: TenantModel }: { Tenant: Model<TenantDoc> }) {
  const cache = new LRUCache<number, Tenant>(CACHED_TENANTS);

  async function find(customerId: number): Promise<Tenant | null> {
    const cached = cache.get(customerId);
    if (cached) return cached;
    const found = await TenantModel.findOne({ customerId }).lean<TenantDoc>();
    if (!found) return null;
    const tenant = toTenant(found);
    if (!found.deletion) cache.set(customerId, tenant);
    return tenant;
  }

  return {
    insert: async (tenant: Tenant): Promise<void> => {
      await TenantModel.create(tenant);
    },
    find,
    /** Returns the suspended tenants by customer id. */
    async suspended(): Promise<ReadonlyMap<number, SuspendedTenant>> {
      const found = await TenantModel.find({ suspendedAt: { $exists: true } })
        .select({ _id: 0, customerId: 1, suspendedAt: 1, deletion: 1 })
        .lean<(SuspendedTenant & Pick<TenantDoc, 'customerId'>)[]>();
      return new Map(found.map(({ customerId, ...suspended }) => [customerId, suspended]));
    },
    /** Sets the time of suspension, unless the tenant is suspended already; null removes it, unless the tenant is being deleted. */
    async setSuspended(customerId: number, at: Date | null): Promise<void> {
      await TenantModel.updateOne(
        { customerId, [at ? 'suspendedAt' : 'deletion']: { $exists: false } },
        at ? { $set: { suspendedAt: at } } : { $unset: { suspendedAt: 1 } },
      );
    },
    /** Marks a tenant as being deleted, and suspends it; a repetition changes nothing. */
    async startDeletion(customerId: number, deletion: DeletionState): Promise<void> {
      await TenantModel.updateOne(
        { customerId, deletion: { $exists: false } },
        [{ $set: { deletion, suspendedAt: { $ifNull: ['$suspendedAt', deletion.startedAt] } } }],
        { updatePipeline: true },
      );
      cache.delete(customerId);
    },
    /** Holds the deliveries of a tenant that is being deleted. Returns null if the tenant is removed already. */
    async startRemoval(customerId: number, removingSince: Date): Promise<DeletionState | null> {
      await TenantModel.updateOne(
        { customerId, 'deletion.removingSince': { $exists: false } },
        { $set: { 'deletion.removingSince': removingSince } },
      );
      const found = await TenantModel.findOne({ customerId }).lean<TenantDoc>();
      return found?.deletion ?? null;
    },
    remove: async (customerId: number): Promise<void> => {
      await TenantModel.deleteOne({ customerId });
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
