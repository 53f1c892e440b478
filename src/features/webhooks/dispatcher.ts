import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Tracing } from '../../platform/tracing/tracing.ts';
import { createAttempt } from './attempt.ts';
import { createClaims } from './claims.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import type { EndpointStore } from './endpoints.store.ts';
import type { Finisher } from './finisher.ts';
import { createLocalQueue } from './local-queue.ts';
import type { DeliveryObserver } from './observer.ts';
import type { ClaimedDelivery, QueueStore } from './queue.store.ts';
import { leaseMs, type RetryDelays } from './schedule.ts';
import type { SecretBox } from './secrets.ts';
import { cancellation, handBack, type Settlement, settle, withoutRetry } from './settle.ts';
import type { SlotOutcome, Slots } from './slots.ts';
import type { EndpointDoc, Lane } from './webhooks.model.ts';

export interface DispatcherDeps {
  queue: QueueStore;
  endpoints: EndpointStore;
  finisher: Finisher;
  health: EndpointHealth;
  slots: Slots;
  secrets: SecretBox;
  outbound: OutboundClient;
  observer: DeliveryObserver;
  tracing: Tracing | null;
  clock: Clock;
  log: Logger;
  timeoutMs: number;
  delays: RetryDelays;
  random?: () => number;
}

/** Results that may wait to be written before attempts wait for them. */
const MAX_UNWRITTEN = 2_000;

/**
 * Makes the attempts of one process. Deliveries come in three ways: accepted here with a free slot (`start`),
 * accepted here without one (`enqueue`), or claimed from the database when they are due (`pump`).
 */
