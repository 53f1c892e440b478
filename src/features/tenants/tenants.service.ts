import { AppError } from '../../errors/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { cursorCodec, isInteger } from '../../platform/cursor.ts';
import { type Page, type PageRequest, readPage } from '../../platform/list-page.ts';
import { duplicateKeyOf } from '../../platform/mongo/duplicate-key.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { Suspensions } from './suspensions.ts';
import type { TenantStore } from './tenants.store.ts';
import type { Tenant } from './tenants.types.ts';

interface Deps {
  tenants: TenantStore;
  suspensions: Suspensions;
  /** Returns true for the id of a deleted customer, which has a receipt and an audit log. */
  wasDeleted: (customerId: number) => Promise<boolean>;
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

/** Creates, lists, suspends and resumes tenants. */
export function tenantService({ tenants, suspensions, wasDeleted, clock }: Deps) {
  const cursor = cursorCodec(['tenants'], isInteger);

  /** @throws AppError `NOT_FOUND`; `CUSTOMER_SUSPENDED` if it is being deleted */
  async function get(customerId: number): Promise<Tenant> {
    const tenant = await tenants.get(customerId);
    await suspensions.requireNotDeleted(customerId);
    return tenant;
  }

  return {
    /**
     * Creates a tenant.
     *
     * @throws AppError `CONFLICT` if the customer id or the organization id is in use, or the customer id was that of a
     *   deleted customer, whose receipt and audit log a new one must not inherit
     */
    async create({ verifyEndpoints, ...input }: NewTenant): Promise<Tenant> {
      const tenant: Tenant = {
        ...input,
        ...(verifyEndpoints && { verifyEndpoints }),
        createdAt: clock.now(),
      };
      if (await wasDeleted(input.customerId))
        throw new AppError(
          'CONFLICT',
          `The customer with the customerId ${input.customerId} was deleted, and its id is not used again; use another value.`,
        );
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

    get,

    /** Returns the time at which a tenant was suspended; null if it is not. */
    suspendedAt: ({ customerId }: TenantRef): Promise<Date | null> => suspensions.suspendedAt(customerId),

    /** Returns the time at which the deletion of a tenant began; null if it is not being deleted. */
    deletionStartedAt: ({ customerId }: TenantRef): Promise<Date | null> =>
      suspensions.deletionStartedAt(customerId),

    /** @throws AppError `CUSTOMER_SUSPENDED` */
    requireActive: (customerId: number): Promise<void> => suspensions.require(customerId),

    /**
     * Suspends a tenant; once this resolves, every process refuses its keys. A repetition changes nothing.
     *
     * @throws AppError `NOT_FOUND`
     */
    async suspend(customerId: number): Promise<Tenant> {
      const tenant = await get(customerId);
      await suspensions.set(customerId, clock.now());
      return tenant;
    },

    /** Lifts the suspension of a tenant; a repetition changes nothing. @throws AppError `NOT_FOUND` */
    async resume(customerId: number): Promise<Tenant> {
      const tenant = await get(customerId);
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
