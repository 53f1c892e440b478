import { PERSONAL_FIELDS } from '../database/personal-collections.ts';
import { tenantRemovalSteps } from '../database/tenant-data.ts';
import { activityService } from '../features/activity/activity.service.ts';
import { performDisabling } from '../features/audit/endpoint-disabling.ts';
import { createAudit } from '../features/audit/index.ts';
import { createConversationFeed } from '../features/conversations/conversation-feed.ts';
import { createConversations } from '../features/conversations/index.ts';
import { createDrift } from '../features/drift/index.ts';
import { idempotencyErasure } from '../features/erasure/idempotency-erasure.ts';
import { createErasure } from '../features/erasure/index.ts';
import { createEventFeeds } from '../features/event-feeds/index.ts';
import { mentionsSource } from '../features/export/export-sources.ts';
import { createExports } from '../features/export/index.ts';
import { healthService } from '../features/health/health.service.ts';
import { createKeyExpiry } from '../features/key-expiry/index.ts';
import { createMeetings } from '../features/meetings/index.ts';
import { openProvider } from '../features/meetings/provider/provider-client.ts';
import { createCommitOrder } from '../features/outbox/commit-order.ts';
import { identityEventStore } from '../features/outbox/identity-events.store.ts';
import { createOutbox } from '../features/outbox/outbox.ts';
import { outboxEventStore } from '../features/outbox/outbox-event.store.ts';
import { archivedEventExport, type ScopedConversations } from '../features/outbox/outbox-export.store.ts';
import { publishedEventService } from '../features/outbox/published-events.service.ts';
import { timelineArchiveStore } from '../features/outbox/timeline-archive.store.ts';
import { timelineErasure } from '../features/outbox/timeline-erasure.store.ts';
import { createPreviewEvents } from '../features/preview-events/index.ts';
import { fieldConversion } from '../features/privacy/field-conversion.ts';
import { createPrivacy } from '../features/privacy/index.ts';
import { createPersonFinder } from '../features/privacy/person-finder.ts';
import { RETENTION_KINDS } from '../features/privacy/retention-step.ts';
import { SUPPRESSION_SOURCES } from '../features/privacy/suppression.service.ts';
import { createRetention } from '../features/retention/index.ts';
import type { Services } from '../features/services.ts';
import { createTenants } from '../features/tenants/index.ts';
import { createDeliveryEngine } from '../features/webhooks/delivery-engine.ts';
import { ATTEMPT_OUTCOMES } from '../features/webhooks/delivery-metrics.ts';
import { CLAIM_JOB, createWebhooks } from '../features/webhooks/index.ts';
import { createOperationalEvents } from '../features/webhooks/operational-events.ts';
import { lastJobRun, requestRun } from '../jobs/job-runs.ts';
import { LIMITS } from '../limits/limits.ts';
import { createSharedQuota } from '../limits/shared-quota.ts';
import { createTenantLimits, LIMITED_RESOURCE_NAMES, NO_TENANT_LIMITS } from '../limits/tenant-limits.ts';
import { createProxy, TUNNEL_OUTCOMES } from '../outbound/proxy.ts';
import { systemWait, type Wait } from '../platform/abortable-wait.ts';
import { encryptedUnder } from '../platform/cipher.ts';
import { idempotencyStore } from '../platform/commit/idempotency/idempotency.store.ts';
import { createIdempotency } from '../platform/commit/idempotency/idempotency.ts';
import { createMetrics } from '../platform/metrics/service-metrics.ts';
import { serviceVersion } from '../platform/project-files.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import { startSidecarProcess } from './embedded/sidecar-process.ts';
import { exportedLists } from './exported-lists.ts';
import { configuredSidecar, findSidecar } from './find-sidecar.ts';
import { openPlatform, type PlatformOptions } from './open-platform.ts';

export interface ComposeOptions extends PlatformOptions {
  /** Number of this worker; null or absent if the service is one process. */
  worker?: number | null;
  tracing?: Tracing | null;
  wait?: Wait;
}

