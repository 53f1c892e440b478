import { isProxyError } from '../../../outbound/outbound-errors.ts';
import type { OutboundProxy } from '../../../outbound/proxy.ts';
import type { Clock } from '../../../platform/clock.ts';
import { createKeyedCounter } from '../../../platform/keyed-counter.ts';
import type { Logger } from '../../../platform/logger.ts';
import { type Runtime, systemRuntime } from '../../../platform/runtime.ts';
import type { Tracing } from '../../../platform/tracing/tracing.ts';
import { SETTLED_AFTER_MS } from '../../outbox/publication-limits.ts';
import type { DeliveryObserver } from '../delivery-metrics.ts';
import type { AutoDisable } from '../endpoints/auto-disable.ts';
import { type EndpointDoc, hasSameTarget, timeoutMsOf } from '../endpoints/endpoint.model.ts';
import type { EndpointStore } from '../endpoints/endpoint.store.ts';
import type { EndpointCredentials, EndpointSecrets } from '../endpoints/endpoint-secrets.ts';
import type { ResultCounter } from '../statistics/result-counter.ts';
import { createSendAttempt, type SendableDelivery } from './attempt.ts';
import type { SendToEndpoint } from './endpoint-requests.ts';
import type { Gates } from './gate.ts';
import { leaseTtlMs } from './lease.ts';
import { createMemoryQueue } from './memory-queue.ts';
import type { DeliveryOrder } from './order.ts';
import { createPoller, OVERDUE_AFTER_MS } from './poller.ts';
import { createProcessLeases, type IssuedLease } from './process-leases.ts';
import type { ClaimedDelivery, QueueStore } from './queue.store.ts';
import type { ResultWriter } from './results.ts';
import type { RetryDelays, RetryPolicy } from './retry-policy.ts';
import type { SlotOutcome, SlotOwner, Slots } from './slots.ts';
import {
  type AttemptResult,
  cancel,
  discard,
  hasNextAttempt,
  isExhausted,
  isGone,
  type Lane,
  type SettleOutcome,
  settle,
  withoutRetry,
} from './state.ts';
import { cancelUpdate, discardUpdate, settleUpdate } from './state-updates.ts';

export interface DispatcherDeps {
  queue: QueueStore;
  endpoints: Pick<EndpointStore, 'current'>;
  results: ResultWriter;
  autoDisable: AutoDisable;
  resultCounter: ResultCounter;
  slots: Slots;
  gates: Gates;
  order: DeliveryOrder;
  secrets: EndpointSecrets;
  sendToEndpoint: SendToEndpoint;
  proxy: Pick<OutboundProxy, 'pauseMs'> | null;
  observer: DeliveryObserver;
  tracing: Tracing | null;
  clock: Clock;
  log: Logger;
  timeoutMs: number;
  publicUrl: string;
  delays: RetryDelays;
  runtime?: Runtime;
}

/** A success that takes longer than this share of the timeout is slow. */
const SLOW_SHARE = 0.2;
/**
 * Unwritten results of an endpoint, as a multiple of its slots. With more, an attempt holds its slot until its own result
 * is written: a crash repeats the deliveries with unwritten results. A smaller multiple would
 * make a busy endpoint wait for the writes.
 */
const UNWRITTEN_PER_SLOT = 3;
/** The same for all endpoints of the process together. */
const MAX_UNWRITTEN = 2_000;

/** Endpoint that receives an attempt, and its decrypted credentials. */
type Target =
  | { endpoint: EndpointDoc; credentials: EndpointCredentials }
  | { endpoint: null; credentials: null };

/** Upper bound of the random number of a request: large enough to be unique among the attempts of a delivery. */
const MAX_REQUEST = 2 ** 48;

/** Time after which a delivery whose event is not stored yet is claimed again. */
const UNPUBLISHED_PAUSE_MS = 1_000;
/** Time after which a delivery whose attempt could not begin is claimed again. */
const NOT_BEGUN_PAUSE_MS = 5_000;
/** Bounds of the pauses of a delivery whose payload is encrypted under a key that is missing. */
const MISSING_KEY_PAUSE_MS = { shortest: 5_000, longest: 10 * 60_000 };

