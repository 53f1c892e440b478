import { setTimeout as sleep } from 'node:timers/promises';
import type { Model } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';
import type { Clock } from '../clock.ts';
import { duplicateKeyOf } from '../mongo/duplicate-key.ts';
import type { TenantRef } from '../tenant-ref.ts';
import { documentLease, holdLease, type Lease } from './lease.ts';
import type { TenantLeaseDoc } from './tenant-lease.model.ts';

/** Lease TTL in milliseconds: how long the next work waits after a process was killed. */
const TTL_MS = 5_000;
/** Longer than the TTL, so that the lease of a killed process expires in time. Milliseconds. */
const ACQUIRE_TIMEOUT_MS = TTL_MS + 1_000;
const ACQUIRE_INTERVAL_MS = 250;

interface HoldOptions {
  /** False to fail at once while another process holds the lease; by default, that of a killed process is awaited. */
  waits?: boolean;
  /** Messages of the `CONFLICT` while other work is running, and after the lease was lost. */
  messages: { running: string; lost: string };
}

/** A tenant's lease that this process holds until it is disposed of or lost. */
export interface HeldTenantLease extends AsyncDisposable {
  /** Called before each step of the work. @throws AppError `CONFLICT` once the lease may be lost */
  requireHeld(): void;
  /**
   * The same for work that does no harm beside other work: a lease that could not be renewed in time, which no other process
   * has acquired, is renewed again.
   */
  ensureHeld(): Promise<void>;
}

/** Stores one lease per tenant. */
export function tenantLeaseStore(model: Model<TenantLeaseDoc>, clock: Clock) {
  const lease = documentLease({ token: 'token', expiresAt: 'expiresAt', ttlMs: TTL_MS, clock });

  /** Returns null if another process holds the lease. */
  async function tryAcquire({ customerId }: TenantRef): Promise<Lease | null> {
    const acquired = lease.acquire();
    try {
      await model.updateOne({ _id: customerId, ...lease.expired() }, { $set: acquired }, { upsert: true });
      return acquired;
    } catch (error) {
      // A held lease does not match, so the upsert tries to insert a second document.
      if (duplicateKeyOf(error) === null) throw error;
      return null;
    }
  }

  async function acquire(tenant: TenantRef, { waits = true, messages }: HoldOptions): Promise<Lease> {
    const deadline = performance.now() + (waits ? ACQUIRE_TIMEOUT_MS : 0);
    for (;;) {
      const acquired = await tryAcquire(tenant);
      if (acquired) return acquired;
      if (performance.now() > deadline) throw new AppError('CONFLICT', messages.running);
      await sleep(ACQUIRE_INTERVAL_MS);
    }
  }

  /** Returns false if another process has acquired the lease. */
  async function renew({ customerId }: TenantRef, { token }: Lease): Promise<boolean> {
    const { matchedCount } = await model.updateOne(
      { _id: customerId, ...lease.heldBy(token) },
      { $set: lease.acquire(token) },
    );
    return matchedCount === 1;
  }

  return {
    /** Returns true while a process works under the lease of a tenant, and for the TTL after it was killed. */
    isHeld: async ({ customerId }: TenantRef): Promise<boolean> =>
      (await model.exists({ _id: customerId, $nor: [lease.expired()] })) !== null,

    /** Acquires the lease of a tenant and renews it in the background. @throws AppError `CONFLICT` */
    async hold(tenant: TenantRef, options: HoldOptions): Promise<HeldTenantLease> {
      const acquired = await acquire(tenant, options);
      const { lost } = options.messages;
      const start = () =>
        holdLease({
          ttlMs: TTL_MS,
          renew: () => renew(tenant, acquired),
          // If the database is unreachable, the work itself reports it.
          onError: () => {},
        });
      let held = start();
      return {
        requireHeld() {
          if (!held.isHeld()) throw new AppError('CONFLICT', lost);
        },
        async ensureHeld() {
          if (held.isHeld()) return;
          held[Symbol.dispose]();
          if (!(await renew(tenant, acquired))) throw new AppError('CONFLICT', lost);
          held = start();
        },
        async [Symbol.asyncDispose]() {
          held[Symbol.dispose]();
          await model
            .updateOne({ _id: tenant.customerId, ...lease.heldBy(acquired.token) }, lease.release())
            .catch(() => {});
        },
      };
    },
  };
}

export type TenantLeaseStore = ReturnType<typeof tenantLeaseStore>;
