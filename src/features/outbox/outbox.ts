import type { Connection } from 'mongoose';
import type { TenantLimit } from '../../limits/tenant-limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Committer, createCommitter } from '../../platform/commit/committer.ts';
import type { CommitOptions } from '../../platform/commit/idempotency/idempotent-commit.ts';
import type { Committed, Insertion, Plan } from '../../platform/commit/unit-of-work.ts';
import type { Logger } from '../../platform/logger.ts';
import type { WriteOutage } from '../../platform/mongo/outages.ts';
import { WriteUnconfirmed } from '../../platform/mongo/unavailable.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { Tracing } from '../../platform/tracing/tracing.ts';
import type { CommitOrder } from './commit-order.ts';
import type { EventName } from './event-catalog.ts';
import { storedType } from './event-type.ts';
import type { FilteredOut, PlannedDelivery } from './outbox-event.model.ts';
import type { OutboxEventStore } from './outbox-event.store.ts';
import type { OutboxEvent } from './outbox-event.ts';
import { PUBLICATION_LIMIT_MS } from './publication-limits.ts';

/** The deliveries that a group of events causes, planned before the commit. */
export interface FanOutPlan<D extends PlannedDelivery> {
  /** The documents of the deliveries. */
  insertions: Insertion[];
  /** Deliveries of each event, in the order of the events. */
  deliveries: D[][];
  /** Endpoints whose filter leaves out the event, for each event. */
  filteredOut: FilteredOut[][];
  /** Starts the first attempts; called once events and deliveries are durable. */
  committed(): void;
  /** Releases what the plan had reserved; called when the commit failed. */
  aborted(): void;
}

/** Plans the deliveries of events; implemented by the webhooks feature. */
export type FanOut<D extends PlannedDelivery> = (events: OutboxEvent[], now: Date) => Promise<FanOutPlan<D>>;

interface OutboxCommitOptions extends CommitOptions {
  /** Tenant whose rows are committed; null if they belong to several tenants. */
  tenant: TenantRef | null;
}

/**
 * Commits units of work together with the events they publish (transactional outbox).
 *
 * @typeParam D a delivery, as the fan-out describes it
 */
export interface Outbox<D = PlannedDelivery> {
  /**
   * Commits a unit of work: durable, with all of its events and deliveries, or not at all.
   *
   * @throws whatever `plan` throws, a duplicate-key error of the unit's own writes, or AppError `CONFLICT`, which
   *   refuses events beyond the tenant's limit as well
   */
  commit<T>(plan: Plan<OutboxEvent, T>, options: OutboxCommitOptions): Promise<Committed<T, D[]>>;
}

interface OutboxDeps<D extends PlannedDelivery> {
  connection: Connection;
  events: OutboxEventStore;
  fanOut: FanOut<D>;
  /** Receives the stored type of every committed event. */
  onEvent: (event: EventName) => void;
  order: Pick<CommitOrder, 'during'>;
  clock: Clock;
  log: Logger;
  tracing: Tracing | null;
  outages: WriteOutage;
  /** Limits the stored events of each tenant; null for no limit. */
  limit: TenantLimit | null;
  runtime?: Runtime;
}

/** Creates the outbox of a process; it joins concurrent units of work into one commit. */
export function createOutbox<D extends PlannedDelivery>(
  deps: OutboxDeps<D>,
): Outbox<D> & Pick<Committer<OutboxEvent, D[]>, 'backlog' | 'idle'> {
  const {
    connection,
    events: store,
    fanOut,
    onEvent,
    order,
    clock,
    log,
    tracing,
    outages,
    limit,
    runtime,
  } = deps;
  const committer = createCommitter<OutboxEvent, D[]>({
    connection,
    log,
    tracing,
    outages,
    ...(runtime && { runtime }),
    tenantOf: ({ tenant }) => tenant.customerId,
    async expand(events) {
      // First: once deliveries are planned, they hold slots.
      const insertionOf = await store.insertions(events);
      const now = clock.now();
      const { insertions, deliveries, filteredOut, committed, aborted } = await fanOut(events, now);
      const planned = (index: number): PlannedDelivery[] =>
        (deliveries[index] ?? []).map(({ _id, endpointId }) => ({ _id, endpointId }));
      return {
        events: events.map((event, index) =>
          insertionOf(event, {
            createdAt: now,
            deliveries: planned(index),
            filteredOut: filteredOut[index] ?? [],
          }),
        ),
        derived: insertions,
        effects: deliveries,
        requireInTime() {
          const earliest = clock.now().getTime() - PUBLICATION_LIMIT_MS;
          if (events.some(({ id }) => id.getTimestamp().getTime() < earliest)) throw new WriteUnconfirmed();
        },
        committed() {
          for (const { event } of events) onEvent(storedType(event).event);
          committed();
        },
        aborted,
      };
    },
  });

  /** Plans a unit whose events count toward the limit of the tenant. */
  function limited<T>(plan: Plan<OutboxEvent, T>, tenant: TenantRef | null): Plan<OutboxEvent, T> {
    if (!limit || !tenant) return plan;
    const reserve = limit.reservation(tenant);
    return async () => {
      const unit = await plan();
      await reserve(unit.events.length);
      return unit;
    };
  }

  return {
    ...committer,
    commit: (plan, { tenant, idempotency }) =>
      order.during(tenant, () => {
        const limitedPlan = limited(plan, tenant);
        return idempotency ? idempotency.run(limitedPlan, committer.commit) : committer.commit(limitedPlan);
      }),
  };
}
