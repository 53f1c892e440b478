import type { DeliveryDoc } from '../../../../src/features/webhooks/delivery/delivery.model.ts';
import type {
  EndpointDoc,
  StoredCircuit,
} from '../../../../src/features/webhooks/endpoints/endpoint.model.ts';
import type { OplogEntry, SimulatedDatabase } from './database.ts';
import { CONFIG, EPOCH_MS, type Service } from './service.ts';
import type { World } from './world.ts';

/** A request to a receiver, as the world saw it. */
export interface Sent {
  delivery: string;
  process: Service;
  endpointId: number;
  url: string;
  /** By the clock of the process: identifies the request in the log of attempts. */
  at: number;
  beganMs: number;
  endedMs: number | null;
  manual: boolean;
  /** True if it probes an endpoint whose circuit is open: it is outside the count of attempts. */
  isProbe: boolean;
  /** Number of the scheduled attempt. */
  attempt: number;
  /** Status of the response that the process received; null if it received none. */
  status: number | null;
  /** Status with which the receiver processed it; null if it did not. */
  processed: number | null;
  /** Expiry of the lease when it began, in virtual time. */
  leasedUntilMs: number;
  cycle: number;
}

/** What the checker knows of a delivery beside its document. */
interface Tracked {
  sent: Sent[];
  /** Incremented by a recovery, which starts the count of attempts again. */
  cycle: number;
  /** A failover has undone one of its writes: repeated and hidden attempts are explained. */
  rolledBack: boolean;
  /** Virtual time since which any process may claim it, until its next request begins; null if none may. */
  dueSinceMs: number | null;
  /** Due time with which it was stored: a repair stores that of the event. Null from its first request on. */
  repairedFromMs: number | null;
  /** Process that has accepted it, and has it in memory until its first request begins. */
  acceptedBy: Service | null;
  overtaken: number;
  last: DeliveryDoc | null;
  /** Virtual time of its latest recovery; null before the first one. */
  reopenedMs: number | null;
  /** Its current lease is for a probe. */
  isProbed: boolean;
  /** Lease whose owner may not know that it has it, until it sends under it: the response to its claim was lost. */
  unknownLease: string | null;
}

/** What the checker knows of a conversation at an endpoint that is ordered by conversation. */
interface TrackedOrder {
  deliveries: Set<string>;
  /** Latest event of which a scheduled attempt has begun; null before the first one. */
  latestSent: string | null;
  /** Virtual time at which a delivery has ended last. */
  endedMs: number;
}

interface Acknowledged {
  deliveries: { _id: { toHexString(): string }; endpointId: number }[];
  eventId: string;
  process: Service;
}

/** Largest error of a clock in the simulation: a lease is judged by the true time, within it. */
export const MAX_SKEW_MS = 500;
/** Deliveries of an endpoint that become due within this time after another one may begin before it (contract 6). Milliseconds. */
const OVERDUE_MS = 2_000;
/** Differences between the clocks of two processes, and of an interval of claims, which the simulation varies by half. */
const TOLERANCE_MS = 2 * MAX_SKEW_MS + 500;
/** Leases that a process may hold for each slot of an endpoint, and begin before an overdue delivery (contract 6). */
const LEASES_PER_SLOT = 9;
/** First attempts that may begin before an overdue retry, for each retry that is due before it (contract 6). */
const STARTS_PER_RETRY = 4;
/** Time after which no process begins a usual attempt to an endpoint whose circuit has opened. Milliseconds. */
const CIRCUIT_NOTICED_MS = 1_000 + 2 * MAX_SKEW_MS;
/** Time between the check of the order and the request: a process may pause between them. Milliseconds. */
const CHECK_TO_REQUEST_MS = 20_000;

const orderKeyOf = ({ endpointId, conversationId }: DeliveryDoc): string => `${endpointId} ${conversationId}`;
const isOpen = ({ status }: DeliveryDoc): boolean => status === 'pending' || status === 'retrying';
const isBefore = (one: DeliveryDoc, other: DeliveryDoc): boolean =>
  one.eventId.toHexString() < other.eventId.toHexString();

