import { setImmediate as turn } from 'node:timers/promises';
import { Types } from 'mongoose';
import { AppError } from '../../../../src/errors/app-error.ts';
import { nextEventTime } from '../../../../src/features/conversations/conversations.model.ts';
import { newEvent } from '../../../../src/features/outbox/outbox-event.ts';
import type { Tenant } from '../../../../src/features/tenants/tenants.types.ts';
import { newDelivery } from '../../../../src/features/webhooks/delivery/delivery.model.ts';
import type { OutboundRequest, OutboundResult } from '../../../../src/outbound/outbound-request.ts';
import { newObjectId } from '../../../../src/platform/mongo/object-id.ts';
import { Checker, MAX_SKEW_MS } from './checker.ts';
import { SimulatedDatabase } from './database.ts';
import type { Doc } from './operators.ts';
import { EPOCH_MS, Service, SimulatedCoherence } from './service.ts';
import { Random, World } from './world.ts';

export interface SimulationResult {
  seed: number;
  findings: string[];
  accepted: number;
  requests: number;
  /** Requests that probed an endpoint whose circuit was open. */
  probes: number;
  /** Requests beyond the first that a receiver processed successfully. */
  duplicates: number;
  /** What happened, if it was asked for. */
  trace: string[];
}

/** How a receiver behaves at one URL. */
type Behavior = 'healthy' | 'failing' | 'flaky' | 'slow' | 'hanging' | 'gone' | 'breaking';

interface Receiver {
  behavior: Behavior;
  latencyMs: number;
}

interface SimulatedConversation {
  id: string;
  lastEventAt?: Date;
  /** True while an event is being accepted. */
  isBusy: boolean;
}

/** Length of the workload, in which faults happen. Milliseconds. */
const WORKLOAD_MS = 20_000;
/** Time within which everything is terminal after it: the retries, what a crash left out, and leases. Milliseconds. */
const SETTLE_MS = 600_000;
/** Time after the workload at which receivers that fail respond again: some circuits are open until then. Milliseconds. */
const OUTAGE_ENDS_MS = 200_000;
const OUTAGES = ['failing', 'hanging', 'breaking'] as const;
/** Time at which the retries of a backlog become due: after the run. Milliseconds. */
const BACKLOG_DUE_MS = 7_200_000;
/** Number of deliveries to an endpoint that wait for each other at most. */
const CHAIN_LENGTH = 40;
/** Conversations of a tenant at a time. */
const CONVERSATIONS = 2;
/** Time of a check for what is at rest. Milliseconds. */
const CHECK_MS = 2_000;
const TENANTS: Tenant[] = [1, 2].map((customerId) => ({
  customerId,
  orgId: `org_${customerId}`,
  name: `Tenant ${customerId}`,
  createdAt: new Date(EPOCH_MS),
}));

/**
 * Runs the delivery engine of a few processes for some seconds of virtual time, with clients that accept events and change
 * endpoints, receivers of every kind and faults; then lets it come to rest. The seed determines everything.
 */
