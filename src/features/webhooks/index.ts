import type { Config } from '../../config/config.ts';
import type { Models } from '../../database/models.ts';
import type { AppError } from '../../errors/app-error.ts';
import type { RecurringJob } from '../../jobs/recurring-job.ts';
import { createRateWindows } from '../../limits/rate-windows.ts';
import { checkUrl } from '../../outbound/target-policy.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Changes } from '../../platform/mongo/change-stream.ts';
import { createCheckpoint } from '../../platform/mongo/checkpoint.ts';
import type { DocumentRef } from '../../platform/mongo/ids-of-tenants.ts';
import { nextInSequence } from '../../platform/mongo/sequence.ts';
import { reencryptAll } from '../../platform/reencrypt-secrets.ts';
import { type Runtime, systemRuntime } from '../../platform/runtime.ts';
import type { CommitOrder } from '../outbox/commit-order.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { outboxErasureStore } from '../outbox/outbox-erasure.store.ts';
import type { OutboxEventStore } from '../outbox/outbox-event.store.ts';
import { outboxExportStore, type ScopedConversations } from '../outbox/outbox-export.store.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import type { DeliveryDoc } from './delivery/delivery.model.ts';
import { deliveryService } from './delivery/delivery.service.ts';
import { deliveryStore } from './delivery/delivery.store.ts';
import { deliveryErasureStore } from './delivery/delivery-erasure.store.ts';
import { deliveryExportStore } from './delivery/delivery-export.store.ts';
import { createDeliveryFeed } from './delivery/delivery-feed.ts';
import { explanationService } from './delivery/explanation.service.ts';
import { LANES } from './delivery/state.ts';
import { recoveryService } from './delivery/sweep/recovery.service.ts';
import { recoveryStore } from './delivery/sweep/recovery.store.ts';
import { createFanOutRepair } from './delivery/sweep/repair.ts';
import { createEventRetention } from './delivery/sweep/retention.ts';
import { retryBacklogService } from './delivery/sweep/retry-backlog.ts';
import type { DeliveryEngine } from './delivery-engine.ts';
import { createCertificateCheck } from './endpoints/certificate-expiry.ts';
import { endpointService } from './endpoints/endpoint.service.ts';
import { createEndpointEvents } from './endpoints/endpoint-events.ts';
import { type EncryptedValue, encryptedValues } from './endpoints/endpoint-secrets.ts';
import { createPublicKeys } from './endpoints/public-keys.ts';
import { testEventService } from './endpoints/test-event.service.ts';
import { createUrlVerification } from './endpoints/url-verification.ts';
import { eventErasure } from './event-erasure.ts';
import { eventExport } from './event-export.ts';
import type { OperationalEvents } from './operational-events.ts';
import { statisticsService } from './statistics/statistics.service.ts';

interface Deps {
  models: Models;
  engine: DeliveryEngine;
  outbox: Outbox<DeliveryDoc>;
  order: CommitOrder;
  events: OutboxEventStore;
  encryption: FieldEncryption;
  /** Finds the conversations of an export. */
  conversations: ScopedConversations;
  changes: Changes;
  /** Keeps the events of conversations that retention removes for their timelines. */
  keepInTimelines: (events: readonly DocumentRef[]) => Promise<ReadonlySet<string>>;
  /** Removes the entries of events that retention removes from the logs of event feeds. */
  removeFromLog: (events: readonly DocumentRef[]) => Promise<void>;
  /** Returns the error for an endpoint beyond the limit. */
  endpointLimitRefusal: () => AppError;
  operationalEvents: OperationalEvents;
  clock: Clock;
  log: Logger;
  config: Pick<
    Config,
    'webhookRetryDelaysMs' | 'webhookTimeoutMs' | 'webhookVerification' | 'deliveryRetentionMs'
  >;
  runtime?: Runtime;
}

/** Interval of claims and recoveries while any is due soon. Milliseconds. */
const BUSY_INTERVAL_MS = 1_000;
/** Interval of claims and recoveries otherwise: the latest time at which work of another process is noticed. Milliseconds. */
const IDLE_INTERVAL_MS = 5_000;
/** How far ahead due deliveries keep the claims at the busy interval; at least the idle interval. Milliseconds. */
const LOOK_AHEAD_MS = 60_000;
const RETENTION_INTERVAL_MS = 600_000;
/** Interval at which client certificates that expire soon are logged. Milliseconds. */
const CERTIFICATE_INTERVAL_MS = 24 * 60 * 60 * 1000;
const REPAIR_INTERVAL_MS = 10_000;
/** Interval at which endpoints with a backlog are logged. Milliseconds. */
const BACKLOG_INTERVAL_MS = 60_000;

export const CLAIM_JOB = 'webhooks.claim';
const ORDER_JOB = 'webhooks.order';
export const REPAIR_JOB = 'webhooks.repair';