/** Composition root: builds every service, without HTTP and scheduler. */
export async function compose(options: ComposeOptions) {
  const { config, log, isCommand = false, worker = null, tracing = null, wait = systemWait } = options;
  // Recurring jobs and other work in the background, apart from first attempts of deliveries.
  const runsWork = !isCommand && config.role !== 'api';
  const platform = await openPlatform(options);
  const { connection, models, clock, databaseClock, outages, cipher, changes, coherence } = platform;
  const tenants = createTenants({
    ...{ models, coherence, cipher, clock },
    keyExpiryMs: config.apiKeyExpiryMs,
    remindersMs: config.apiKeyRemindersMs,
    wasDeleted: (customerId) => erasure.hasDeletion(customerId),
  });
  const version = serviceVersion();
  const metrics = createMetrics({
    version,
    process: config.metrics && !isCommand,
    worker,
    attemptOutcomes: ATTEMPT_OUTCOMES,
    limitedResources: LIMITED_RESOURCE_NAMES,
    tunnelOutcomes: config.outboundProxy ? TUNNEL_OUTCOMES : [],
    suppressionSources: SUPPRESSION_SOURCES,
    retentionKinds: RETENTION_KINDS,
    clock,
  });
  metrics.registerDatabaseGauges(outages);
  const hasTenant = async (customerId: number) => (await tenants.findTenant(customerId)) !== null;
  const privacy = createPrivacy({
    ...{ models, cipher, coherence, hasTenant, clock, log, config },
    onSuppressed: metrics.onSuppressed,
    onUnreadable: metrics.onUnreadableData,
  });
  const { encryption } = privacy;
  const events = outboxEventStore(models, encryption);
  const proxy =
    config.outboundProxy && createProxy({ settings: config.outboundProxy, observer: metrics, log });
  const engine = createDeliveryEngine({
    performDisabling: (...act) => performDisabling(audit.services.audit, ...act),
    models,
    coherence,
    suspensions: tenants.suspensions.ofDeliveries,
    events,
    cipher,
    encryption,
    proxy,
    observer: metrics,
    tracing,
    clock,
    log,
    config,
  });
  const responseBytes = createSharedQuota(models.QuotaWindow, {
    requests: LIMITS.idempotentResponsesMiB.default * 1024 * 1024,
    windowMs: 24 * 60 * 60 * 1000,
  });
  const idempotency = createIdempotency({
    ...{ store: idempotencyStore(models.Idempotency), cipher, clock, log },
    whileStoring(owner, operation) {
      const customerId = Number(owner);
      const owners = Number.isInteger(customerId) ? [{ customerId }] : [];
      return privacy.services.suppressions.whileCopying(owners, operation);
    },
    reserveBytes: async (budget, bytes) => (await responseBytes.take(`idempotency:${budget}`, bytes)).granted,
  });
  const limits = createTenantLimits({
    counts: {
      storedEvents: events.countAll,
      endpoints: engine.endpoints.count,
      conversations: (tenant, limit) => conversations.count(tenant, limit),
      customEvents: (tenant, limit) => previewEvents.count(tenant, limit),
      meetings: (tenant, limit) => meetings.countMeetings(tenant, limit),
    },
    // The limits bind customers: the operator's commands, such as an import, may exceed them.
    maxima: isCommand ? NO_TENANT_LIMITS : config.tenantMaxima,
    onRefusal: metrics.onTenantLimitRefusal,
    log,
  });
  const order = createCommitOrder(clock);
  const outbox = createOutbox({
    order,
    connection,
    events,
    fanOut: engine.fanOut,
    onEvent: metrics.onEvent,
    clock,
    log,
    tracing,
    outages: outages.writes,
    limit: limits.storedEvents,
  });
  metrics.registerWebhookGauges({ ...engine.gauges, uncommittedUnits: outbox.backlog });
  const archive = timelineArchiveStore(models, encryption);
  const archiveErasure = timelineErasure(models, encryption);
  const publishedEvents = publishedEventService({ events, archive, order });
  const eventFeeds = createEventFeeds({
    connection,
    models,
    changes,
    coherence,
    events,
    publishedEvents,
    onEntry: metrics.onFeedEntry,
    clock,
    log,
    config,
  });
  metrics.registerFeedGauges(eventFeeds.countBehind);
  const operationalEvents = createOperationalEvents({
    subscribes: engine.endpoints.subscribes,
    getTenant: tenants.getTenant,
  });
  // Conversations are created after webhooks, which store a part of what belongs to them.
  const scopedConversations: ScopedConversations = {
    ids: (scope, after) => conversations.scoped.ids(scope, after),
    ownAmong: (scope, ids) => conversations.scoped.ownAmong(scope, ids),
  };
  const webhooks = createWebhooks({
    models,
    engine,
    outbox,
    order,
    events,
    encryption,
    conversations: scopedConversations,
    changes,
    keepInTimelines: (removed) =>
      privacy.services.suppressions.whileCopying(removed, () =>
        archive.keep(removed, (ids) => conversations.stored(ids)),
      ),
    removeFromLog: eventFeeds.removeFromLog,
    endpointLimitRefusal: limits.endpointRefusal,
    operationalEvents,
    clock,
    log,
    config,
  });
  const audit: ReturnType<typeof createAudit> = createAudit({
    models,
    outbox,
    cipher,
    operationalEvents,
    expiryOf: (customerId) => retention.services.retention.expiryOf({ customerId }, 'auditLog'),
    clock,
    log,
  });
  const startedAt = clock.now();
  metrics.registerAuditGauges(async () => {
    const last = await audit.services.audit.lastVerification();
    return { at: last?.at ?? startedAt, findings: last?.findings ?? 0 };
  });
  const keyExpiry = createKeyExpiry({
    storedKeys: tenants.storedKeys,
    outbox,
    operationalEvents,
    remindersMs: config.apiKeyRemindersMs,
    clock,
    log,
  });
  const conversations = createConversations({
    models,
    outbox,
    order,
    limit: limits.conversations,
    suppressions: privacy.services.suppressions,
    encryption,
    dependants: [webhooks.erasure.ofConversations, archiveErasure.ofConversations],
    clock,
  });
  const previewEvents = createPreviewEvents({
    models,
    conversions: conversations.conversions,
    outbox,
    order,
    limit: limits.customEvents,
    encryption,
    subscribes: async (tenant, event) =>
      (await engine.endpoints.subscribes(tenant, event)) || (await eventFeeds.subscribes(tenant, event)),
    suppressions: privacy.services.suppressions,
    clock,
    log,
    config,
  });
  const sidecar =
    platform.embedded && !isCommand && !config.mlSidecarUrl
      ? await startSidecarProcess(config, { mongodbUri: platform.mongodbUri, log })
      : null;
  const sidecarAddress =
    sidecar?.address ?? (isCommand ? await findSidecar(config) : configuredSidecar(config));
  const requestJob = (job: string) => requestRun(connection, job, databaseClock.now());
  const drift = createDrift({
    sidecarAddress,
    config,
    models,
    outbox,
    subscribers: engine.endpoints.customersSubscribedTo,
    getTenant: tenants.getTenant,
    observer: metrics,
    requestRun: requestJob,
    clock,
    log,
  });
  metrics.registerDriftGauges(drift.gauges);
  const meetingProvider = openProvider({
    models,
    cipher,
    clock,
    wait,
    observer: metrics,
    proxy,
    log,
    config,
  });
  const meetings = createMeetings({
    models,
    cipher,
    changes,
    provider: meetingProvider.provider,
    observer: metrics,
    outbox,
    operationalEvents,
    expiryOf: (tenant) => retention.services.retention.expiryOf(tenant, 'meetings'),
    limit: limits.meetings,
    suspended: tenants.suspensions.all,
    suppressions: privacy.services.suppressions,
    encryption,
    requestRun: requestJob,
    clock,
    log,
    config,
    runsHere: runsWork,
  });
  metrics.registerMeetingGauges(meetings.countRecentSyncs);
  const answerErasure = idempotencyErasure({
    answers: idempotency.answers,
    ownConversations: conversations.scoped.ownAmong,
  });
  const personalData = [
    answerErasure.personalData,
    conversations.personalData,
    webhooks.personalData,
    archiveErasure.personalData,
    identityEventStore(models, encryption),
    previewEvents.personalData,
    meetings.personalData,
    drift.personalData,
  ];
  const findPerson = createPersonFinder(personalData);
  const { steps, finalSteps } = tenantRemovalSteps(connection);
  const erasure = createErasure({
    models,
    privacyKeys: privacy.keys,
    suppressions: privacy.services.suppressions,
    personalData,
    findPerson,
    tenantRemoval: {
      steps,
      finalSteps,
      startDeletion: tenants.suspensions.startDeletion,
      startRemoval: tenants.suspensions.startRemoval,
      hasOpenDeliveries: webhooks.erasure.hasOpenDeliveries,
      async remove(customerId) {
        // First: a key is created only for a tenant that exists.
        await tenants.suspensions.remove(customerId);
        // Without it, backups of what it encrypts are unreadable.
        await privacy.keys.destroy({ customerId });
      },
    },
    conversations: conversations.erasure,
    conversationTraces: [previewEvents.erasure.ofConversation, answerErasure.ofConversation],
    meetings: meetings.erasure,
    outbox,
    getTenant: tenants.getTenant,
    findTenant: tenants.findTenant,
    operationalEvents,
    requestRun: requestJob,
    clock,
    log,
    // A command runs its erasure itself: the service may be stopped.
    runsHere: isCommand || runsWork,
  });
  const retention = createRetention({
    models,
    steps: [
      ...conversations.retentionSteps,
      ...meetings.retentionSteps,
      ...previewEvents.retentionSteps,
      ...webhooks.retentionSteps,
      ...audit.retentionSteps,
    ],
    maximaMs: {
      eventsAndDeliveries: config.deliveryRetentionMs,
      previewEvents: config.customEventRetentionMs,
    },
    onRemoved: metrics.onExpired,
    onFailed: metrics.onRetentionFailure,
    requestRun: requestJob,
    clock,
    log,
    runsHere: runsWork,
  });
  const dataExports = createExports({
    models,
    sources: [
      ...exportedLists(
        {
          ...tenants.services,
          ...retention.services,
          ...webhooks.services,
          ...meetings.services,
          ...erasure.services,
          ...privacy.services,
          ...audit.services,
        },
        { hasMeetingProvider: meetingProvider.provider !== null },
      ),
      ...eventFeeds.exportSources,
      ...conversations.exportSources,
      ...previewEvents.exportSources,
      ...webhooks.exportSources,
      archivedEventExport(models, { conversations: conversations.scoped, encryption }),
      ...meetings.exportSources,
      mentionsSource(personalData),
    ],
    findPerson,
    privacyKeys: privacy.keys,
    audit: audit.services.audit,
    clock,
  });
  const services: Services = {
    ...tenants.services,
    ...audit.services,
    ...webhooks.services,
    ...conversations.services,
    conversationFeed: createConversationFeed(changes, conversations),
    ...previewEvents.services,
    ...eventFeeds.services,
    ...limits.services,
    publishedEvents,
    activity: activityService({
      events: publishedEvents.countByType,
      deliveries: webhooks.services.deliveries.countByStatus,
      conversations: conversations.services.conversations.activity,
      clock,
      retentionMs: config.deliveryRetentionMs,
    }),
    ...drift.services,
    ...meetings.services,
    ...privacy.services,
    fieldConversion: fieldConversion({
      connection,
      personalFields: PERSONAL_FIELDS,
      others: [meetings.convertiblePostings],
      ...{ encryption, hasTenant },
    }),
    ...erasure.services,
    ...retention.services,
    ...dataExports.services,
    health: healthService({
      connection,
      writes: outages.writes,
      lastJobRun: () => lastJobRun(connection),
      sidecar: drift.sidecar,
      proxy,
      lastAudit: audit.services.audit.lastVerification,
      lastUnreadable: privacy.lastUnreadable,
      clock,
      version,
    }),
    idempotency,
    guardWrite: outages.writes.guard,
    requestQuota: config.rateLimit && createSharedQuota(models.QuotaWindow, config.rateLimit),
  };

  return {
    services,
    connection,
    models,
    cipher,
    clock,
    databaseClock,
    outages,
    metrics,
    jobs: [
      ...audit.jobs,
      ...keyExpiry.jobs,
      ...webhooks.jobs,
      ...eventFeeds.jobs,
      ...previewEvents.jobs,
      ...drift.jobs,
      ...meetings.jobs,
      ...erasure.jobs,
      ...retention.jobs,
    ],
    /** Returns true if a stored secret is encrypted under a key that is not configured. */
    async hasUnreadableSecrets(): Promise<boolean> {
      const readable = encryptedUnder(cipher.keyIds);
      return (
        (await webhooks.hasSecretUnderUnknownKey(readable)) ||
        (await meetings.hasSecretUnderUnknownKey(readable)) ||
        (await privacy.hasSecretUnderUnknownKey(readable)) ||
        audit.hasSecretUnderUnknownKey(readable)
      );
    },
    /** Re-encrypts every stored secret that is encrypted under an older key. */
    async rotateSecrets() {
      const total = { checked: 0, reencrypted: 0 };
      for (const { rotateSecrets } of [webhooks, meetings, privacy, idempotency, audit]) {
        const { checked, reencrypted } = await rotateSecrets();
        total.checked += checked;
        total.reencrypted += reencrypted;
      }
      return total;
    },
    mongodbUri: platform.mongodbUri,
    sidecarAddress,
    /** True if this process has started the reference sidecar. */
    runsSidecar: sidecar !== null,
    /** Resolves when the embedded database exits unexpectedly. */
    databaseEnded: platform.embedded?.exited ?? new Promise<void>(() => {}),
    async close(graceMs: number): Promise<void> {
      const steps: (() => Promise<unknown>)[] = [
        eventFeeds.close,
        changes.close,
        outbox.idle,
        () =>
          Promise.all([
            engine.close(graceMs),
            meetings.close(graceMs),
            erasure.close(graceMs),
            retention.close(graceMs),
          ]),
        // Deliveries that this process has released must not wait for the next claim of idle workers.
        async () => isCommand || outages.writes.isOut() || requestJob(CLAIM_JOB),
        () => meetingProvider.close(500),
        tenants.close,
        audit.close,
        drift.close,
      ];
      // Leases that an unavailable database does not release expire.
      for (const step of steps)
        await step().catch((error: unknown) => log.warn({ err: error }, 'failed to finish before the end'));
      await sidecar?.stop();
      await platform.close();
    },
  };
}
