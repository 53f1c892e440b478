import type { Connection } from 'mongoose';
import type { Config } from '../../config.ts';
import type { Models } from '../../database.ts';
import type { RecurringJob } from '../../jobs/recurring-job.ts';
import { createOutboundClient } from '../../outbound/outbound-client.ts';
import { checkUrl } from '../../outbound/target-policy.ts';
import type { Cipher } from '../../platform/cipher.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Changes } from '../../platform/mongo/changes.ts';
import { createCommitter } from '../../platform/mongo/committer.ts';
import { createRateWindows } from '../../platform/mongo/rate-windows.ts';
import { nextInSequence } from '../../platform/mongo/sequence.ts';
import { reencryptAll } from '../../platform/reencrypt-secrets.ts';
import type { Tracing } from '../../platform/tracing/tracing.ts';
import { deliveryService } from './deliveries.service.ts';
import { deliveryStore } from './deliveries.store.ts';
import { createDispatcher } from './dispatcher.ts';
import { createEndpointHealth } from './endpoint-health.ts';
import { endpointService } from './endpoints.service.ts';
import { endpointStore } from './endpoints.store.ts';
import { createDeliveryFeed } from './feed.ts';
import { createFinisher } from './finisher.ts';
import type { DeliveryObserver } from './observer.ts';
import { createOutbox, type OutgoingEvent } from './outbox.ts';
import { queueStore } from './queue.store.ts';
import { queueSizeStore } from './queue-size.store.ts';
import { recoveryService } from './recovery.service.ts';
import { createRetention } from './retention.ts';
import { createSecretBox } from './secrets.ts';
import { createSlots } from './slots.ts';
import { testEventService } from './test-events.service.ts';
import { LANES } from './webhooks.model.ts';

interface Deps {
  connection: Connection;
  models: Models;
  cipher: Cipher;
  changes: Changes;
  /** Told of what happens to deliveries, for the operator's numbers. */
  observer: DeliveryObserver;
  tracing: Tracing | null;
  clock: Clock;
  log: Logger;
  config: Pick<
    Config,
    | 'webhookAllowPrivateTargets'
    | 'webhookConcurrency'
    | 'webhookConcurrencyPerEndpoint'
    | 'webhookRetryDelaysMs'
    | 'webhookTimeoutMs'
    | 'deliveryRetentionMs'
  >;
}

/** How often the clock looks for what is due. Milliseconds; as `RecurringJob.every`. */
const CLAIM_EVERY_MS = 1_000;
const FEED_EVERY_MS = 1_000;
const RETENTION_EVERY_MS = 600_000;
/** How often failures counted in memory are written to their endpoints. */
const HEALTH_FLUSH_MS = 2_000;

/** Endpoints, their deliveries, and the committer that every feature's events leave through. */
export function createWebhooks(deps: Deps) {
  const { connection, models, cipher, changes, observer, tracing, clock, log, config } = deps;
  const endpoints = endpointStore(models);
  const queue = queueStore(models);
  const secrets = createSecretBox(cipher);
  const outbound = createOutboundClient({ allowPrivate: config.webhookAllowPrivateTargets });
  const health = createEndpointHealth({ endpoints, queue, clock, log });
  const finisher = createFinisher(queue, log);
  const slots = createSlots({
    total: config.webhookConcurrency,
    perEndpoint: config.webhookConcurrencyPerEndpoint,
  });
  const dispatcher = createDispatcher({
    queue,
    endpoints,
    finisher,
    health,
    slots,
    secrets,
    outbound,
    observer,
    tracing,
    clock,
    log,
    timeoutMs: config.webhookTimeoutMs,
    delays: config.webhookRetryDelaysMs,
  });
  const committer = createCommitter<OutgoingEvent>({
    connection,
    expand: createOutbox({ models, endpoints, dispatcher, observer, clock }),
    log,
    tracing,
  });
  const recoveries = recoveryService({
    endpoints,
    queue,
    clock,
    log,
    wake: () => void dispatcher.pump().catch(() => {}),
  });
  const queueSize = queueSizeStore(models);
  const retention = createRetention({ queue, clock, log, retentionMs: config.deliveryRetentionMs });
  const healthTimer = setInterval(() => {
    health
      .flush()
      .catch((error: unknown) => log.warn({ err: error }, 'failures of endpoints could not be counted'));
  }, HEALTH_FLUSH_MS).unref();

  return {
    committer,
    services: {
      endpoints: endpointService({
        endpoints,
        queue,
        committer,
        secrets,
        clock,
        checkUrl: (url) => checkUrl(url, { allowPrivate: config.webhookAllowPrivateTargets }),
        nextId: () => nextInSequence(models.Counter, 'webhookEndpoints'),
      }),
      deliveries: deliveryService({ deliveries: deliveryStore(models), endpoints, queue, dispatcher, clock }),
      recoveries,
      testEvents: testEventService({
        endpoints,
        committer,
        windows: createRateWindows(models.RateWindow, clock),
        clock,
      }),
      feed: createDeliveryFeed(changes),
    },
    jobs: [
      { name: 'webhooks.claim', every: CLAIM_EVERY_MS, run: dispatcher.pump },
      { name: 'webhooks.recover', every: FEED_EVERY_MS, run: recoveries.feedAll },
      { name: 'webhooks.retention', every: RETENTION_EVERY_MS, run: retention },
    ] satisfies RecurringJob[],

    /** What an operator is shown of this process, and of the queue that all processes share. */
    gauges: {
      async queue() {
        const now = clock.now();
        const sizes = await Promise.all(LANES.map((lane) => queueSize.lane(lane, now)));
        return sizes.map(({ oldestDueAt, ...size }) => ({
          ...size,
          oldestDueAgeSeconds: oldestDueAt ? (now.getTime() - oldestDueAt.getTime()) / 1000 : 0,
        }));
      },
      slots: config.webhookConcurrency,
      slotsInUse: slots.inFlight,
      waitingHere: dispatcher.waiting,
      unwrittenResults: finisher.backlog,
      uncommittedUnits: committer.waiting,
    },

    /** Seals every signing secret that is under an older key anew, under the first one, while the service runs. */
    rotateSecrets: () =>
      reencryptAll(
        endpoints.all(),
        ({ id, secret }) => secrets.reseal(id, secret),
        ({ id, secret }, sealed) => endpoints.reseal(id, secret, sealed),
      ),

    async close(graceMs: number): Promise<void> {
      await committer.idle();
      await dispatcher.drain(graceMs);
      clearInterval(healthTimer);
      await outbound.close(500);
    },
  };
}
