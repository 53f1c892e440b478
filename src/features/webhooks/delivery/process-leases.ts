import type { Clock } from '../../../platform/clock.ts';
import { issueLease, type Lease } from '../../../platform/leases/lease.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import { attemptLeaseMs, renewedLeaseTtlMs } from './lease.ts';
import type { LeasedUpdate } from './leased-updates.ts';
import type { ClaimedDelivery } from './queue.store.ts';
import type { ResultWriter } from './results.ts';
import { abandon, claim, hold, release } from './state.ts';
import {
  claimUpdate,
  type DeliveryUpdate,
  holdLeasedUpdate,
  releaseUpdate,
  renewalUpdate,
} from './state-updates.ts';

interface Deps {
  results: Pick<ResultWriter, 'write'>;
  clock: Clock;
  ttlMs: number;
  runtime: Pick<Runtime, 'newToken' | 'monotonicMs'>;
}

/** A lease of this process. */
export interface IssuedLease extends Lease {
  /** Its expiry as `Runtime.monotonicMs`: on a clock that is set back, the lease would seem to last longer. */
  heldUntilMs: number;
}

/** Creates the leases of one process on its deliveries: acquires and releases them, and writes updates under them. */
export function createProcessLeases({ results, clock, ttlMs, runtime }: Deps) {
  /**
   * Shared by all deliveries that this process leases at acceptance: a delivery is accepted once. Every other lease has a
   * token of its own, so that no two requests for a delivery have the same token.
   */
  const acceptanceToken = runtime.newToken();
  const issue = (token = runtime.newToken(), durationMs = ttlMs): IssuedLease => {
    const heldUntilMs = runtime.monotonicMs() + durationMs;
    return { ...issueLease(clock, durationMs, token), heldUntilMs };
  };
  const issueAtAcceptance = (): IssuedLease => issue(acceptanceToken);

  const underLease = (
    { _id: id, customerId, endpointId, lease, attempt, conversationId, isProbe = false }: ClaimedDelivery,
    update: DeliveryUpdate,
  ): LeasedUpdate => ({
    id,
    customerId,
    endpointId,
    token: lease ?? acceptanceToken,
    // After a failover, the result of attempt 1 is written or made again (`results.ts`). After attempt 5, the delivery would
    // fail instead. In an order, the next delivery is sent after the result, so no failover may undo it.
    durable: attempt > 1 || isProbe || conversationId !== undefined,
    update,
  });

  /** Writes an update under the lease of the delivery; resolves to false when the lease was lost. */
  const write = (delivery: ClaimedDelivery, update: DeliveryUpdate): Promise<boolean> =>
    results.write(underLease(delivery, update));

  return {
    issue,
    issueAtAcceptance,
    /** Issues the lease of the attempt that follows at once. */
    issueNext: ({ lease, attempt }: ClaimedDelivery): IssuedLease => issue(`${lease}.${attempt + 1}`),
    write,

    /** True if the lease of the delivery lasts for an attempt with this timeout that begins now. */
    lastsForAttempt({ dueAt, heldUntilMs = 0 }: ClaimedDelivery, timeoutMs: number): boolean {
      const neededMs = attemptLeaseMs(timeoutMs);
      return (
        (dueAt?.getTime() ?? 0) - clock.now().getTime() >= neededMs &&
        heldUntilMs - runtime.monotonicMs() >= neededMs
      );
    },

    /** Renews a lease for an attempt with this timeout; resolves to null when another process has claimed the delivery. */
    async renew<T extends ClaimedDelivery>(delivery: T, timeoutMs: number): Promise<T | null> {
      const lease = issue(delivery.lease, renewedLeaseTtlMs(timeoutMs));
      const update = renewalUpdate(delivery, lease);
      if (!(await write(delivery, update))) return null;
      return { ...delivery, ...update.$set, heldUntilMs: lease.heldUntilMs };
    },

    /** Acquires the lease of a new delivery; resolves to null when another process has claimed the delivery. */
    async acquire(delivery: ClaimedDelivery): Promise<ClaimedDelivery | null> {
      const claimed = claim({ attempt: delivery.attempt, manual: null });
      const hasError = delivery.error !== null;
      const lease = issueAtAcceptance();
      const update = claimUpdate(claimed, { hasError, now: clock.now(), lease });
      const acquired = await results.write({ ...underLease(delivery, update), acquires: true });
      return acquired
        ? { ...delivery, ...update.$set, heldUntilMs: lease.heldUntilMs, wasDueAt: delivery.dueAt }
        : null;
    },

    /**
     * Returns a delivery to the queue without an attempt; any process may claim it from `dueAt` on. By default it keeps
     * its place in the queue. `error` is the reason if the request failed before it could reach the receiver.
     */
    release(
      delivery: ClaimedDelivery,
      {
        dueAt = delivery.wasDueAt ?? clock.now(),
        error = null,
      }: { dueAt?: Date; error?: string | null } = {},
    ): Promise<boolean> {
      const { attempt, manual = null, isProbe } = delivery;
      return write(delivery, releaseUpdate(release({ attempt, manual, isProbe }), dueAt, error));
    },

    /** Holds back a delivery before its attempt begins; it keeps its place. */
    hold(delivery: ClaimedDelivery): Promise<boolean> {
      const { attempt, manual = null, isProbe, wasDueAt = clock.now() } = delivery;
      return write(delivery, holdLeasedUpdate(hold(), release({ attempt, manual, isProbe }), wasDueAt));
    },

    /** Returns the updates that release the leases of deliveries whose attempts did not end; these attempts count. */
    abandonment(deliveries: Iterable<ClaimedDelivery>): LeasedUpdate[] {
      const update = releaseUpdate(abandon(), clock.now());
      return Array.from(deliveries, (delivery) => underLease(delivery, update));
    },
  };
}
