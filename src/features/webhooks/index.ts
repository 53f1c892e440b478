import type { Config } from '../../config.ts';
import type { Models } from '../../database.ts';
import type { RecurringJob } from '../../jobs/recurring-job.ts';
import { checkUrl } from '../../outbound/target-policy.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Changes } from '../../platform/mongo/change-stream.ts';
import { createCheckpoint } from '../../platform/mongo/checkpoint.ts';
import { createRateWindows } from '../../platform/mongo/rate-windows.ts';
import { nextInSequence } from '../../platform/mongo/sequence.ts';
import { reencryptAll } from '../../platform/reencrypt-secrets.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { OutboxEventStore } from '../outbox/outbox-event.store.ts';
import type { DeliveryDoc } from './delivery/delivery.model.ts';
import { deliveryService } from './delivery/delivery.service.ts';
import { deliveryStore } from './delivery/delivery.store.ts';
import { createDeliveryFeed } from './delivery/delivery-feed.ts';
import type { DeliveryEngine } from './delivery-engine.ts';
import { endpointService } from './endpoints/endpoint.service.ts';
import { testEventService } from './endpoints/test-event.service.ts';
import { createFanOutRepair } from './fan-out-repair.ts';
import { recoveryService } from './recovery/recovery.service.ts';
import { recoveryStore } from './recovery/recovery.store.ts';
import { createRetention } from './retention.ts';

interface Deps {
  models: Models;
  engine: DeliveryEngine;
  outbox: Outbox<DeliveryDoc>;
  events: OutboxEventStore;
  changes: Changes;
  clock: Clock;
  log: Logger;
  config: Pick<Config, 'webhookAllowPrivateTargets' | 'deliveryRetentionMs'>;
}

/** Intervals of the recurring jobs. Milliseconds. */
const POLL_INTERVAL_MS = 1_000;
const RECOVERY_INTERVAL_MS = 1_000;
const RETENTION_INTERVAL_MS = 600_000;
const REPAIR_INTERVAL_MS = 10_000;

const REPAIR_JOB = 'webhooks.repair';

/** Endpoints and deliveries as clients manage them, and the recurring jobs. */
export function createWebhooks({ models, engine, outbox, events, changes, clock, log, config }: Deps) {
  const { endpoints, queue, secrets, dispatcher } = engine;
  const recoveries = recoveryStore(models);
  const recovery = recoveryService({ endpoints, queue, recoveries, clock, log, wake: dispatcher.wake });
  const retention = createRetention({ events, queue, clock, log, retentionMs: config.deliveryRetentionMs });
  const repair = createFanOutRepair({
    events,
    queue,
    checkpoint: createCheckpoint(models.Checkpoint, REPAIR_JOB),
    clock,
    log,
  });

  return {
    services: {
      endpoints: endpointService({
        endpoints,
        queue,
        recoveries,
        outbox,
        secrets,
        clock,
        checkUrl: (url) => checkUrl(url, { allowPrivate: config.webhookAllowPrivateTargets }),
        nextId: () => nextInSequence(models.Counter, 'webhookEndpoints'),
      }),
      deliveries: deliveryService({
        deliveries: deliveryStore(models),
        events,
        endpoints,
        queue,
        dispatcher,
        clock,
      }),
      recoveries: recovery,
      testEvents: testEventService({
        endpoints,
        outbox,
        windows: createRateWindows(models.RateWindow, clock),
        clock,
      }),
      deliveryFeed: createDeliveryFeed({ changes, events }),
    },
    jobs: [
      { name: 'webhooks.claim', every: POLL_INTERVAL_MS, run: dispatcher.poll },
      { name: 'webhooks.recover', every: RECOVERY_INTERVAL_MS, run: recovery.feedAll },
      { name: REPAIR_JOB, every: REPAIR_INTERVAL_MS, run: repair },
      { name: 'webhooks.retention', every: RETENTION_INTERVAL_MS, run: retention },
    ] satisfies RecurringJob[],

    /** Returns true if a signing secret is stored that does not match the pattern. */
    hasSecretNotMatching: endpoints.hasSecretNotMatching,

    /** Re-encrypts every signing secret that is under an older key; safe while the service runs. */
    rotateSecrets: () =>
      reencryptAll(
        endpoints.all(),
        ({ id, secret }) => secrets.reencrypt(id, secret),
        ({ id, secret }, encrypted) => endpoints.replaceSecret(id, secret, encrypted),
      ),
  };
}
