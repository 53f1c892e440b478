import type { Config } from '../../config/config.ts';
import type { Models } from '../../database/models.ts';
import type { RecurringJob } from '../../jobs/recurring-job.ts';
import type { TenantLimit } from '../../limits/tenant-limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Conversions } from '../conversations/conversions.ts';
import type { CommitOrder } from '../outbox/commit-order.ts';
import type { Subscribes } from '../outbox/event-type.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import type { Suppressions } from '../privacy/suppression.service.ts';
import { createExpiredEventRemoval } from './expired-preview-events.ts';
import { previewEventService } from './preview-event.service.ts';
import { previewEventStore } from './preview-event.store.ts';
import { previewEventErasure } from './preview-event-erasure.store.ts';
import { previewEventExport } from './preview-event-export.store.ts';
import { previewEventRetention } from './preview-event-retention.store.ts';

const RETENTION_INTERVAL_MS = 600_000;

interface Deps {
  models: Models;
  conversions: Conversions;
  outbox: Outbox;
  order: CommitOrder;
  /** Limits the custom events of each tenant; null for no limit. */
  limit: TenantLimit | null;
  /** Returns whether an endpoint or a feed of the tenant names an event type. */
  subscribes: Subscribes;
  suppressions: Suppressions;
  encryption: FieldEncryption;
  clock: Clock;
  log: Logger;
  config: Pick<Config, 'customEventRetentionMs'>;
}

/** Creates the feature for events that tenants send through the preview API. */
export function createPreviewEvents(deps: Deps) {
  const {
    models,
    conversions,
    outbox,
    order,
    limit,
    subscribes,
    suppressions,
    encryption,
    clock,
    log,
    config,
  } = deps;
  const events = previewEventStore(models, encryption);
  const erasure = previewEventErasure(models, encryption);
  const retentionMs = config.customEventRetentionMs;
  return {
    services: {
      previewEvents: previewEventService({
        events,
        conversions,
        outbox,
        order,
        limit,
        subscribes,
        suppressions,
        clock,
      }),
    },
    count: events.count,
    erasure,
    personalData: erasure.personalData,
    exportSources: [previewEventExport(models, encryption)],
    retentionSteps: [previewEventRetention(models)],
    jobs: (retentionMs === null
      ? []
      : [
          {
            // Databases have its schedule and last run under this name.
            name: 'events.retention',
            every: RETENTION_INTERVAL_MS,
            run: createExpiredEventRemoval({ events, clock, log, retentionMs }),
          },
        ]) satisfies RecurringJob[],
  };
}