/** Endpoints and deliveries as clients manage them, and the recurring jobs. */
export function createWebhooks({
  models,
  engine,
  outbox,
  order,
  events,
  encryption,
  conversations,
  changes,
  keepInTimelines,
  removeFromLog,
  endpointLimitRefusal,
  operationalEvents,
  clock,
  log,
  config,
  runtime = systemRuntime,
}: Deps) {
  const {
    endpoints,
    statistics,
    queue,
    secrets,
    sendToEndpoint,
    dispatcher,
    order: deliveryOrder,
    cancelBacklog,
  } = engine;
  const windows = createRateWindows(models.RateWindow, clock);
  const recoveries = recoveryStore(models);
  const recovery = recoveryService({ endpoints, queue, recoveries, clock, log, wake: dispatcher.wake });
  const repair = createFanOutRepair({
    events,
    queue,
    checkpoint: createCheckpoint(models.Checkpoint, REPAIR_JOB),
    clock,
    log,
    runtime,
  });
  const retentionMs = config.deliveryRetentionMs;
  const retention = createEventRetention({
    events,
    queue,
    keepInTimelines,
    removeFromLog,
    clock,
    log,
    retentionMs,
    repair,
    runtime,
  });

  // At most the shortest delay of a retry, so that a claim sees each retry before it is due.
  const claimInterval = Math.max(
    BUSY_INTERVAL_MS,
    Math.min(IDLE_INTERVAL_MS, ...config.webhookRetryDelaysMs),
  );

  /** Claims due deliveries; returns true if any delivery is or becomes due soon. */
  async function claimDue(): Promise<boolean> {
    await dispatcher.poll();
    const soon = new Date(clock.now().getTime() + LOOK_AHEAD_MS);
    const due = await Promise.all(
      LANES.map((lane) => queue.endpointsDue({ lane, now: soon, after: null, limit: 1 })),
    );
    return due.some((endpoints) => endpoints.length > 0);
  }

  /** Makes deliveries due that a crash has left held, and claims them; returns true if there were any. */
  async function sweepOrder(): Promise<boolean> {
    const hasFound = await deliveryOrder.sweep();
    if (hasFound) await dispatcher.poll();
    return hasFound;
  }

  async function* storedSecrets(): AsyncGenerator<EncryptedValue> {
    for await (const endpoint of endpoints.all()) yield* encryptedValues(endpoint);
  }

  const owned = outboxErasureStore(models, encryption);
  const erasure = eventErasure({ events: owned, deliveries: deliveryErasureStore(models, encryption) });
  const storedDeliveries = deliveryStore(models, encryption);
  const deliveries = deliveryService({
    deliveries: storedDeliveries,
    events,
    endpoints,
    queue,
    dispatcher,
    gates: engine.gates,
    deliveryOrder,
    order,
    clock,
  });

  return {
    services: {
      endpoints: endpointService({
        endpoints,
        cancelBacklog,
        recoveries,
        statistics,
        outbox,
        secrets,
        clock,
        checkUrl: (url) => checkUrl(url, engine.targetPolicy),
        limitRefusal: endpointLimitRefusal,
        timeoutMs: config.webhookTimeoutMs,
        gates: engine.gates,
        wake: dispatcher.wake,
        verifyUrl: createUrlVerification({
          sendToEndpoint,
          secrets,
          windows,
          clock,
          timeoutMs: config.webhookTimeoutMs,
          required: config.webhookVerification === 'required',
        }),
        nextId: () => nextInSequence(models.Counter, 'webhookEndpoints'),
      }),
      webhookKeys: createPublicKeys({ endpoints, clock }),
      deliveries,
      explanations: explanationService({
        events,
        endpoints,
        deliveries: storedDeliveries,
        waits: deliveries.waits,
      }),
      webhookStatistics: statisticsService({ endpoints, queue, statistics, clock }),
      recoveries: recovery,
      retryBacklog: retryBacklogService({ endpoints, queue, clock, wake: dispatcher.wake, runtime }),
      testEvents: testEventService({
        endpoints,
        outbox,
        windows,
        clock,
      }),
      deliveryFeed: createDeliveryFeed({ changes, events, deliveries: storedDeliveries }),
      backlogs: engine.backlogs,
    },
    jobs: [
      { name: CLAIM_JOB, every: claimInterval, busyEvery: BUSY_INTERVAL_MS, run: claimDue },
      {
        name: 'webhooks.recover',
        every: IDLE_INTERVAL_MS,
        busyEvery: BUSY_INTERVAL_MS,
        run: recovery.feedAll,
      },
      {
        name: 'webhooks.events',
        every: IDLE_INTERVAL_MS,
        busyEvery: BUSY_INTERVAL_MS,
        run: createEndpointEvents({ endpoints, operationalEvents, outbox, clock, log }),
      },
      { name: ORDER_JOB, every: IDLE_INTERVAL_MS, busyEvery: BUSY_INTERVAL_MS, run: sweepOrder },
      { name: REPAIR_JOB, every: REPAIR_INTERVAL_MS, run: repair },
      { name: 'webhooks.backlog', every: BACKLOG_INTERVAL_MS, run: engine.backlogs.logLongest },
      {
        name: 'webhooks.certificates',
        every: CERTIFICATE_INTERVAL_MS,
        run: createCertificateCheck({ endpoints, clock, log }),
      },
      { name: 'webhooks.retention', every: RETENTION_INTERVAL_MS, run: retention.run },
    ] satisfies RecurringJob[],

    erasure,
    personalData: erasure.personalData,
    exportSources: eventExport({
      events: outboxExportStore(models, { conversations, encryption }),
      owned,
      deliveries: deliveryExportStore(models, encryption),
      conversations,
    }),
    retentionSteps: [retention.ofTenant],

    /** Returns true if a secret of an endpoint is stored that does not match the pattern. */
    hasSecretUnderUnknownKey: endpoints.hasSecretUnderUnknownKey,

    /** Re-encrypts every secret of an endpoint that is under an older key; safe while the service runs. */
    rotateSecrets: () => reencryptAll(storedSecrets(), secrets.reencrypt, endpoints.replaceEncrypted),
  };
}