export function createDispatcher(deps: DispatcherDeps) {
  const { queue, endpoints, finisher, health, slots, observer, clock, log, delays } = deps;
  const random = deps.random ?? Math.random;
  /** Of deliveries that are leased as they are accepted. */
  const token = randomUUID();
  const lease = leaseMs(deps.timeoutMs);
  const attempt = createAttempt(deps);
  /** Accepted here without a lease: whoever has a slot first takes it. */
  const local = createLocalQueue();
  /** Accepted here with a lease, a moment before its turn. */
  const leased = createLocalQueue();
  const running = new Map<Promise<void>, ClaimedDelivery>();
  let stopping = false;
  let feeding = false;

  const leaseEnd = (): Date => new Date(clock.now().getTime() + lease);
  const claims = createClaims({ queue, slots, clock, random, isHere: local.has, leaseEnd, start });

  /** Runs a delivery whose lease and slot this process has. */
  function start(delivery: ClaimedDelivery, lane: Lane): void {
    let held = true;
    const release = (outcome: SlotOutcome): void => {
      if (held) slots.give(delivery.endpointId, lane, outcome);
      held = false;
    };
    const run = deliver(delivery, release)
      .catch((error: unknown) => {
        log.error(
          { err: error, deliveryId: delivery._id.toHexString() },
          'delivery broke off; its lease will run out',
        );
        release('unused');
      })
      .finally(() => {
        running.delete(run);
        refill();
      });
    running.set(run, delivery);
  }

  /** @param release gives the slot back; more than once does no harm */
  async function deliver(claimed: ClaimedDelivery, release: (outcome: SlotOutcome) => void): Promise<void> {
    let delivery = claimed;
    const write = (change: Settlement['change']): Promise<boolean> =>
      finisher.write({ id: claimed._id, token: claimed.lease ?? token, change });
    for (;;) {
      const endpoint = await endpoints.current(delivery.endpointId);
      if (!endpoint?.enabled || delivery.payload === null) {
        release('unused');
        await write(cancellation(delivery, clock.now()));
        return;
      }
      const result = await attempt(delivery, delivery.payload, endpoint);
      note(endpoint, result.error === null);
      const { change, again, gone } = await unlessDisabled(
        endpoint.id,
        settle(delivery, result, { now: clock.now(), delays, random: random(), leaseEnd: leaseEnd() }),
      );
      if (!again) release(result.error === null ? 'succeeded' : 'failed');
      if (change.$set?.status === 'succeeded' || change.$set?.status === 'failed')
        observer.onFinished(change.$set.status);
      const written = write(change);
      if (gone) await written.then(() => health.gone(endpoint.id));
      if (!again) {
        if (finisher.backlog() > MAX_UNWRITTEN) await written;
        return;
      }
      if (!(await written)) return release('failed');
      if (stopping) {
        release('failed');
        await write(handBack(delivery.attempt, clock.now()));
        return;
      }
      delivery = { ...delivery, attempt: delivery.attempt + 1 };
    }
  }

  function note(endpoint: EndpointDoc, succeeded: boolean): void {
    if (succeeded) health.succeeded(endpoint.id, endpoint.failures > 0);
    else health.failed(endpoint.id);
  }

  /** Nothing more is scheduled for an endpoint that was switched off while the attempt was under way. */
  async function unlessDisabled(endpointId: number, settlement: Settlement): Promise<Settlement> {
    if (settlement.change.$set?.dueAt === undefined) return settlement;
    const endpoint = await endpoints.current(endpointId);
    return endpoint?.enabled ? settlement : withoutRetry(settlement, clock.now());
  }

  /** A slot may be free: first for what was accepted here, then for what is due in the database. */
  function refill(): void {
    if (stopping) return;
    if (leased.size() > 0) beginLeased();
    if (local.size() > 0 && !feeding) {
      feeding = true;
      setImmediate(() => {
        feeding = false;
        void feedLocal();
      });
    }
    if (claims.expects() && slots.available() > 0)
      claims.pump().catch((error: unknown) => log.warn({ err: error }, 'claiming deliveries failed'));
  }

  /** Starts what is leased already, as far as there are slots; what has waited too long for its lease is given back. */
  function beginLeased(): void {
    const latest = clock.now().getTime() + 2 * deps.timeoutMs;
    for (const delivery of leased.take(slots.begin)) {
      if ((delivery.dueAt?.getTime() ?? 0) > latest) {
        start(delivery, 'inline');
        continue;
      }
      slots.give(delivery.endpointId, 'inline', 'unused');
      unlease(delivery);
    }
  }

  /** Gives back a delivery that was leased here and not begun. */
  function unlease({ _id: id, manual }: ClaimedDelivery): void {
    const now = clock.now();
    const change = manual ? { $set: { dueAt: now }, $unset: { lease: '' as const } } : handBack(0, now);
    void finisher.write({ id, token, change });
  }

  /** Takes the leases of what waits in memory, as far as there are slots, and starts what it got. */
  async function feedLocal(): Promise<void> {
    const at = leaseEnd();
    const waiting = local.take((endpointId) => slots.take(endpointId, 'inline'));
    await Promise.all(
      waiting.map(async (delivery) => {
        const leased = { attempt: 1, lease: token, dueAt: at };
        const { _id: id } = delivery;
        const got = await finisher.write({ id, token, takes: true, change: { $set: leased } });
        if (got && !stopping) return start({ ...delivery, ...leased }, 'inline');
        slots.give(delivery.endpointId, 'inline', 'unused');
        refill();
        if (got) unlease(delivery);
      }),
    );
  }

  /** What has not finished in time is for others to take at once. */
  async function giveBack(): Promise<void> {
    const dueAt = clock.now();
    const left = [...running.values()].map(({ _id, lease }) => ({
      id: _id,
      token: lease ?? token,
      change: { $set: { dueAt }, $unset: { lease: '' as const } },
    }));
    if (left.length > 0) await queue.apply(left);
  }

  return {
    token,
    leaseEnd,

    /** Allows a delivery that is about to be committed to be leased in the same write. */
    reserve: (endpointId: number): boolean => !stopping && slots.reserve(endpointId),
    release: (endpointId: number): void => slots.unreserve(endpointId),
    /** Deliveries accepted here that wait for their turn. */
    waiting: (): number => local.size() + leased.size(),
    /** Starts a delivery that was reserved and is committed, as soon as it is its turn. */
    start(delivery: ClaimedDelivery): void {
      if (!stopping && leased.add(delivery)) {
        beginLeased();
        return;
      }
      slots.unreserve(delivery.endpointId);
      unlease(delivery);
    },
    /** Remembers a committed delivery that has no lease; when memory is full the database alone remembers it. */
    enqueue(delivery: ClaimedDelivery): void {
      if (!local.add(delivery)) claims.expect();
      refill();
    },

    /** Something is due in the database. */
    wake(): void {
      claims.expect();
      refill();
    },

    /** Claims what is due; called by the clock in every worker. */
    pump: claims.pump,

    /** Stops taking, lets what runs finish, and gives back what has not finished in time. */
    async drain(graceMs: number): Promise<void> {
      stopping = true;
      local.clear();
      for (const delivery of leased.clear()) unlease(delivery);
      await claims.stop();
      const finished = (async () => {
        while (running.size > 0) await Promise.allSettled(running.keys());
        await finisher.idle();
      })();
      const late = await Promise.race([finished.then(() => false), sleep(graceMs, true, { ref: false })]);
      if (late) await giveBack();
      await health.flush();
    },
  };
}

export type Dispatcher = ReturnType<typeof createDispatcher>;
