import type { Config } from '../../config/config.ts';
import type { Models } from '../../database/models.ts';
import { createLookup } from '../../outbound/dns-lookup.ts';
import { createOutboundClient, type OutboundClient } from '../../outbound/outbound-client.ts';
import type { OutboundProxy } from '../../outbound/proxy.ts';
import type { TargetPolicy } from '../../outbound/target-policy.ts';
import type { Cipher } from '../../platform/cipher.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Coherence } from '../../platform/coherence/coherence.ts';
import type { Logger } from '../../platform/logger.ts';
import { type Runtime, systemRuntime } from '../../platform/runtime.ts';
import type { Tracing } from '../../platform/tracing/tracing.ts';
import type { OutboxEventStore } from '../outbox/outbox-event.store.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import type { Suspensions } from '../tenants/suspensions.ts';
import { createBacklogs } from './delivery/backlogs.ts';
import { createDispatcher } from './delivery/dispatcher.ts';
import { createEndpointRequests } from './delivery/endpoint-requests.ts';
import { createGates } from './delivery/gate.ts';
import { createMtlsClients } from './delivery/mtls-clients.ts';
import { createOAuthTokens } from './delivery/oauth-tokens.ts';
import { orderStore } from './delivery/order.store.ts';
import { createDeliveryOrder } from './delivery/order.ts';
import { queueStore } from './delivery/queue.store.ts';
import { queueSizeStore } from './delivery/queue-size.store.ts';
import { createResultWriter } from './delivery/results.ts';
import { sendQuotaStore } from './delivery/send-quota.store.ts';
import { createSlots } from './delivery/slots.ts';
import { createOutageRecovery } from './delivery/sweep/outage-recovery.ts';
import { recoveryStore } from './delivery/sweep/recovery.store.ts';
import type { DeliveryObserver } from './delivery-metrics.ts';
import { createAutoDisable, type PerformDisabling } from './endpoints/auto-disable.ts';
import { createCancelBacklog } from './endpoints/cancel-backlog.ts';
import { endpointStore } from './endpoints/endpoint.store.ts';
import { createEndpointSecrets } from './endpoints/endpoint-secrets.ts';
import { createFanOut } from './fan-out.ts';
import { createResultCounter } from './statistics/result-counter.ts';
import { statisticsStore } from './statistics/statistics.store.ts';

interface Deps {
  performDisabling: PerformDisabling;
  suspensions: Pick<Suspensions, 'all' | 'isSuspended'>;
  models: Models;
  coherence: Coherence;
  events: OutboxEventStore;
  cipher: Cipher;
  encryption: FieldEncryption;
  observer: DeliveryObserver;
  tracing: Tracing | null;
  clock: Clock;
  log: Logger;
  config: Pick<
    Config,
    | 'publicUrl'
    | 'webhookAllowedSubnets'
    | 'webhookAllowPrivateTargets'
    | 'webhookBlockedPorts'
    | 'webhookConcurrency'
    | 'webhookConcurrencyPerEndpoint'
    | 'webhookConcurrencyPerTenant'
    | 'webhookRetryDelaysMs'
    | 'webhookTimeoutMs'
  >;
  proxy?: OutboundProxy | null;
  /** Sends over HTTP by default. */
  outbound?: OutboundClient;
  runtime?: Runtime;
}

/** Interval at which failures counted in memory are written to their endpoints. Milliseconds. */
const AUTO_DISABLE_FLUSH_MS = 2_000;
/** Interval at which results counted in memory are added to the statistics; a killed process loses as much. Milliseconds. */
const STATISTICS_FLUSH_MS = 1_000;
/** Time limit for closing the outbound client. Milliseconds. */
const CLOSE_GRACE_MS = 500;