/**
 * Returns a pause of half the time since the last attempt: a key that was removed may never return, and its deliveries must
 * not load the queue.
 */
function missingKeyPauseMs({ lastAttemptAt, createdAt }: ClaimedDelivery, now: Date): number {
  const { shortest, longest } = MISSING_KEY_PAUSE_MS;
  const elapsedMs = now.getTime() - (lastAttemptAt ?? createdAt).getTime();
  return Math.min(Math.max(elapsedMs / 2, shortest), longest);
}

/** Returns true for a delivery without an event, unless retention has removed the event. */
const isUnpublished = ({ payload, unreadable, lastAttemptAt, manual }: ClaimedDelivery): boolean =>
  payload === null && !unreadable && lastAttemptAt === null && !manual;

const isPayloadKept = (delivery: ClaimedDelivery): delivery is SendableDelivery => delivery.payload !== null;

/**
 * Makes the delivery attempts of one process. Deliveries reach it in three ways: accepted here with a reserved slot
 * (`start`), accepted here without one (`enqueue`), or claimed from the database when they are due (`poll`).
 */
export function createDispatcher(deps: DispatcherDeps) {
  const {
    queue,
    endpoints,
    results,
    autoDisable,
    resultCounter,
    slots,
    gates,
    order,
    secrets,
    observer,
    clock,
    log,
  } = deps;
  const runtime = deps.runtime ?? systemRuntime;
  const policy: RetryPolicy = { delays: deps.delays, random: runtime.random };
  const leases = createProcessLeases({
    results,
    clock,
    runtime,
    ttlMs: leaseTtlMs(deps.timeoutMs),
  });
  const sendAttempt = createSendAttempt(deps);
  /**
   * Accepted or claimed here. A leased delivery waits a few milliseconds for its slot. Any process may claim one without a
   * lease from the database.
   */
  const queued = createMemoryQueue();
  /** Attempts in progress, each with its delivery under its current lease. */
  const running = new Map<Promise<void>, () => ClaimedDelivery>();
  /** Unwritten results, by endpoint, whose slots are released. */
  const unwritten = createKeyedCounter();
  let stopping = false;
  /** Cancels the poll that `watchDatabase` has scheduled; null if there is none. */
  let cancelWatch: (() => void) | null = null;

  const slotOutcome = ({ error, durationMs }: AttemptResult): SlotOutcome => {
    if (error !== null) return 'failed';
    return durationMs > SLOW_SHARE * deps.timeoutMs ? 'slow' : 'succeeded';
  };
  const poller = createPoller({
    queue,
    slots,
    gates,
    order,
    clock,
    log,
    runtime,
    issueLease: leases.issue,
    oldestInMemory: queued.oldestUnleased,
    start,
    startWhenFree: startReserved,
    onSlotsFree: startQueued,
    onGateOpens: requestPoll,
    onInterrupted: autoDisable.interrupted,
  });

  /** Runs a delivery for which this process holds the lease and a slot. */
  function start(delivery: ClaimedDelivery, lane: Lane): void {
    let holdsSlot = true;
    const releaseSlot = (outcome: SlotOutcome): void => {
      if (holdsSlot) slots.release(delivery, lane, outcome);
      holdsSlot = false;
    };
    let current = delivery;
    const run = deliver(delivery, releaseSlot, (next) => {
      current = next;
    })
      .catch((error: unknown) => {
        log.error(
          { err: error, deliveryId: delivery._id.toHexString() },
          'delivery failed unexpectedly; it is retried when its lease expires',
        );
        releaseSlot('unused');
      })
      .finally(() => {
        running.delete(run);
        fillSlots(delivery.customerId);
      });
    running.set(run, () => current);
  }

  /**
   * Makes an attempt, and a second one at once after a failed first one.
   *
   * @param releaseSlot releases the slot; idempotent
   * @param onNext receives the delivery under the lease of the attempt that follows
   */
  async function deliver(
    claimed: ClaimedDelivery,
    releaseSlot: (outcome: SlotOutcome) => void,
    onNext: (delivery: ClaimedDelivery) => void,
  ): Promise<void> {
    for (let delivery = claimed; ; ) {
      const releaseNotBegun = (): void => releaseSlot(delivery === claimed ? 'unused' : 'failed');
      // Before the endpoint is read: an attempt uses the endpoint as of its beginning.
      if (!(await isNextInOrder(delivery, releaseNotBegun))) return;
      const target = await targetOf(delivery);
      const lacksKey = target?.endpoint && delivery.unreadable === 'unknown_key';
      if (target === null || lacksKey) {
        releaseSlot('unused');
        await requeueAfter(
          delivery,
          lacksKey ? missingKeyPauseMs(delivery, clock.now()) : NOT_BEGUN_PAUSE_MS,
        );
        return;
      }
      const { endpoint, credentials } = target;
      if (isUnpublished(delivery)) {
        releaseSlot('unused');
        return postpone(delivery);
      }
      if (endpoint === null || !isPayloadKept(delivery)) {
        releaseSlot('unused');
        await endWithoutAttempt(delivery, endpoint);
        return advance(delivery);
      }
      const leased = await admitted(delivery, endpoint, releaseNotBegun);
      if (leased === null) return;
      // `drain` may have released the lease while the attempt waited for the database.
      if (stopping) {
        releaseNotBegun();
        await leases.release(leased);
        return;
      }
      const result = await sendAttempt(leased, endpoint, credentials);
      if (deps.proxy && isProxyError(result.error)) {
        releaseSlot('unused');
        await leases.release(leased, { dueAt: inMs(deps.proxy.pauseMs()), error: result.error });
        return;
      }
      if (result.error === null) recordSuccess(endpoint);
      else autoDisable.failed(endpoint, { deliveryId: delivery._id, error: result.error });
      const settled = await settleWith(delivery, result, endpoint);
      const { isProbe = false } = delivery;
      const lease = leases.issueNext(delivery);
      const update = settleUpdate(settled, {
        result,
        manual: delivery.manual !== undefined,
        probedDueAt: isProbe ? (delivery.wasDueAt ?? clock.now()) : undefined,
        request: Math.floor(runtime.random() * MAX_REQUEST),
        now: clock.now(),
        lease,
      });
      const written = leases.write(delivery, update);
      const attempted = delivery;
      void written.then((applied) => {
        resultCounter.count(attempted, { result, settled, applied });
        const { finishedAt } = update.$set ?? {};
        if (applied && isExhausted(settled) && finishedAt)
          autoDisable.exhausted(endpoint, { createdAt: attempted.createdAt, finishedAt });
      });
      const isLast = settled.outcome !== 'attempt_again';
      if (isLast) {
        await slotReleasable(delivery, written);
        releaseSlot(slotOutcome(result));
      }
      if (settled.outcome === 'succeeded' || settled.outcome === 'failed')
        observer.onFinished(settled.outcome);
      if (isGone(result)) await written.then(() => autoDisable.gone(endpoint));
      if (isProbe && result.error !== null) await autoDisable.probeFailed(endpoint, result.error);
      if (isLast) return hasNextAttempt(settled) ? undefined : advance(delivery, written);
      if (!(await written)) return releaseSlot('failed');
      delivery = { ...delivery, ...update.$set, heldUntilMs: lease.heldUntilMs, admitted: false };
      onNext(delivery);
    }
  }

  /** Cancels a delivery whose endpoint is disabled or whose event is removed; fails one whose payload is unreadable. */
  async function endWithoutAttempt(delivery: ClaimedDelivery, endpoint: EndpointDoc | null): Promise<void> {
    const state = { manual: delivery.manual ?? null };
    if (endpoint === null || !delivery.unreadable) {
      await leases.write(delivery, cancelUpdate(cancel(state), clock.now()));
      return;
    }
    const discarded = discard(state);
    await leases.write(delivery, discardUpdate(discarded, clock.now()));
    if (discarded.outcome === 'failed') observer.onFinished('failed');
  }

  /** Counts a success. If the circuit of the endpoint is open, closes it, and then claims its other deliveries. */
  function recordSuccess(endpoint: EndpointDoc): void {
    autoDisable.succeeded(endpoint);
    if (!endpoint.circuit) return;
    autoDisable.flush().then(
      () => wake(endpoint.customerId),
      (error: unknown) => log.warn({ err: error }, 'failed to close the circuit of an endpoint'),
    );
  }

  /**
   * Resolves when the attempt may release its slot: at once while few results are unwritten, so that the next attempt
   * does not wait for the write.
   */
  async function slotReleasable({ endpointId }: ClaimedDelivery, written: Promise<boolean>): Promise<void> {
    const isBacklogged = results.backlog() > MAX_UNWRITTEN;
    const close = isBacklogged
      ? null
      : unwritten.open(String(endpointId), UNWRITTEN_PER_SLOT * slots.perEndpoint);
    if (close) void written.then(close);
    else await written;
  }

  /**
   * Returns the delivery under a lease that lasts for an attempt, once its endpoint admits the attempt. Otherwise it releases
   * the delivery and its slot, and returns null; if that cannot be found out, the delivery is due again after a pause.
   */
  async function admitted(
    delivery: SendableDelivery,
    endpoint: EndpointDoc,
    releaseSlot: () => void,
  ): Promise<SendableDelivery | null> {
    // Before a permit is taken: a delivery that has waited for too long would waste it.
    const leased = await leasedForAttempt(delivery, endpoint, releaseSlot);
    if (leased === null || !gates.isSteered(endpoint)) return leased;
    const isAdmitted = await gates.mayBegin(endpoint, leased).catch(() => null);
    if (isAdmitted) return leasedForAttempt(leased, endpoint, releaseSlot);
    releaseSlot();
    queued.removeUnleased(leased);
    if (isAdmitted === null) {
      await requeueAfter(leased, NOT_BEGUN_PAUSE_MS);
      return null;
    }
    await leases.release(leased);
    poller.pollWhenOpen(endpoint);
    return null;
  }

  /**
   * Returns the delivery under a lease that lasts for an attempt. It renews the lease for an attempt that may take longer
   * than usual. Otherwise it releases a delivery that has waited for too long, for the database, its renewal included, or for
   * a slot, and its slot, and returns null.
   */
  async function leasedForAttempt(
    delivery: SendableDelivery,
    endpoint: EndpointDoc,
    releaseSlot: () => void,
  ): Promise<SendableDelivery | null> {
    const timeoutMs = timeoutMsOf(endpoint, deps.timeoutMs);
    if (leases.lastsForAttempt(delivery, timeoutMs)) return delivery;
    const held = timeoutMs > deps.timeoutMs ? await leases.renew(delivery, timeoutMs) : delivery;
    if (held && leases.lastsForAttempt(held, timeoutMs)) return held;
    releaseSlot();
    if (held === null) return null;
    await leases.release(held);
    poller.markBacklogged(delivery.customerId);
    return null;
  }

  /**
   * Returns whether the delivery is the next of its conversation. Otherwise it releases the slot, and holds the delivery
   * back; or requeues it, if that cannot be found out.
   */
  async function isNextInOrder(delivery: ClaimedDelivery, releaseSlot: () => void): Promise<boolean> {
    if (delivery.conversationId === undefined) return true;
    const isNext = await order.isNext(delivery).catch(() => null);
    if (isNext) return true;
    releaseSlot();
    if (isNext === null) await requeueAfter(delivery, NOT_BEGUN_PAUSE_MS);
    else await advance(delivery, leases.hold(delivery));
    return false;
  }

  /** Makes the next delivery of a conversation due, once the end of this one is written, or that it is held. */
  async function advance(delivery: ClaimedDelivery, written?: Promise<unknown>): Promise<void> {
    if (delivery.conversationId === undefined) return;
    // Its slot is free.
    fillSlots(delivery.customerId);
    await written;
    if (!(await order.advance([delivery]))) return;
    poller.markBacklogged(delivery.customerId);
    fillSlots(delivery.customerId);
  }

  /** Releases a delivery whose attempt cannot begin at present; any process may claim it after the pause. */
  const requeueAfter = (delivery: ClaimedDelivery, pauseMs: number): Promise<boolean> =>
    leases.release(delivery, { dueAt: inMs(pauseMs) });

  const inMs = (pauseMs: number): Date => new Date(clock.now().getTime() + pauseMs);

  /**
   * Returns the endpoint of a delivery with its decrypted credentials: both null if it is disabled or deleted. Returns null
   * if the endpoint cannot be read, or this process lacks the key of its secrets.
   */
  async function targetOf(delivery: ClaimedDelivery): Promise<Target | null> {
    try {
      const endpoint = await endpoints.current(delivery);
      if (!endpoint?.enabled) return { endpoint: null, credentials: null };
      return { endpoint, credentials: secrets.credentialsOf(endpoint) };
    } catch (error) {
      const deliveryId = delivery._id.toHexString();
      log.warn({ err: error, deliveryId }, 'the attempt cannot begin; the delivery is requeued');
      return null;
    }
  }

  /**
   * Settles an attempt; schedules no further one if the endpoint was disabled while it was in flight.
   *
   * @param used the endpoint as the attempt has used it
   */
  async function settleWith(
    delivery: ClaimedDelivery,
    result: AttemptResult,
    used: EndpointDoc,
  ): Promise<SettleOutcome> {
    const { attempt, manual = null, isProbe } = delivery;
    // If the database is unreachable, the result is settled all the same, and written later.
    const current = result.error === null ? used : await endpoints.current(delivery).catch(() => used);
    const targetReplaced = current !== null && !hasSameTarget(current, used);
    const settled = settle({ attempt, manual, isProbe }, result, {
      now: clock.now(),
      policy,
      targetReplaced,
    });
    return current?.enabled || !hasNextAttempt(settled) ? settled : withoutRetry(settled);
  }

  /**
   * Requeues a delivery whose event is not stored yet: the two are inserted in parallel. After a crash the event may never
   * be stored. No client has a 201 for it, so the delivery is removed.
   */
  async function postpone(delivery: ClaimedDelivery): Promise<void> {
    if (clock.now().getTime() - delivery.createdAt.getTime() > SETTLED_AFTER_MS)
      return queue.removeLeased(delivery);
    await requeueAfter(delivery, UNPUBLISHED_PAUSE_MS);
  }

  /**
   * Fills free slots: first with deliveries accepted here, then with those due in the database.
   *
   * @param customerId tenant whose slot became free, or that has a new delivery
   */
  function fillSlots(customerId: number): void {
    if (stopping) return;
    if (queued.size() > 0) startQueued();
    if (poller.isBacklogged(customerId) && slots.hasRoom()) requestPoll();
  }

  /** Claims due deliveries of a tenant soon: some have just become due, or their gate has opened. */
  function wake(customerId: number): void {
    poller.markBacklogged(customerId);
    fillSlots(customerId);
  }

  /** Claims due deliveries in the background. */
  function requestPoll(): void {
    poller.poll().catch((error: unknown) => log.warn({ err: error }, 'failed to claim due deliveries'));
  }

  /** True if a first attempt of the endpoint without a lease is overdue: a later one must not go first. */
  function hasOverdue(owner: SlotOwner): boolean {
    const oldest = queued.oldestUnleased(owner);
    if (oldest !== null && clock.now().getTime() - oldest.getTime() > OVERDUE_AFTER_MS) return true;
    return poller.hasOverdue(owner);
  }

  /** While deliveries wait in memory, looks every second for older ones that only the database has. */
  function watchDatabase(): void {
    if (stopping || queued.size() === 0) return;
    cancelWatch ??= runtime.after(OVERDUE_AFTER_MS, () => {
      cancelWatch = null;
      requestPoll();
      watchDatabase();
    });
  }

  /** Starts a leased delivery with a reserved slot as soon as the slot is free. */
  function startReserved(delivery: ClaimedDelivery): void {
    if (!stopping) {
      queued.enqueueLeased(delivery);
      startQueued();
      return;
    }
    slots.cancelReservation(delivery);
    void leases.release(delivery);
  }

  /** Starts deliveries in the memory queue while slots are free. */
  function startQueued(): void {
    if (stopping) return;
    for (const delivery of queued.dequeue(acquireSlot)) {
      if (delivery.lease) start(delivery, 'inline');
      else void leaseAndStart(delivery);
    }
    watchDatabase();
  }

  const acquireSlot = (delivery: ClaimedDelivery): boolean =>
    delivery.lease ? slots.tryAcquireReserved(delivery) : slots.tryAcquire(delivery, 'inline');

  /** Acquires the lease of a delivery in the memory queue, and starts it in the slot acquired for it. */
  async function leaseAndStart(delivery: ClaimedDelivery): Promise<void> {
    const leased = await leases.acquire(delivery);
    if (leased && !stopping) return start(leased, 'inline');
    slots.release(delivery, 'inline', 'unused');
    fillSlots(delivery.customerId);
    if (leased) await leases.release(leased);
  }

  /** Releases the leases of attempts that did not end in time; these attempts count. */
  async function abandonRunning(): Promise<void> {
    const updates = leases.abandonment(Array.from(running.values(), (current) => current()));
    if (updates.length > 0) await queue.apply(updates);
  }

  return {
    /** Returns a lease for a delivery that this process accepts with a reserved slot. */
    newAcceptanceLease: leases.issueAtAcceptance,
    /** Returns a lease for a resend with a reserved slot. */
    newLease: (): IssuedLease => leases.issue(),
    /**
     * Reserves a slot for a delivery that is about to be committed; returns false when there is none.
     *
     * @param options.isAskedFor a client has asked for the attempt while the others wait for the circuit: it goes next
     */
    tryReserve: (owner: SlotOwner, { isAskedFor = false } = {}): boolean =>
      !stopping && (isAskedFor || !hasOverdue(owner)) && slots.tryReserve(owner, { overdue: isAskedFor }),
    cancelReservation: (owner: SlotOwner): void => slots.cancelReservation(owner),

    /** Starts a committed delivery with a reserved slot as soon as the slot is free. */
    start: startReserved,
    /** Queues a committed delivery without a lease; when the memory queue is full the poller finds it. */
    enqueue(delivery: ClaimedDelivery): void {
      if (!queued.enqueueUnleased(delivery)) poller.markBacklogged(delivery.customerId);
      fillSlots(delivery.customerId);
    },
    wake,
    /** Claims due deliveries; called by the scheduler in every worker. */
    poll: poller.poll,
    /** Number of deliveries accepted here that wait for a slot. */
    backlog: queued.size,

    /** Claims nothing more, waits for attempts in flight, and releases the leases of those that do not end in time. */
    async drain(graceMs: number): Promise<void> {
      stopping = true;
      cancelWatch?.();
      for (const delivery of queued.clear()) void leases.release(delivery);
      await poller.stop();
      const finished = (async () => {
        while (running.size > 0) await Promise.allSettled(running.keys());
        await results.idle();
      })();
      const timedOut = await Promise.race([
        finished.then(() => false),
        runtime.sleep(graceMs, { ref: false }).then(() => true),
      ]);
      if (timedOut) await abandonRunning();
      results.stop();
      await Promise.all([autoDisable.flush(), resultCounter.flushAll()]);
    },
  };
}

export type Dispatcher = ReturnType<typeof createDispatcher>;