/** Watches every request and every write, and collects what must never be. */
export class Checker {
  readonly findings: string[] = [];
  readonly #world: World;
  readonly #database: SimulatedDatabase;
  /** Processes that were started so far. */
  readonly #processes: readonly Service[];
  readonly #deliveries = new Map<string, Tracked>();
  readonly #orders = new Map<string, TrackedOrder>();
  readonly #requests: Sent[] = [];
  /** Periods with a fault, in virtual time. */
  readonly #disturbed: [fromMs: number, untilMs: number][] = [];
  /** State of each endpoint that a client knows of, by its id: since when, in virtual time. */
  readonly #known = new Map<number, { url: string; enabled: boolean; deleted: boolean }>();
  readonly #accepted: Acknowledged[] = [];
  /** Responses with status 410, by URL. */
  readonly #gone = new Set<string>();
  /** Deliveries of the scenario that stay open. */
  readonly background = new Set<string>();
  acceptedCount = 0;
  probeCount = 0;

  constructor(world: World, database: SimulatedDatabase, processes: readonly Service[]) {
    this.#processes = processes;
    this.#world = world;
    this.#database = database;
    database.onWrite = (entry) => this.#onWrite(entry);
    database.onRollback = (entry) => this.#onRollback(entry);
    database.onUnanswered = ({ collection, key, after }) => {
      const { lease } = (after ?? {}) as Partial<DeliveryDoc>;
      if (collection === 'webhookDeliveries' && lease) this.tracked(key).unknownLease = lease;
    };
  }

  find(what: string): void {
    this.findings.push(`${(this.#world.nowMs / 1000).toFixed(3)} s: ${what}`);
  }

  disturb(forMs: number): void {
    this.#disturbed.push([this.#world.nowMs, this.#world.nowMs + forMs]);
  }

  accepted(acknowledged: Acknowledged): void {
    this.acceptedCount += 1;
    this.#accepted.push(acknowledged);
    for (const { _id } of acknowledged.deliveries)
      this.tracked(_id.toHexString()).acceptedBy = acknowledged.process;
  }

  /** A client has received an endpoint's state. */
  acknowledge(endpointId: number, state: { url?: string; enabled?: boolean; deleted?: boolean }): void {
    const known = this.#known.get(endpointId) ?? { url: '', enabled: true, deleted: false };
    this.#known.set(endpointId, { ...known, ...state });
  }

  /** The outcome of a change is unknown, or other changes are under way: nothing is known of the endpoint. */
  forget(endpointId: number): void {
    this.#known.delete(endpointId);
  }

  tracked(id: string): Tracked {
    let tracked = this.#deliveries.get(id);
    if (!tracked) {
      tracked = {
        sent: [],
        cycle: 0,
        rolledBack: false,
        dueSinceMs: null,
        repairedFromMs: null,
        acceptedBy: null,
        overtaken: 0,
        last: null,
        reopenedMs: null,
        isProbed: false,
        unknownLease: null,
      };
      this.#deliveries.set(id, tracked);
    }
    return tracked;
  }

