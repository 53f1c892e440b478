import type { Connection } from 'mongoose';
import type { Config } from '../../config.ts';
import type { Models } from '../../database.ts';
import type { RecurringJob } from '../../jobs/recurring-job.ts';
import { checkUrl } from '../../outbound/address-policy.ts';
import { createOutbound } from '../../outbound/client.ts';
import type { Cipher } from '../../platform/cipher.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Changes } from '../../platform/mongo/changes.ts';
import { createCommitter } from '../../platform/mongo/committer.ts';
import { createRateWindows } from '../../platform/mongo/rate-windows.ts';
import { nextInSequence } from '../../platform/mongo/sequence.ts';
import { deliveryService } from './deliveries.service.ts';
import { deliveryStore } from './deliveries.store.ts';
import { createDispatcher } from './dispatcher.ts';
import { createEndpointHealth } from './endpoint-health.ts';
import { endpointService } from './endpoints.service.ts';
import { endpointStore } from './endpoints.store.ts';
import { createDeliveryFeed } from './feed.ts';
import { createFinisher } from './finisher.ts';
import { createOutbox, type OutgoingEvent } from './outbox.ts';
import { queueStore } from './queue.store.ts';
import { recoveryService } from './recovery.service.ts';
import { createRetention } from './retention.ts';
import { createSecretBox } from './secrets.ts';
import { createSlots } from './slots.ts';
import { testEventService } from './test-events.service.ts';

interface Deps {
  connection: Connection;
  models: Models;
  cipher: Cipher;
  changes: Changes;
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
export function createWebhooks({ connection, models, cipher, changes, clock, log, config }: Deps) {
  const endpoints = endpointStore(models);
  const queue = queueStore(models);
  const secrets = createSecretBox(cipher);
  const outbound = createOutbound({ allowPrivate: config.webhookAllowPrivateTargets });
  const health = createEndpointHealth({ endpoints, queue, clock, log });
  const dispatcher = createDispatcher({
    queue,
    endpoints,
    finisher: createFinisher(queue, log),
    health,
    slots: createSlots({
      total: config.webhookConcurrency,
      perEndpoint: config.webhookConcurrencyPerEndpoint,
    }),
    secrets,
    outbound,
    clock,
    log,
    timeoutMs: config.webhookTimeoutMs,
    delays: config.webhookRetryDelaysMs,
  });
  const committer = createCommitter<OutgoingEvent>({
    connection,
    expand: createOutbox({ models, endpoints, dispatcher, clock }),
    log,
  });
  const recoveries = recoveryService({
    endpoints,
    queue,
    clock,
    log,
    wake: () => void dispatcher.pump().catch(() => {}),
  });
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

    /** Seals every signing secret that is under an older key anew, under the first one, while the service runs. */
    async rotateSecrets(): Promise<{ checked: number; resealed: number }> {
      let checked = 0;
      let resealed = 0;
      for await (const { id, secret } of endpoints.all()) {
        checked += 1;
        const sealed = secrets.reseal(id, secret);
        if (sealed !== null && (await endpoints.reseal(id, secret, sealed))) resealed += 1;
      }
      return { checked, resealed };
    },

    async close(graceMs: number): Promise<void> {
      await committer.idle();
      await dispatcher.drain(graceMs);
      clearInterval(healthTimer);
      await outbound.close(500);
    },
  };
}
