import { AppError } from '../../../../src/errors/app-error.ts';
import { createCommitOrder } from '../../../../src/features/outbox/commit-order.ts';
import type { Outbox } from '../../../../src/features/outbox/outbox.ts';
import { createOutbox } from '../../../../src/features/outbox/outbox.ts';
import { outboxEventStore } from '../../../../src/features/outbox/outbox-event.store.ts';
import type { OutboxEvent } from '../../../../src/features/outbox/outbox-event.ts';
import { NO_ENCRYPTION } from '../../../../src/features/privacy/field-encryption.ts';
import type { DeliveryDoc } from '../../../../src/features/webhooks/delivery/delivery.model.ts';
import { createDeliveryEngine } from '../../../../src/features/webhooks/delivery-engine.ts';
import { createWebhooks } from '../../../../src/features/webhooks/index.ts';
import { createOperationalEvents } from '../../../../src/features/webhooks/operational-events.ts';
import type { OutboundClient } from '../../../../src/outbound/outbound-client.ts';
import type { Cipher } from '../../../../src/platform/cipher.ts';
import type { Clock } from '../../../../src/platform/clock.ts';
import type { Coherence } from '../../../../src/platform/coherence/coherence.ts';
import type { Plan } from '../../../../src/platform/commit/unit-of-work.ts';
import type { Logger } from '../../../../src/platform/logger.ts';
import type { WriteOutage } from '../../../../src/platform/mongo/outages.ts';
import type { Runtime } from '../../../../src/platform/runtime.ts';
import type { SimulatedDatabase } from './database.ts';
import { executeOperation, simulatedModels } from './models.ts';
import type { Actor, World } from './world.ts';

/** Time of the database at the start of a run. */
export const EPOCH_MS = Date.UTC(2026, 0, 1);

export const CONFIG = {
  publicUrl: 'http://127.0.0.1:4000',
  webhookAllowPrivateTargets: false,
  webhookAllowedSubnets: [],
  webhookBlockedPorts: new Set<number>(),
  webhookVerification: 'optional' as const,
  webhookConcurrency: 8,
  webhookConcurrencyPerTenant: 6,
  webhookConcurrencyPerEndpoint: 4,
  webhookTimeoutMs: 2_000,
  webhookRetryDelaysMs: [3_000, 20_000, 120_000] as [number, number, number],
  deliveryRetentionMs: 60_000,
};

const NO_OUTAGE: WriteOutage = {
  count: () => 0,
  isOut: () => false,
  guard: (work) => work(),
  refusal: () => null,
  onBegin: () => {},
};

/** Secrets are not what is simulated. */
const PLAIN: Cipher = {
  primaryKeyId: 'plain',
  keyIds: ['plain'],
  encrypt: (plain: string) => plain,
  decrypt: (text: string) => text,
  reencrypt: () => null,
} as unknown as Cipher;

/** Caches of the processes: a change is visible in all of them once it resolves, as the protocol of coherence ensures. */
export class SimulatedCoherence {
  readonly #caches = new Map<Actor, Parameters<Coherence['subscribe']>[0]>();
  /** Number of changes in progress by topic. */
  readonly #fences = new Map<string, number>();

  of(actor: Actor): Coherence {
    return {
      isLeased: () => true,
      mayCache: (topic) => !this.#fences.has(topic),
      subscribe: (listener) => void this.#caches.set(actor, listener),
      change: async (topics, make) => {
        this.#change(topics, 1);
        try {
          return await make();
        } finally {
          this.#change(topics, -1);
        }
      },
      hold: (_topics, work) => work(),
      awaitHolders: async () => true,
      close: async () => {},
    };
  }

  #change(topics: readonly string[], by: number): void {
    for (const topic of topics) {
      const count = (this.#fences.get(topic) ?? 0) + by;
      if (count === 0) this.#fences.delete(topic);
      else this.#fences.set(topic, count);
      for (const cache of this.#caches.values()) cache.drop(topic);
    }
  }
}

interface ServiceDeps {
  name: string;
  world: World;
  database: SimulatedDatabase;
  coherence: SimulatedCoherence;
  /** Sends a request of the process. */
  send: (
    process: Service,
    request: Parameters<OutboundClient['send']>[0],
  ) => ReturnType<OutboundClient['send']>;
  /** Receives what the process logs as an error, which is a finding unless it is expected. */
  onError: (message: string, error: unknown) => void;
}

/** A process of the service: the real delivery engine and its jobs, on a simulated runtime, database and network. */
export class Service implements Actor {
  readonly name: string;
  alive = true;
  pausedUntilMs = 0;
  /** True once it was asked to stop. */
  stopping = false;
  /** Difference of its clock to the database's. Milliseconds. */
  skewMs = 0;
  readonly clock: Clock;
  readonly engine: ReturnType<typeof createDeliveryEngine>;
  readonly webhooks: ReturnType<typeof createWebhooks>;
  readonly outbox: ReturnType<typeof createOutbox>;
  readonly #database: SimulatedDatabase;
  readonly #events: ReturnType<typeof outboxEventStore>;