  /** A process begins a request. */
  begin(process: Service, delivery: string, url: string): Sent {
    const tracked = this.tracked(delivery);
    const document = this.#database.get('webhookDeliveries', delivery) as unknown as DeliveryDoc | undefined;
    const now = this.#world.nowMs;
    const leasedUntilMs = (document?.dueAt?.getTime() ?? 0) - EPOCH_MS;
    const endpointId = document?.endpointId ?? tracked.last?.endpointId ?? 0;
    const sent: Sent = {
      delivery,
      process,
      endpointId,
      url,
      at: process.clock.now().getTime(),
      beganMs: now,
      endedMs: null,
      manual: document?.manual !== undefined,
      isProbe: tracked.isProbed,
      attempt: document?.attempt ?? 0,
      status: null,
      processed: null,
      leasedUntilMs,
      cycle: tracked.cycle,
    };
    this.#requests.push(sent);
    tracked.sent.push(sent);
    if (!tracked.rolledBack) {
      // A late 2xx of another process ends the lease of its successor, which may be about to send.
      const isEndedByLateSuccess = document?.status === 'succeeded' && document.lease === undefined;
      if (isEndedByLateSuccess) sent.leasedUntilMs = now;
      else if (!document?.lease?.startsWith(`${process.name}/`))
        this.find(`lease: ${process.name} sends ${delivery}, whose lease is ${document?.lease ?? 'none'}`);
      else if (leasedUntilMs + MAX_SKEW_MS < now)
        this.find(
          `lease: ${process.name} sends ${delivery}, whose lease expired ${Math.round(now - leasedUntilMs)} ms ago`,
        );
      const scheduled = tracked.sent.filter(
        ({ manual, isProbe, cycle }) => !manual && !isProbe && cycle === tracked.cycle,
      );
      if (scheduled.length > 5 && !sent.manual && !sent.isProbe)
        this.find(`attempts: ${delivery} is sent for the ${scheduled.length}th time`);
    }
    if (document && !sent.manual) this.#checkOrder(document, tracked);
    const known = this.#known.get(endpointId);
    if (known?.deleted) this.find(`revision: ${delivery} is sent to a deleted endpoint`);
    else if (known && known.url !== url)
      this.find(`revision: ${delivery} is sent to ${url} after it became ${known.url}`);
    else if (known && !known.enabled) this.find(`revision: ${delivery} is sent to a disabled endpoint`);
    const circuit = this.#circuitOf(endpointId);
    if (circuit) this.#checkCircuit(sent, circuit);
    // While the circuit is open, probes take turns and resends pass.
    else if (tracked.dueSinceMs !== null)
      this.#countOvertaken(sent, Math.min(tracked.dueSinceMs, tracked.repairedFromMs ?? Infinity));
    // Unless its result is written, it is due again when its lease expires.
    tracked.dueSinceMs = leasedUntilMs;
    Object.assign(tracked, { repairedFromMs: null, acceptedBy: null, overtaken: 0, unknownLease: null });
    return sent;
  }

  #orderOf(delivery: DeliveryDoc): TrackedOrder | null {
    return delivery.conversationId === undefined ? null : (this.#orders.get(orderKeyOf(delivery)) ?? null);
  }

  /** Returns the open deliveries of the conversation with earlier events. */
  #earlierOpen(delivery: DeliveryDoc): DeliveryDoc[] {
    const ids = [...(this.#orderOf(delivery)?.deliveries ?? [])];
    return ids
      .map((id) => this.#database.get('webhookDeliveries', id) as unknown as DeliveryDoc | undefined)
      .filter((other) => other !== undefined)
      .filter((other) => isOpen(other) && isBefore(other, delivery));
  }

  /** A scheduled attempt begins: no delivery of its conversation with an earlier event is open, or was passed over. */
  #checkOrder(delivery: DeliveryDoc, { sent, cycle }: Tracked): void {
    const order = this.#orderOf(delivery);
    if (!order) return;
    const id = delivery._id.toHexString();
    const event = delivery.eventId.toHexString();
    const reopenedAfter = this.#world.nowMs - CHECK_TO_REQUEST_MS;
    for (const { _id, status } of this.#earlierOpen(delivery)) {
      const { reopenedMs } = this.tracked(_id.toHexString());
      if (reopenedMs === null || reopenedMs < reopenedAfter)
        this.find(`order: ${id} is sent while ${_id.toHexString()} of its conversation is ${status}`);
    }
    const isFirst = sent.every(
      ({ manual, cycle: of }, index) => manual || of < cycle || index === sent.length - 1,
    );
    if (cycle === 0 && isFirst && order.latestSent !== null && order.latestSent > event)
      this.find(`inversion: ${id} is sent for the first time after a later event of its conversation`);
    if (order.latestSent === null || event > order.latestSent) order.latestSent = event;
  }

  #circuitOf(endpointId: number): StoredCircuit | null {
    for (const document of this.#database.documents('webhookEndpoints').values())
      if (document.id === endpointId) return (document as unknown as EndpointDoc).circuit ?? null;
    return null;
  }

  /** Checks that an endpoint whose circuit is open receives one probe at a time, and resends. */
  #checkCircuit(sent: Sent, { since }: StoredCircuit): void {
    const { delivery, endpointId, manual, isProbe, process } = sent;
    const now = this.#world.nowMs;
    const openMs = now - (since.getTime() - EPOCH_MS);
    if (!manual && !isProbe && openMs > CIRCUIT_NOTICED_MS && !this.#isDisturbed(now - openMs, now))
      this.find(
        `circuit: ${process.name} sends ${delivery}, ${Math.round(openMs)} ms after the circuit opened`,
      );
    if (!isProbe) return;
    this.probeCount += 1;
    const other = this.#requests.find(
      (request) =>
        request !== sent &&
        request.isProbe &&
        request.endpointId === endpointId &&
        request.endedMs === null &&
        request.process.alive &&
        request.leasedUntilMs - MAX_SKEW_MS > now,
    );
    if (other) this.find(`circuit: ${delivery} probes ${endpointId}, while ${other.delivery} does`);
  }

