import { AppError } from '../../errors/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { cursorCodec, isInteger } from '../../platform/cursor.ts';
import { type Page, type PageRequest, readPage } from '../../platform/list-page.ts';
import { duplicateKeyOf } from '../../platform/mongo/duplicate-key.ts';
import type { Suspensions } from './suspensions.ts';
import type { TenantStore } from './tenants.store.ts';
import type { Tenant } from './tenants.types.ts';

interface Deps {
  tenants: TenantStore;
  suspensions: Suspensions;
  clock: Clock;
}

export interface NewTenant {
  /** Positive 32-bit integer. */
  customerId: number;
  orgId: string;
  name: string;
  /** Verifies new URLs of its webhook endpoints; false by default. */
  verifyEndpoints?: boolean | null;
}

export function tenantService({ tenants, suspensions, clock }: Deps) {
  const cursor = cursorCodec(['tenants'], isInteger);

  return {
    /**
     * Creates a tenant.
     *
     * @throws AppError `CONFLICT` if the customer id or the organization id is in use
     */
    async create({ verifyEndpoints, ...input }: NewTenant): Promise<Tenant> {
      const tenant: Tenant = {
        ...input,
        ...(verifyEndpoints && { verifyEndpoints }),
        createdAt: clock.now(),
      };
      try {
        await tenants.insert(tenant);
      } catch (error) {
        const field = duplicateKeyOf(error);
        if (field === null) throw error;
        const existing = field === 'orgId' ? `orgId ${input.orgId}` : `customerId ${input.customerId}`;
        throw new AppError('CONFLICT', `A customer with the ${existing} already exists; use another value.`);
      }
      return tenant;
    },

    /** @throws AppError `NOT_FOUND` */
    get: (customerId: number): Promise<Tenant> => tenants.get(customerId),

    /** Returns the time at which a tenant was suspended; null if it is not. */
    suspendedAt: ({ customerId }: Pick<Tenant, 'customerId'>): Promise<Date | null> =>
      suspensions.suspendedAt(customerId),

    /** @throws AppError `CUSTOMER_SUSPENDED` */
    requireActive: (customerId: number): Promise<void> => suspensions.require(customerId),

    /**
     * Suspends a tenant; once this resolves, every process refuses its keys. A repetition changes nothing.
     *
     * @throws AppError `NOT_FOUND`
     */
    async suspend(customerId: number): Promise<Tenant> {
      const tenant = await tenants.get(customerId);
      await suspensions.set(customerId, clock.now());
      return tenant;
    },

    /** Lifts the suspension of a tenant; a repetition changes nothing. @throws AppError `NOT_FOUND` */
    async resume(customerId: number): Promise<Tenant> {
      const tenant = await tenants.get(customerId);
      await suspensions.set(customerId, null);
      return tenant;
    },

    /** Lists all tenants by customer id, highest first. */
    list: (page: PageRequest): Promise<Page<Tenant>> =>
      readPage(page, {
        cursor,
        read: (before, limit) => tenants.list({ before, limit }),
        positionOf: ({ customerId }) => customerId,
        toNode: (tenant) => tenant,
      }),
  };
}

export type TenantService = ReturnType<typeof tenantService>;