/** The part of webhooks that sends: from the fan-out of an event to the result of its last attempt. */
export function createDeliveryEngine(deps: Deps) {
  const { models, coherence, events, cipher, encryption, observer, tracing, clock, log, config } = deps;
  const { proxy = null, runtime = systemRuntime } = deps;
  const endpoints = endpointStore(models, coherence, { suspensions: deps.suspensions, runtime });
  const queue = queueStore({ Delivery: models.Delivery, events, encryption, runtime });
  const secrets = createEndpointSecrets(cipher);
  const targetPolicy: TargetPolicy = {
    allowPrivate: config.webhookAllowPrivateTargets,
    allowedSubnets: config.webhookAllowedSubnets,
    blockedPorts: config.webhookBlockedPorts,
  };
  const options = { ...targetPolicy, lookup: createLookup(), proxy };
  const outbound = deps.outbound ?? createOutboundClient(options);
  const mtlsClients = createMtlsClients((secureContext) =>
    createOutboundClient({ ...options, secureContext }),
  );
  const cancelBacklog = createCancelBacklog({ endpoints, queue, clock, runtime });
  const autoDisable = createAutoDisable({
    endpoints,
    cancelBacklog,
    recoverOutage: createOutageRecovery({
      endpoints,
      recoveries: recoveryStore(models),
      clock,
      log,
    }),
    performDisabling: deps.performDisabling,
    delays: config.webhookRetryDelaysMs,
    clock,
    log,
    random: runtime.random,
  });
  const statistics = statisticsStore(models);
  const resultCounter = createResultCounter({ statistics, endpoints, runtime });
  const results = createResultWriter(queue, log, runtime);
  const slots = createSlots({
    total: config.webhookConcurrency,
    perTenant: config.webhookConcurrencyPerTenant,
    perEndpoint: config.webhookConcurrencyPerEndpoint,
  });
  const sendToEndpoint = createEndpointRequests({
    outbound,
    tokens: createOAuthTokens({ outbound, clock }),
    mtlsClients,
  });
  const gates = createGates({
    endpoints,
    quotas: sendQuotaStore(models),
    clock,
    timeoutMs: config.webhookTimeoutMs,
  });
  const queueSize = queueSizeStore(models, gates.closed);
  const backlogs = createBacklogs({ queueSize, endpoints, clock, log });
  const order = createDeliveryOrder({ store: orderStore(models), queue, clock, log, runtime });
  const dispatcher = createDispatcher({
    gates,
    order,
    queue,
    endpoints,
    results,
    autoDisable,
    resultCounter,
    slots,
    secrets,
    sendToEndpoint,
    proxy,
    observer,
    tracing,
    clock,
    log,
    runtime,
    timeoutMs: config.webhookTimeoutMs,
    publicUrl: config.publicUrl,
    delays: config.webhookRetryDelaysMs,
  });
  const stopFlushing = [
    runtime.every(AUTO_DISABLE_FLUSH_MS, () => {
      autoDisable
        .flush()
        .catch((error: unknown) => log.warn({ err: error }, 'failed to count endpoint failures'));
    }),
    runtime.every(STATISTICS_FLUSH_MS, () => {
      resultCounter
        .flush()
        .catch((error: unknown) => log.warn({ err: error }, 'failed to write delivery statistics, retrying'));
    }),
  ];

  return {
    targetPolicy,
    endpoints,
    statistics,
    queue,
    secrets,
    sendToEndpoint,
    dispatcher,
    gates,
    order,
    cancelBacklog,
    backlogs,
    fanOut: createFanOut({ queue, endpoints, dispatcher, gates }),

    /** Gauges of this process, and of the queue that all processes share. */
    gauges: {
      queue: backlogs.queue,
      openCircuits: endpoints.countOpenCircuits,
      slots: config.webhookConcurrency,
      slotsInUse: slots.inFlight,
      dispatcherBacklog: dispatcher.backlog,
      unwrittenResults: results.backlog,
    },

    async close(graceMs: number): Promise<void> {
      await dispatcher.drain(graceMs);
      for (const stop of stopFlushing) stop();
      await Promise.all([outbound.close(CLOSE_GRACE_MS), mtlsClients.close(CLOSE_GRACE_MS)]);
    },
  };
}

export type DeliveryEngine = ReturnType<typeof createDeliveryEngine>;