  /** Counts the overdue deliveries of the endpoint that a request goes before. @param dueSinceMs of its delivery */
  #countOvertaken({ process, endpointId }: Sent, dueSinceMs: number): void {
    const now = this.#world.nowMs;
    if (this.#isDisturbed(now - OVERDUE_MS - TOLERANCE_MS, now)) return;
    for (const [id, other] of this.#deliveries) {
      const { last, acceptedBy } = other;
      if (last?.endpointId !== endpointId) continue;
      const sinceMs = this.#claimableSince(other, process);
      if (sinceMs === null || sinceMs + OVERDUE_MS + TOLERANCE_MS >= dueSinceMs) continue;
      // It is in the memory of another process.
      if (acceptedBy?.alive && acceptedBy !== process) continue;
      other.overtaken += 1;
      if (other.overtaken === this.#maxOvertaken(last, sinceMs) + 1)
        this.find(
          `starved: ${id} (${last.lane}), due for ${Math.round(now - sinceMs)} ms, was overtaken ${other.overtaken} times`,
        );
    }
  }

  /** Returns the time since which a process may begin the next attempt of a delivery; null if none is due. */
  #claimableSince({ last, dueSinceMs, unknownLease }: Tracked, process: Service): number | null {
    if (dueSinceMs === null || !last) return dueSinceMs;
    // A failover has undone its event, which was not accepted: the delivery waits to be removed.
    if (!this.#database.get('webhookEvents', last.eventId)) return null;
    let sinceMs = dueSinceMs;
    if (last.conversationId !== undefined) {
      if (this.#earlierOpen(last).length > 0) return null;
      sinceMs = Math.max(sinceMs, this.#orderOf(last)?.endedMs ?? 0);
    }
    if (!last.lease) return sinceMs;
    const expiresMs = (last.dueAt?.getTime() ?? 0) - EPOCH_MS;
    // From the end of a lease on, any process may claim it: its owner has lost it with the response to its claim, or releases it.
    const isHeld =
      last.lease !== unknownLease &&
      last.lease.startsWith(`${process.name}/`) &&
      expiresMs > this.#world.nowMs;
    return isHeld ? sinceMs : Math.max(sinceMs, expiresMs);
  }

  #maxOvertaken({ lane, endpointId }: DeliveryDoc, dueSinceMs: number): number {
    const leases = this.#processes.length * CONFIG.webhookConcurrencyPerEndpoint * LEASES_PER_SLOT;
    if (lane === 'inline') return leases;
    let before = 0;
    for (const { last, dueSinceMs: since } of this.#deliveries.values())
      if (
        last?.endpointId === endpointId &&
        last.lane === 'scheduled' &&
        since !== null &&
        since <= dueSinceMs
      )
        before += 1;
    return leases + STARTS_PER_RETRY * before;
  }

  /** The process has received the outcome of a request. */
  end(sent: Sent, status: number | null): void {
    sent.status = status;
    sent.endedMs = this.#world.nowMs;
    if (status === 410) this.#gone.add(sent.url);
  }

  #onWrite({ collection, key, before, after }: OplogEntry): void {
    if (collection === 'webhookDeliveries') {
      const tracked = this.tracked(key);
      const [was, is] = [before, after] as unknown as (DeliveryDoc | null)[];
      if (was && is && (was.status === 'failed' || was.status === 'cancelled') && is.status === 'pending')
        Object.assign(tracked, { cycle: tracked.cycle + 1, reopenedMs: this.#world.nowMs });
      tracked.last = is ?? tracked.last;
      if (is?.conversationId !== undefined) this.#trackOrder(key, was ?? null, is);
      // A usual claim begins an attempt, which a renewal of its lease does not.
      if (is?.lease && is.lease !== was?.lease) tracked.isProbed = !is.manual && was?.attempt === is.attempt;
      if (!is?.dueAt || is.lane === 'held') tracked.dueSinceMs = null;
      else if (is.lease === undefined) this.#becomesDue(tracked, was ?? null, is.dueAt);
      else if (!was) tracked.dueSinceMs = this.#world.nowMs;
      // The next attempt follows at once, in the slot of this one.
      else if (was.lease && is.attempts.length > was.attempts.length) tracked.dueSinceMs = null;
    }
    if (collection === 'webhookEndpoints') {
      const [was, is] = [before, after] as unknown as (EndpointDoc | null)[];
      if (was?.enabled && is && !is.enabled) {
        if (is.disabledReason === 'gone' && !this.#gone.has(is.url))
          this.find(`gone: endpoint ${is.id} is disabled, and ${is.url} never responded with 410`);
      }
    }
  }

  #trackOrder(id: string, was: DeliveryDoc | null, is: DeliveryDoc): void {
    const key = orderKeyOf(is);
    const order = this.#orders.get(key) ?? { deliveries: new Set<string>(), latestSent: null, endedMs: 0 };
    this.#orders.set(key, order);
    order.deliveries.add(id);
    if (was && isOpen(was) && !isOpen(is)) order.endedMs = this.#world.nowMs;
  }

  /** A delivery is in the queue, where it was or where its lease or a failed attempt has ended. */
  #becomesDue(tracked: Tracked, was: DeliveryDoc | null, dueAt: Date): void {
    const storedMs = dueAt.getTime() - EPOCH_MS;
    if (!was) tracked.repairedFromMs = storedMs;
    const dueMs = Math.max(this.#world.nowMs, storedMs);
    const isReleased = was?.lease !== undefined || was?.lane === 'held';
    tracked.dueSinceMs = isReleased ? dueMs : Math.min(tracked.dueSinceMs ?? Infinity, dueMs);
    if (isReleased) tracked.overtaken = 0;
  }

  #onRollback({ collection, key, before }: OplogEntry): void {
    if (collection !== 'webhookDeliveries') return;
    const tracked = this.tracked(key);
    tracked.rolledBack = true;
    tracked.last = (before as unknown as DeliveryDoc | null) ?? tracked.last;
    tracked.dueSinceMs = null;
    tracked.overtaken = 0;
  }

  #isDisturbed = (fromMs: number, untilMs: number): boolean =>
    this.#disturbed.some(([from, until]) => from <= untilMs && until >= fromMs);

  /** Number of deliveries that are not terminal, without the scenario's own. */
  openCount(): number {
    let open = 0;
    for (const [key, document] of this.#database.documents('webhookDeliveries'))
      if (document.dueAt !== undefined && !this.background.has(key)) open += 1;
    return open;
  }

  /** Checks what holds once nothing is under way any more. */
  atRest(processes: readonly Service[]): void {
    for (const [key, document] of this.#database.documents('webhookDeliveries') as unknown as Map<
      string,
      DeliveryDoc
    >) {
      if (this.background.has(key)) continue;
      const { status, dueAt, lease } = document;
      if (status === 'pending' || status === 'retrying' || dueAt || lease)
        this.find(`open: ${key} is ${status}, due at ${dueAt?.toISOString()}, leased by ${lease ?? 'none'}`);
      this.#checkLog(key, document);
    }
    for (const recovery of this.#database.documents('webhookRecoveries').values())
      this.find(`recovery: that of endpoint ${recovery.endpointId} does not complete`);
    this.#checkAccepted();
    for (const { name, alive, stopping, engine } of processes) {
      if (!alive || stopping) continue;
      const { slotsInUse, dispatcherBacklog, unwrittenResults } = engine.gauges;
      const counters = {
        slotsInUse: slotsInUse(),
        backlog: dispatcherBacklog(),
        unwritten: unwrittenResults(),
      };
      if (Object.values(counters).some((count) => count !== 0))
        this.find(`counters: ${name} has ${JSON.stringify(counters)}`);
    }
  }

  #checkLog(id: string, document: DeliveryDoc): void {
    const { sent, rolledBack } = this.tracked(id);
    const logged = document.attempts.map(({ at }) => at.getTime());
    if (new Set(logged).size < logged.length)
      this.find(`log: ${id} has ${logged.length} attempts, of which only ${new Set(logged).size} differ`);
    const known = new Set(sent.map(({ at }) => at));
    for (const at of logged) if (!known.has(at)) this.find(`log: ${id} has an attempt that was not sent`);
    const entries = new Set(logged);
    for (const request of sent) {
      const { at, status, endedMs, process, beganMs, leasedUntilMs, attempt } = request;
      if (entries.has(at) || endedMs === null || !process.alive || process.stopping) continue;
      // A failover may undo a failure of attempt 1, which is repeated, but no success and no result of a retry.
      if (rolledBack && attempt <= 1 && !isSuccess(request)) continue;
      if (!rolledBack && this.#isDisturbed(beganMs, Math.max(leasedUntilMs, endedMs + 2_000))) continue;
      this.find(
        `log: ${id} lacks the attempt of ${beganMs.toFixed(0)} ms by ${process.name}, with status ${status}`,
      );
    }
    if (document.status !== 'failed') return;
    const success = sent.find(
      (request) => isSuccess(request) && request.process.alive && !request.process.stopping,
    );
    if (success)
      this.find(`hidden: ${id} failed, although ${success.process.name} received a ${success.status}`);
  }

  #checkAccepted(): void {
    const events = this.#database.documents('webhookEvents');
    for (const { eventId, deliveries } of this.#accepted)
      for (const { _id } of deliveries) {
        const key = _id.toHexString();
        const isStored = this.#database.get('webhookDeliveries', key) !== undefined;
        const { last } = this.tracked(key);
        // Retention removes the deliveries of an event, then the event.
        if (isStored || last?.finishedAt) continue;
        const event = events.has(eventId) ? 'which exists' : 'which does not exist either';
        this.find(
          `lost: ${key} of the accepted event ${eventId}, ${event}: it was ${last?.status ?? 'never stored'}`,
        );
      }
  }

  /** Figures of a run, for statistics. */
  get requestCount(): number {
    return this.#requests.length;
  }

  /** Deliveries that a receiver processed successfully more than once, in one cycle and without a resend. */
  duplicates(): number {
    let count = 0;
    for (const { sent } of this.#deliveries.values()) {
      const processed = sent.filter(
        ({ processed: status, manual }) => !manual && status !== null && status < 300,
      );
      count += Math.max(0, processed.length - 1);
    }
    return count;
  }
}

const isSuccess = ({ status }: Sent): boolean => status !== null && status < 300;
