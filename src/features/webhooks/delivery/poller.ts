import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import { shuffled } from '../../../platform/shuffled.ts';
import { PROBED_IN_TURN } from '../endpoints/circuit.ts';
import type { EndpointDoc, ExhaustedDeliveries } from '../endpoints/endpoint.model.ts';
import type { Gates } from './gate.ts';
import type { DeliveryOrder } from './order.ts';
import type { IssuedLease } from './process-leases.ts';
import type { Candidate, ClaimedDelivery, DueBacklog, QueueStore } from './queue.store.ts';
import { type ByTenant, serveInTurn } from './round-robin.ts';
import type { SlotOwner, Slots } from './slots.ts';
import { isInterrupted, type Lane } from './state.ts';

interface Deps {
  queue: Pick<QueueStore, 'endpointsDue' | 'candidates' | 'rewind' | 'claim'>;
  slots: Slots;
  gates: Pick<Gates, 'find' | 'closedHere' | 'admit' | 'beginProbe'>;
  order: Pick<DeliveryOrder, 'areBlocked' | 'hold' | 'advance'>;
  clock: Clock;
  log: Logger;
  runtime: Pick<Runtime, 'random' | 'monotonicMs' | 'after'>;
  /** Issues a lease with a token of its own. */
  issueLease: () => IssuedLease;
  /** Due time of the next delivery of an endpoint without a lease in the memory queue; null if there is none. */
  oldestInMemory: (owner: SlotOwner) => Date | null;
  /** Receives each claimed delivery for which a slot is acquired. */
  start: (delivery: ClaimedDelivery, lane: Lane) => void;
  /** Receives each claimed delivery for which a slot is reserved: it starts as soon as the slot is free. */
  startWhenFree: (delivery: ClaimedDelivery) => void;
  /** Called when slots that a claim had acquired are free again: deliveries in memory may have been refused one. */
  onSlotsFree: () => void;
  /** Called when the gate of an endpoint opens. */
  onGateOpens: () => void;
  /** Receives the deliveries of an endpoint that a claim ends as failed, because their last attempt was interrupted. */
  onInterrupted: (owner: SlotOwner, exhausted: ExhaustedDeliveries) => void;
}

/** An endpoint with a due delivery and an open gate. */
interface DueEndpoint extends DueBacklog {
  /** Null if it was deleted or cannot be read. */
  endpoint: EndpointDoc | null;
}

/** An endpoint with an open circuit whose next probe is due, and the lane of its oldest due delivery. */
interface DueProbe extends DueBacklog {
  endpoint: EndpointDoc;
  lane: Lane;
}

/** Number of deliveries of one endpoint that a claim may take. */
interface Quota extends DueEndpoint {
  /** Slots that are acquired for the claim. */
  acquired: number;
  /** Slots that are reserved for the claim. */
  reserved: number;
}

/** A delivery that has been due for longer is overdue: later ones must not start before it (contract 6). Milliseconds. */
export const OVERDUE_AFTER_MS = 1_000;
/** Shortest time between two polls for endpoints whose gate opens. Milliseconds. */
const MIN_PAUSE_MS = 50;
/** Deliveries that a claim reads of an endpoint with an order, where some may wait for earlier ones of their conversations. */
const ORDERED_LOOK_AHEAD = 100;
/** Endpoints per claim. A tenant has 50 at most, so a claim reads many tenants. */
const MAX_ENDPOINTS_READ = 1_000;

/**
 * Claims due deliveries from the database while slots are free. It also reserves slots for some first attempts, so that no
 * slot is idle while the next claim is in progress.
 */