  constructor(deps: ServiceDeps) {
    const { name, world, database } = deps;
    this.name = name;
    this.clock = { now: () => new Date(EPOCH_MS + Math.floor(world.nowMs + this.skewMs)) };
    const runtime = this.#runtime(world);
    const { clock } = this;
    this.#database = database;
    const models = simulatedModels(database, this);
    const events = outboxEventStore(models, NO_ENCRYPTION);
    this.#events = events;
    const ignore = () => {};
    const log = {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: ({ err }: { err: unknown }, message: string) => deps.onError(message, err),
    } as unknown as Logger;
    const observer = { onEvent: ignore, onAttempt: ignore, onFirstSuccess: ignore, onFinished: ignore };
    const shared = { models, events, encryption: NO_ENCRYPTION, clock, log, runtime, config: CONFIG };
    this.engine = createDeliveryEngine({
      ...shared,
      performDisabling: (_disabling, disable) => disable(),
      coherence: deps.coherence.of(this),
      suspensions: { all: async () => [], isSuspended: async () => false },
      cipher: PLAIN,
      observer,
      tracing: null,
      outbound: { send: (request) => deps.send(this, request), close: async () => {} },
    });
    const order = createCommitOrder(clock);
    this.outbox = createOutbox({
      connection: {} as never,
      order,
      events,
      fanOut: this.engine.fanOut,
      onEvent: ignore,
      clock,
      log,
      tracing: null,
      outages: NO_OUTAGE,
      limit: null,
      runtime,
    });
    this.webhooks = createWebhooks({
      ...shared,
      engine: this.engine,
      outbox: this.#transactions(database),
      order,
      conversations: {} as never,
      changes: {} as never,
      keepInTimelines: async () => new Set(),
      removeFromLog: async () => {},
      endpointLimitRefusal: () => new AppError('CONFLICT', 'too many endpoints'),
      operationalEvents: createOperationalEvents({
        subscribes: this.engine.endpoints.subscribes,
        getTenant: async (customerId) => ({
          customerId,
          orgId: `org_${customerId}`,
          name: '',
          createdAt: new Date(EPOCH_MS),
        }),
      }),
    });
  }

  #runtime(world: World): Runtime {
    let tokens = 0;
    return {
      monotonicMs: () => world.nowMs,
      sleep: (ms) => new Promise((resolve) => void world.after(ms, this, resolve)),
      after: (ms, run) => world.after(ms, this, run),
      every: (ms, run) => {
        let cancel = () => {};
        const next = () => {
          cancel = world.after(ms, this, () => {
            next();
            run();
          });
        };
        next();
        return () => cancel();
      },
      soon: (run) => void world.after(0, this, run),
      random: world.random.next,
      newToken: () => `${this.name}/${++tokens}`,
    };
  }

  /** Commits an event and its deliveries as one command, in place of the transaction with the change of a conversation. */
  async publishInTransaction(event: OutboxEvent): Promise<DeliveryDoc[]> {
    const now = this.clock.now();
    const { insertions, deliveries, filteredOut, committed, aborted } = await this.engine.fanOut(
      [event],
      now,
    );
    const planned = deliveries.flat();
    const insertionOf = await this.#events.insertions([event]);
    const insertion = insertionOf(event, {
      createdAt: now,
      deliveries: planned,
      filteredOut: filteredOut.flat(),
    });
    const database = this.#database;
    try {
      await database.command(this, {
        majority: true,
        retryable: true,
        execute() {
          for (const { collection, operation } of [insertion, ...insertions])
            executeOperation(database, collection.collectionName, operation as never);
        },
      });
    } catch (error) {
      aborted();
      throw error;
    }
    committed();
    return planned;
  }

  /** Commits the writes of an endpoint's change as one command, in place of a transaction. */
  #transactions(database: SimulatedDatabase): Outbox<never> {
    const commit = async <T>(plan: Plan<never, T>) => {
      const { writes, result } = await plan();
      await database.command(this, {
        majority: true,
        retryable: true,
        execute() {
          for (const { collection, operation } of writes)
            executeOperation(database, collection.collectionName, operation as never);
        },
      });
      return { result, effects: [] };
    };
    return { commit } as unknown as Outbox<never>;
  }
}