export async function simulate(seed: number, { traces = false } = {}): Promise<SimulationResult> {
  // A run takes no turn of the event loop, which the signals and timers of its program need.
  await turn();
  // The order of ids within a second depends on it.
  (Types.ObjectId as unknown as { index: number }).index = 0;
  const world = new World(seed);
  const { random } = world;
  const database = new SimulatedDatabase(world);
  const coherence = new SimulatedCoherence();
  const processes: Service[] = [];
  const checker = new Checker(world, database, processes);
  const receivers = new Map<string, Receiver>();
  /** Latest number of each endpoint's URL. */
  const urls = new Map<number, number>();
  const changing = new Set<number>();
  const trace: string[] = [];
  let healed = false;
  const note = (text: () => string): void => {
    if (traces) trace.push(`${(world.nowMs / 1000).toFixed(3)} ${text()}`);
  };
  if (traces) {
    const { onWrite, onRollback } = database;
    database.onWrite = (entry) => {
      note(
        () =>
          `  write ${entry.collection} ${entry.key} ${JSON.stringify(differenceOf(entry.before, entry.after))}`,
      );
      onWrite(entry);
    };
    database.onRollback = (entry) => {
      note(() => `  undo ${entry.collection} ${entry.key}`);
      onRollback(entry);
    };
  }

  // What a run has in common: the share of everything that may happen.
  // Of a source of its own, so that the runs without an outage are those that a seed had before.
  const isOutage = new Random(~seed).chance(0.1);
  const isBurst = random.chance(0.015);
  const hasBacklog = random.chance(0.015);
  const faultsPerSecond = random.pick([0, 0.1, 0.3, 0.6]);
  const lossRate = random.pick([0, 0, 0.01, 0.05]);
  const endpointCount = random.int(1, 4);

  function newBehavior(): Behavior {
    return random.pick<Behavior>(
      healed
        ? ['healthy', 'healthy', 'healthy', 'failing', 'gone']
        : [
            'healthy',
            'healthy',
            'healthy',
            'failing',
            'flaky',
            'flaky',
            'slow',
            'hanging',
            'gone',
            'breaking',
          ],
    );
  }
  const receiverOf = (url: string): Receiver => {
    let receiver = receivers.get(url);
    if (!receiver) {
      receiver = { behavior: newBehavior(), latencyMs: random.between(1, 50) };
      receivers.set(url, receiver);
    }
    return receiver;
  };
  const urlOf = (id: number, version: number): string => `https://e${id}.example.com/v${version}`;

  /** Receives a request: its loss before and after it is processed, and its response. */
  function respond({ behavior, latencyMs }: Receiver): {
    status: number | null;
    processed: boolean;
    ms: number;
  } {
    const ms = latencyMs * random.between(0.5, 1.5);
    switch (behavior) {
      case 'healthy':
        return { status: 200, processed: true, ms };
      case 'failing':
        return { status: 500, processed: true, ms };
      case 'gone':
        return { status: 410, processed: true, ms };
      case 'slow':
        return { status: 200, processed: true, ms: random.between(300, 1_900) };
      case 'hanging':
        return { status: null, processed: random.chance(0.5), ms: Infinity };
      case 'flaky':
        return { status: random.pick([200, 200, 500, 503, 410]), processed: true, ms };
      case 'breaking':
        return random.chance(0.5)
          ? { status: null, processed: random.chance(0.5), ms }
          : { status: 200, processed: true, ms };
    }
  }

  function send(process: Service, request: OutboundRequest): Promise<OutboundResult> {
    const delivery = String(request.headers['X-SVC-Delivery-Id']);
    const sent = checker.begin(process, delivery, request.url);
    const { status, processed, ms } = respond(receiverOf(request.url));
    note(() => `${process.name} sends ${delivery} to ${request.url}: ${status} in ${Math.round(ms)} ms`);
    return new Promise((resolve) => {
      const isLate = ms >= request.timeoutMs;
      if (processed && ms < Infinity)
        world.after(ms / 2, null, () => {
          sent.processed = status;
        });
      world.after(Math.min(ms, request.timeoutMs), process, () => {
        const durationMs = world.nowMs - sent.beganMs;
        // Aborted by the time limit, also where the response came while the process was paused.
        const hasResponse = status !== null && !isLate;
        checker.end(sent, hasResponse ? status : null);
        note(() => `${process.name} has ${hasResponse ? status : 'no response'} for ${delivery}`);
        resolve(
          hasResponse
            ? { ok: true, status, headers: {}, body: '', truncated: false, durationMs }
            : {
                ok: false,
                error: isLate ? 'timeout' : 'connection_reset',
                status: undefined,
                durationMs,
                cause: new Error('No response.'),
              },
        );
      });
    });
  }

  function startProcess(): Service {
    const process = new Service({
      name: `p${processes.length}`,
      world,
      database,
      coherence,
      send,
      onError(message, error) {
        // An unreachable database is no fault of the engine.
        if (isOfDatabase(error)) return;
        checker.find(`error: ${message}: ${error instanceof Error ? error.stack : String(error)}`);
      },
    });
    process.skewMs = random.between(-MAX_SKEW_MS / 2, MAX_SKEW_MS / 2);
    processes.push(process);
    note(() => `${process.name} starts`);
    for (const job of process.webhooks.jobs) schedule(process, job);
    return process;
  }

  const running = (): Service[] => processes.filter(({ alive, stopping }) => alive && !stopping);

  /** Returns true if a run of the job may have something to do, so that idle times cost nothing. */
  function mayHaveWork(name: string): boolean {
    if (name === 'webhooks.recover') return database.documents('webhookRecoveries').size > 0;
    if (name === 'webhooks.order') {
      for (const { lane } of database.documents('webhookDeliveries').values())
        if (lane === 'held') return true;
      return false;
    }
    if (name === 'webhooks.claim') {
      const soon = new Date(EPOCH_MS + world.nowMs + 1_500);
      for (const { dueAt } of database.documents('webhookDeliveries').values())
        if (dueAt instanceof Date && dueAt <= soon) return true;
      return false;
    }
    return true;
  }

  /** Runs a job in its intervals, whenever this process claims its tick. */
  function schedule(process: Service, job: Service['webhooks']['jobs'][number]): void {
    const every = job.name === 'webhooks.retention' ? 20_000 : job.every;
    const next = (ms: number): unknown =>
      world.after(ms * random.between(0.5, 1.5), process, () => {
        if (process.stopping) return;
        if (!mayHaveWork(job.name)) return next(every);
        job.run().then(
          (isBusy) => next((isBusy === true && 'busyEvery' in job && job.busyEvery) || every),
          (error: unknown) => {
            if (!isOfDatabase(error)) checker.find(`error: ${job.name}: ${(error as Error).stack}`);
            next(every);
          },
        );
      });
    next(every);
  }

  /** Makes a call of a client to some process; a failure leaves the outcome unknown. */
  async function call<T>(what: string, make: (process: Service) => Promise<T>): Promise<T | undefined> {
    const process = random.pick(running());
    note(() => `client: ${what} at ${process.name}`);
    try {
      return await make(process);
    } catch (error) {
      const isRefused = error instanceof AppError;
      if (!isRefused && !isOfDatabase(error))
        checker.find(`error: ${what}: ${error instanceof Error ? error.stack : error}`);
      note(() => `client: ${what} failed: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** Some endpoints are ordered by conversation. */
  const isOrdered = (endpointId: number): boolean => (seed + endpointId) % 3 === 0;
  let conversationCount = 0;
  const newConversation = (): SimulatedConversation => {
    conversationCount += 1;
    return { id: `c${conversationCount}`, isBusy: false };
  };
  const conversations = new Map<Tenant, SimulatedConversation[]>(
    TENANTS.map((tenant) => [tenant, Array.from({ length: CONVERSATIONS }, newConversation)]),
  );

  /**
   * Accepts some events of a conversation. The client waits for each response before it sends the next one; if the outcome
   * is unknown, the order is as well, and another conversation takes its place.
   */
  async function acceptInConversation(tenant: Tenant): Promise<void> {
    const ofTenant = conversations.get(tenant) ?? [];
    const index = random.int(0, CONVERSATIONS - 1);
    const conversation = ofTenant[index];
    if (!conversation || conversation.isBusy) return;
    conversation.isBusy = true;
    for (let count = random.int(1, 5); count > 0; count -= 1)
      if (!(await acceptNext(tenant, conversation))) {
        ofTenant[index] = newConversation();
        return;
      }
    conversation.isBusy = false;
  }

  /** Accepts the next event of a conversation; returns false if the outcome is unknown. */
  async function acceptNext(tenant: Tenant, conversation: SimulatedConversation): Promise<boolean> {
    const isAccepted = await call(`accept in ${conversation.id}`, async (process) => {
      const now = nextEventTime(conversation, process.clock.now());
      conversation.lastEventAt = now;
      const event = newEvent({
        tenant,
        event: 'conversation.ended',
        data: { conversationId: conversation.id, status: 'ended', converted: false },
        now,
      });
      const deliveries = await process.publishInTransaction(event);
      checker.accepted({ eventId: event.id.toHexString(), deliveries, process });
      return true;
    });
    return isAccepted === true;
  }

  const tenantOf = (endpointId: number): Tenant => TENANTS[endpointId % TENANTS.length] as Tenant;

  async function accept(tenant: Tenant): Promise<void> {
    await call('accept', async (process) => {
      const { outbox, clock } = process;
      const event = newEvent({
        tenant,
        event: 'conversion.recorded',
        data: { conversionEventId: 'e', conversationId: null, conversionType: 'signup', value: null },
        now: clock.now(),
      });
      const { effects } = await outbox.commit(() => ({ writes: [], events: [event], result: null }), {
        tenant,
      });
      checker.accepted({ eventId: event.id.toHexString(), deliveries: effects.flat(), process });
    });
  }

  /** Makes one change of an endpoint at a time, so that the client knows its state afterwards. */
  async function change(
    what: string,
    id: number,
    make: (process: Service) => Promise<{ url?: string; enabled?: boolean; deleted?: boolean }>,
  ): Promise<void> {
    if (changing.has(id)) return;
    changing.add(id);
    checker.forget(id);
    const state = await call(`${what} ${id}`, make);
    if (state) checker.acknowledge(id, state);
    changing.delete(id);
  }

  const changeUrl = (id: number): Promise<void> => {
    const version = (urls.get(id) ?? 0) + 1;
    urls.set(id, version);
    const url = urlOf(id, version);
    return change('change the URL of', id, async ({ webhooks }) => {
      const updated = await webhooks.services.endpoints.update(tenantOf(id), id, { patch: { url } });
      return { url: updated.url, enabled: true };
    });
  };
  const setEnabled = (id: number, enabled: boolean): Promise<void> =>
    change(enabled ? 'enable' : 'disable', id, async ({ webhooks }) => {
      const updated = await webhooks.services.endpoints.update(tenantOf(id), id, { patch: { enabled } });
      return { url: updated.url, enabled };
    });
  const remove = (id: number): Promise<void> =>
    change('delete', id, async ({ webhooks }) => {
      await webhooks.services.endpoints.remove(tenantOf(id), id);
      return { deleted: true };
    });
  const rotate = async (id: number): Promise<void> => {
    await call(`rotate the secret of ${id}`, ({ webhooks }) =>
      webhooks.services.endpoints.rotateSecret(tenantOf(id), id),
    );
  };
  const resend = async (): Promise<void> => {
    const ids = [...database.documents('webhookDeliveries').keys()].filter(
      (id) => !checker.background.has(id),
    );
    if (ids.length === 0) return;
    const deliveryId = random.pick(ids);
    const { customerId } = database.get('webhookDeliveries', deliveryId) as { customerId: number };
    await call(`resend ${deliveryId}`, ({ webhooks }) =>
      webhooks.services.deliveries.resend(TENANTS[customerId - 1] as Tenant, { deliveryId }),
    );
  };
  const recover = async (id: number): Promise<void> => {
    await call(`recover ${id}`, ({ webhooks }) =>
      webhooks.services.recoveries.start(tenantOf(id), id, { since: new Date(EPOCH_MS - 1_000) }),
    );
  };

  const ids = Array.from({ length: endpointCount }, (_, index) => index + 1);
  for (const id of ids) {
    const { customerId } = tenantOf(id);
    urls.set(id, 1);
    const at = new Date(EPOCH_MS);
    database.insert('webhookEndpoints', {
      _id: newObjectId(at),
      id,
      customerId,
      url: urlOf(id, 1),
      description: null,
      events: null,
      enabled: true,
      disabledReason: null,
      secret: `whsec_${'0'.repeat(44)}`,
      ...(isOrdered(id) && { ordering: 'conversation' }),
      failures: 0,
      failingSince: null,
      createdAt: at,
      updatedAt: at,
      revision: 0,
    });
    const counter = database.get('webhookEndpointCounts', customerId);
    database.write('webhookEndpointCounts', String(customerId), {
      _id: customerId,
      count: Number(counter?.count ?? 0) + 1,
    });
    checker.acknowledge(id, { url: urlOf(id, 1), enabled: true });
  }

  /** Inserts retries of an endpoint, before their attempt 5. */
  function insertRetries(endpointId: number, dueAt: Date, number: number): string[] {
    const at = new Date(EPOCH_MS);
    return Array.from({ length: number }, () => {
      const identity = {
        _id: newObjectId(at),
        eventId: newObjectId(at),
        customerId: tenantOf(endpointId).customerId,
        endpointId,
        event: 'conversation.started' as const,
      };
      const state = { status: 'retrying', attempt: 4, lane: 'scheduled', dueAt } as const;
      database.insert('webhookDeliveries', {
        ...newDelivery(identity, state, at),
        lastAttemptAt: at,
        nextRetryAt: dueAt,
        error: 'http_500',
      } as unknown as Doc);
      return identity._id.toHexString();
    });
  }

  function happen(): void {
    const id = random.pick(ids);
    const choice = random.next();
    if (choice < 0.5) void (isOrdered(id) ? acceptInConversation : accept)(tenantOf(id));
    else if (choice < 0.6) void changeUrl(id);
    else if (choice < 0.66) void setEnabled(id, false);
    else if (choice < 0.75) void setEnabled(id, true);
    else if (choice < 0.76) void remove(id);
    else if (choice < 0.78) void rotate(id);
    else if (choice < 0.88) void resend();
    else if (choice < 0.93) void recover(id);
    else receiverOf(urlOf(id, urls.get(id) ?? 1)).behavior = newBehavior();
  }

  /** Starts a process in place of one that ends: within five seconds, or at once if no other runs. */
  function replace(): void {
    if (running().length === 0) startProcess();
    else world.after(random.between(0, 5_000), null, () => void startProcess());
  }

  const faults: Record<string, (process: Service, ms: number) => void> = {
    crash(process) {
      process.alive = false;
      replace();
    },
    stop(process) {
      const exit = (): void => {
        process.alive = false;
      };
      process.stopping = true;
      process.engine.close(random.between(0, 3_000)).then(exit, exit);
      replace();
    },
    pause(process, ms) {
      process.pausedUntilMs = world.nowMs + ms;
    },
    clock(process) {
      process.skewMs = random.between(-MAX_SKEW_MS, MAX_SKEW_MS);
    },
    stall: (_process, ms) => database.stall(ms),
    lag: (_process, ms) => database.stallReplication(ms),
    failover: () => database.failOver(random.between(0, 6_000)),
    rollback(_process, ms) {
      database.stallReplication(ms);
      world.after(ms * 0.9, null, () => database.failOver(random.between(0, 3_000)));
    },
    slow: (_process, ms) => database.slowDown(ms),
  };

  function fail(): void {
    const process = random.pick(running());
    const ms = random.pick([random.between(100, 2_000), random.between(2_000, 15_000)]);
    const name = random.pick(Object.keys(faults));
    note(() => `fault: ${name} of ${process.name}, ${Math.round(ms)} ms`);
    // Commands that are slow or wait for an election end later.
    checker.disturb(2 * ms + 6_000);
    faults[name]?.(process, ms);
  }

  if (hasBacklog)
    for (const id of insertRetries(1, new Date(EPOCH_MS + BACKLOG_DUE_MS), 500)) checker.background.add(id);
  // They become due while first attempts take every slot of the endpoint.
  if (isBurst) insertRetries(1, new Date(EPOCH_MS + 2_000), 3);
  for (let count = random.int(1, 3); count > 0; count -= 1) startProcess();
  database.lossRate = lossRate;
  if (lossRate > 0) checker.disturb(WORKLOAD_MS);
  for (let atMs = random.between(0, 500); atMs < WORKLOAD_MS; atMs += random.between(0, 1_600))
    world.after(atMs, null, happen);
  if (isBurst)
    for (let atMs = 1_000; atMs < 9_000; atMs += 20) world.after(atMs, null, () => void accept(tenantOf(1)));
  if (isOutage) {
    const receiver = receiverOf(urlOf(1, 1));
    const begin = (): unknown => Object.assign(receiver, { behavior: random.pick(OUTAGES) });
    world.after(random.between(0, 3_000), null, begin);
    for (let atMs = 1_000; atMs < WORKLOAD_MS; atMs += random.between(0, 400))
      world.after(atMs, null, () => void accept(tenantOf(1)));
  }
  if (faultsPerSecond > 0)
    for (
      let atMs = random.between(0, 2_000);
      atMs < WORKLOAD_MS;
      atMs += random.between(0, 2_000 / faultsPerSecond)
    )
      world.after(atMs, null, fail);

  await world.run(WORKLOAD_MS + 2_000);
  healed = true;
  database.heal();
  note(() => 'healed');
  for (const receiver of receivers.values()) receiver.behavior = newBehavior();
  // An endpoint that never responded again would keep its deliveries for five days.
  world.after(OUTAGE_ENDS_MS, null, () => {
    for (const receiver of receivers.values())
      if (receiver.behavior === 'failing') receiver.behavior = 'healthy';
  });
  while (running().length < 2) startProcess();

  // The deliveries of a conversation follow one after the other, each after its retries.
  const deadline = world.nowMs + (ids.some(isOrdered) ? CHAIN_LENGTH : 1) * SETTLE_MS;
  const isAtRest = (): boolean =>
    checker.openCount() === 0 &&
    database.documents('webhookRecoveries').size === 0 &&
    // What a crash has left out is inserted by then.
    world.nowMs > WORKLOAD_MS + 85_000 &&
    running().every(({ engine: { gauges } }) => gauges.slotsInUse() + gauges.unwrittenResults() === 0);
  while (!isAtRest() && world.nowMs < deadline) await world.run(Math.min(deadline, world.nowMs + CHECK_MS));
  await world.run(world.nowMs + 500);
  checker.atRest(processes);
  return {
    seed,
    findings: checker.findings,
    accepted: checker.acceptedCount,
    requests: checker.requestCount,
    probes: checker.probeCount,
    duplicates: checker.duplicates(),
    trace,
  };
}

const isOfDatabase = (error: unknown): boolean =>
  error instanceof Error && /^(Mongo|DatabaseUnavailable|WriteUnconfirmed)/.test(error.name);

/** Returns the fields that a write changes. */
function differenceOf(before: Doc | null, after: Doc | null): unknown {
  if (!before || !after) return after;
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  const text = (value: unknown) => JSON.stringify(value);
  return Object.fromEntries(
    [...fields]
      // A new secret has random bytes of the system, so it differs between two runs of a seed.
      .filter((field) => field !== 'secret' && text(before[field]) !== text(after[field]))
      .map((field) => [field, after[field] ?? null]),
  );
}