export function createPoller(deps: Deps) {
  const { queue, slots, gates, order, clock, log, runtime, issueLease, oldestInMemory } = deps;
  const { start, startWhenFree, onSlotsFree, onGateOpens, onInterrupted } = deps;
  let stopped = false;
  let polling: Promise<void> | null = null;
  /** Tenants with due deliveries in the database that were not claimed. */
  const backlog = new Set<number>();
  /** True when a free slot of any tenant is worth a claim: the process is full, or more endpoints are due than were read. */
  let needsAnySlot = false;
  /** Time of the next call of `onGateOpens`, as `Runtime.monotonicMs`; null if none is scheduled. */
  let scheduled: { atMs: number; cancel: () => void } | null = null;
  /** True when `poll` was called during a poll. */
  let pollAgain = false;
  /** Due time of the oldest first attempt in the database, by endpoint, where it is overdue; as of the last claim. */
  let overdue = new Map<number, Date>();
  /** Endpoints with an overdue retry, as of the last claim. */
  let overdueRetries: DueBacklog[] = [];
  /** Last endpoint read by the previous claim in the lane; null if that was the last one due. */
  const lastRead: Record<Lane, number | null> = { inline: null, scheduled: null };

  /** Probes that the current poll has found due, by endpoint. */
  const dueProbes = new Map<number, DueProbe>();
  /** Probes that are being claimed, by endpoint. */
  const probing = new Map<number, Promise<void>>();

  function markBacklogged(customerId: number): void {
    backlog.add(customerId);
    needsAnySlot ||= slots.available() === 0;
  }

  /** Reads the endpoints with a due delivery, from where the previous claim ended. */
  async function readDue(lane: Lane, now: Date): Promise<DueBacklog[]> {
    const after = lastRead[lane];
    const page = await queue.endpointsDue({ lane, now, after, limit: MAX_ENDPOINTS_READ });
    const isLast = page.length < MAX_ENDPOINTS_READ;
    lastRead[lane] = isLast ? null : (page.at(-1)?.endpointId ?? null);
    if (!isLast) pollAgain = true;
    if (!isLast || after !== null) needsAnySlot = true;
    const late = page.filter((due) => isOverdue(due, now));
    if (lane === 'scheduled') {
      overdueRetries = late;
      return page;
    }
    overdue = new Map(late.map(({ endpointId, oldestDueAt }) => [endpointId, oldestDueAt]));
    return page.filter(isBeforeMemory);
  }

  const isOverdue = ({ oldestDueAt }: DueBacklog, now: Date): boolean =>
    now.getTime() - oldestDueAt.getTime() > OVERDUE_AFTER_MS;

  /**
   * True if the next delivery of the endpoint is only in the database. Deliveries in memory are due in the database as
   * well, and the dispatcher starts them at less cost.
   */
  function isBeforeMemory(due: DueBacklog): boolean {
    const next = oldestInMemory(due);
    return next === null || due.oldestDueAt.getTime() + OVERDUE_AFTER_MS < next.getTime();
  }

  /**
   * Returns the endpoints with an open gate: the quota of the others is 0. A disabled endpoint has none: the dispatcher
   * cancels its deliveries.
   */
  async function atOpenGates(due: DueBacklog[], lane: Lane): Promise<DueEndpoint[]> {
    const found = await Promise.all(due.map(gates.find));
    return due.flatMap((backlog, index) => {
      const endpoint = found[index] ?? null;
      const gate = endpoint?.enabled ? gates.closedHere(endpoint) : null;
      if (!endpoint || !gate) return [{ ...backlog, endpoint }];
      const isProbeDue = gate.reason === 'circuit' && gate.until !== null && gate.until <= clock.now();
      if (isProbeDue) noteProbe({ ...backlog, endpoint, lane });
      else pollAt(gate.until);
      return [];
    });
  }

  /** Notes a due probe; of two lanes, the one with the older delivery is probed. */
  function noteProbe(due: DueProbe): void {
    const known = dueProbes.get(due.endpointId);
    if (!known || due.oldestDueAt < known.oldestDueAt) dueProbes.set(due.endpointId, due);
  }

  /** Claims the due probes in the background: the change of an endpoint can wait for other processes. */
  function claimProbes(): void {
    for (const [endpointId, due] of dueProbes) {
      if (probing.has(endpointId) || !slots.tryAcquire(due, due.lane)) continue;
      const claimed = claimProbe(due)
        .catch((error: unknown) => {
          log.warn({ err: error, endpointId }, 'failed to claim a probe');
          return false;
        })
        .then((isStarted) => {
          probing.delete(endpointId);
          if (isStarted) return;
          slots.release(due, due.lane, 'unused');
          onSlotsFree();
        });
      probing.set(endpointId, claimed);
    }
    dueProbes.clear();
  }

  /** Claims one of the oldest deliveries of an endpoint as a probe and starts it; returns false if it did not. */
  async function claimProbe({ endpoint, lane, ...owner }: DueProbe): Promise<boolean> {
    const { customerId, endpointId } = owner;
    queue.rewind(lane, endpointId);
    const wanted = endpoint.ordering === 'conversation' ? ORDERED_LOOK_AHEAD : PROBED_IN_TURN;
    const due = await queue.candidates(lane, [{ customerId, endpointId, slots: wanted }], clock.now());
    queue.rewind(lane, endpointId);
    const candidates = (await withoutBlocked(due)).slice(0, PROBED_IN_TURN);
    const candidate = candidates[(endpoint.circuit?.failedProbes ?? 0) % candidates.length];
    if (!candidate || stopped) return false;
    // Issued before the probe begins, so that the lease ends before the next one may.
    const lease = issueLease();
    if (!(await gates.beginProbe(endpoint, lease))) return false;
    const [claimed] = await claimFrom([candidate], lease, { isProbe: true });
    if (claimed) start({ ...claimed, heldUntilMs: lease.heldUntilMs, admitted: true }, lane);
    return claimed !== undefined;
  }

  /** Schedules a call of `onGateOpens`, unless an earlier one is scheduled. @param until null if the time is unknown */
  function pollAt(until: Date | null): void {
    if (until === null || stopped) return;
    const inMs = Math.max(MIN_PAUSE_MS, until.getTime() - clock.now().getTime());
    const atMs = runtime.monotonicMs() + inMs;
    if (scheduled && scheduled.atMs <= atMs) return;
    scheduled?.cancel();
    const cancel = runtime.after(inMs, () => {
      scheduled = null;
      onGateOpens();
    });
    scheduled = { atMs, cancel };
  }

  /** Polls when the gate of an endpoint opens, if that time is known. */
  const pollWhenOpen = (endpoint: EndpointDoc): void => pollAt(gates.closedHere(endpoint)?.until ?? null);

  /** Acquires or reserves slots for due endpoints: round robin, from a random tenant and endpoint on. */
  function acquireSlots(due: DueEndpoint[], lane: Lane, now: Date): Quota[] {
    const quotas = shuffled(due, runtime.random).map((owner) => ({ ...owner, acquired: 0, reserved: 0 }));
    const tenants: ByTenant<Quota> = new Map();
    for (const quota of quotas) {
      const endpoints = tenants.get(quota.customerId) ?? new Map<number, Quota>();
      tenants.set(quota.customerId, endpoints.set(quota.endpointId, quota));
    }
    serveInTurn(tenants, (quota) => {
      if (slots.tryAcquire(quota, lane)) quota.acquired += 1;
      else if (tryReserve(quota, lane, now)) quota.reserved += 1;
      else return 'refused';
      return 'served';
    });
    return quotas.filter(({ acquired, reserved }) => acquired + reserved > 0);
  }

  function tryReserve(due: DueEndpoint, lane: Lane, now: Date): boolean {
    if (lane === 'inline')
      return slots.tryReserve(due, { overdue: isOverdue(due, now), atMost: maxReserved(due.endpoint) });
    return isOverdue(due, now) && isBeforeFirstAttempts(due) && slots.tryReserveForRetry(due);
  }

  /** True if a retry is due before the first attempts of its endpoint that wait for a slot. */
  const isBeforeFirstAttempts = (retry: DueBacklog): boolean =>
    [oldestInMemory(retry), overdue.get(retry.endpointId)].every(
      (first) => !first || retry.oldestDueAt < first,
    );

  function releaseUnused(quotas: Iterable<Quota>, lane: Lane): void {
    for (const quota of quotas) {
      for (let i = 0; i < quota.acquired; i += 1) slots.release(quota, lane, 'unused');
      for (let i = 0; i < quota.reserved; i += 1) slots.cancelReservation(quota);
    }
  }

  /** Reads the oldest due deliveries of each endpoint: within its quota, or more where an order may hold some back. */
  async function readCandidates(quotas: Quota[], lane: Lane, now: Date): Promise<Candidate[]> {
    const read = (some: Quota[], atLeast: number): Promise<Candidate[]> | [] => {
      const wanted = some.map(({ acquired, reserved, ...owner }) => ({
        ...owner,
        slots: Math.max(atLeast, acquired + reserved),
      }));
      return wanted.length === 0 ? [] : queue.candidates(lane, wanted, now);
    };
    const { ordered = [], unordered = [] } = Object.groupBy(quotas, ({ endpoint }) =>
      endpoint?.ordering === 'conversation' ? 'ordered' : 'unordered',
    );
    return (await Promise.all([read(unordered, 0), read(ordered, ORDERED_LOOK_AHEAD)])).flat();
  }

  /** Returns the candidates that wait for no earlier delivery of their conversation; the others leave the queue. */
  async function withoutBlocked(candidates: Candidate[]): Promise<Candidate[]> {
    const areBlocked = await order.areBlocked(candidates);
    const blocked = candidates.filter((_, index) => areBlocked[index]);
    if (blocked.length === 0) return candidates;
    await order.hold(blocked);
    await order.advance(blocked);
    return candidates.filter((_, index) => !areBlocked[index]);
  }

  /**
   * Returns the candidates that their endpoints admit, the oldest of each, within the quotas. Those with a reserved slot take
   * their permits of a rate limit when they begin.
   */
  async function admitted(candidates: Candidate[], quotas: Quota[], lane: Lane): Promise<Candidate[]> {
    const byId = new Map(quotas.map((quota) => [quota.endpointId, quota]));
    const byEndpoint = Map.groupBy(candidates, ({ endpointId }) => endpointId);
    const groups = Array.from(byEndpoint, async ([endpointId, found]) => {
      const { endpoint = null, acquired = 0, reserved = 0 } = byId.get(endpointId) ?? {};
      if (!endpoint?.enabled) {
        // The dispatcher cancels them. More than the quota is read of an endpoint with an order.
        if (found.length > acquired + reserved) queue.rewind(lane, endpointId);
        return found.slice(0, acquired + reserved);
      }
      const wanted = Math.min(found.length, acquired);
      const begun = await gates.admit(endpoint, wanted);
      const isOpen = begun === wanted && gates.closedHere(endpoint) === null;
      const count = isOpen ? Math.min(found.length, acquired + reserved) : begun;
      if (count === found.length) return found;
      queue.rewind(lane, endpointId);
      pollWhenOpen(endpoint);
      return found.slice(0, count);
    });
    return (await Promise.all(groups)).flat();
  }

  /** Claims candidates; those with an interrupted last attempt fail instead. */
  async function claimFrom(candidates: Candidate[], lease: IssuedLease, options: { isProbe?: boolean } = {}) {
    const now = clock.now();
    const claimed = await queue.claim(candidates, lease, { now, ...options });
    const byEndpoint = Map.groupBy(candidates.filter(isInterrupted), ({ endpointId }) => endpointId);
    for (const [endpointId, interrupted] of byEndpoint) {
      const [{ customerId }] = interrupted as [Candidate];
      const createdSince = new Date(Math.min(...interrupted.map(({ createdAt }) => createdAt.getTime())));
      const { length: count } = interrupted;
      onInterrupted({ customerId, endpointId }, { count, createdSince, finishedSince: now });
    }
    return claimed;
  }

  /**
   * Claims within quotas, starts what was claimed, and releases the other slots. Returns the number of deliveries that were
   * claimed or held back.
   */
  async function claim(quotas: Quota[], lane: Lane, now: Date): Promise<number> {
    const unused = new Map(quotas.map((quota) => [quota.endpointId, { ...quota }]));
    try {
      const due = await readCandidates(quotas, lane, now);
      const next = await withoutBlocked(due);
      const heldBack = due.length - next.length;
      const candidates = await admitted(next, quotas, lane);
      if (candidates.length === 0 || stopped) return heldBack;
      // A token per claim, so that two claims of this process never mix.
      const lease = issueLease();
      const claimed = await claimFrom(candidates, lease);
      for (const found of claimed) {
        const delivery = { ...found, heldUntilMs: lease.heldUntilMs };
        const quota = unused.get(delivery.endpointId);
        if (quota && quota.acquired === 0) {
          quota.reserved -= 1;
          startWhenFree(delivery);
        } else {
          if (quota) quota.acquired -= 1;
          start({ ...delivery, admitted: true }, lane);
        }
      }
      if (claimed.length < candidates.length) await order.advance(notClaimed(candidates, claimed));
      return claimed.length + heldBack;
    } finally {
      releaseUnused(unused.values(), lane);
      onSlotsFree();
    }
  }

  /** Claims once in a lane; returns the number of deliveries that were claimed or held back. */
  async function claimLane(lane: Lane): Promise<number> {
    const now = clock.now();
    const due = await atOpenGates(await readDue(lane, now), lane);
    const quotas = acquireSlots(due, lane, now);
    // Marked before the claim: a slot that becomes free meanwhile is used for the rest.
    for (const { customerId } of due) markBacklogged(customerId);
    return quotas.length === 0 ? 0 : claim(quotas, lane, now);
  }

  /**
   * Claims the overdue retries of rate-limited endpoints whose turn it is, before the first attempts, which would take every
   * permit. Returns their number.
   */
  async function claimRetriesInTurn(): Promise<number> {
    const found = await Promise.all(overdueRetries.map(gates.find));
    const quotas = overdueRetries
      .map((due, index) => ({ ...due, endpoint: found[index] ?? null, acquired: 0, reserved: 0 }))
      .filter(({ endpoint }) => endpoint?.rateLimit && !gates.closedHere(endpoint))
      .filter(isBeforeFirstAttempts);
    for (const quota of quotas) while (slots.tryAcquireForRetry(quota)) quota.acquired += 1;
    const acquired = quotas.filter((quota) => quota.acquired > 0);
    return acquired.length === 0 ? 0 : claim(acquired, 'scheduled', clock.now());
  }

  return {
    /** Claims until nothing is due or no slot is free. Concurrent calls share one run, which then checks once more. */
    poll(): Promise<void> {
      pollAgain = true;
      polling ??= (async () => {
        try {
          while (pollAgain && !stopped) {
            pollAgain = false;
            backlog.clear();
            needsAnySlot = false;
            const inTurn = await claimRetriesInTurn();
            const claimed = inTurn + (await claimLane('inline')) + (await claimLane('scheduled'));
            claimProbes();
            if (claimed > 0) pollAgain = true;
          }
        } finally {
          polling = null;
        }
      })();
      return polling;
    },

    /** Notes that the database may hold a due delivery of the tenant. */
    markBacklogged,
    pollWhenOpen,
    /** True if the database has an overdue first attempt of the endpoint. */
    hasOverdue: ({ endpointId }: SlotOwner): boolean => overdue.has(endpointId),
    /** True if a free slot of the tenant is worth a claim. */
    isBacklogged: (customerId: number): boolean => backlog.has(customerId) || needsAnySlot,

    /** Claims nothing more; resolves when the current poll has ended. */
    async stop(): Promise<void> {
      stopped = true;
      scheduled?.cancel();
      await polling?.catch(() => {});
      await Promise.all(probing.values());
    },
  };
}

/** Returns the candidates that were not claimed: their attempts are exhausted, or another process was faster. */
function notClaimed(candidates: readonly Candidate[], claimed: readonly Candidate[]): Candidate[] {
  const ids = new Set(claimed.map(({ _id }) => _id.toHexString()));
  return candidates.filter(({ _id }) => !ids.has(_id.toHexString()));
}

/**
 * Returns the number of first attempts of an endpoint that may be reserved: with a rate limit, the permits of a second.
 * Further ones would be released without a permit.
 */
const maxReserved = (endpoint: EndpointDoc | null): number =>
  endpoint?.rateLimit ? Math.ceil(endpoint.rateLimit.count / endpoint.rateLimit.perSeconds) : Infinity;
