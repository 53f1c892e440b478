import type { Connection } from 'mongoose';
import type { Config } from '../../config/config.ts';
import type { Models } from '../../database/models.ts';
import type { RecurringJob } from '../../jobs/recurring-job.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Coherence } from '../../platform/coherence/coherence.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Changes } from '../../platform/mongo/change-stream.ts';
import type { OutboxEventStore } from '../outbox/outbox-event.store.ts';
import type { PublishedEventService } from '../outbox/published-events.service.ts';
import type { ExportSource } from '../privacy/export-source.ts';
import { eventFeedService } from './event-feed.service.ts';
import { eventFeedStore } from './event-feed.store.ts';
import { eventLogStore } from './event-log.store.ts';
import { feedPages } from './feed-pages.ts';
import { feedPositions } from './feed-positions.ts';
import { logLag } from './log-lag.ts';
import { createLogReaders } from './log-readers.ts';
import { createLogRetention } from './log-retention.ts';
import { createSequencer } from './sequencer.ts';

const RETENTION_INTERVAL_MS = 600_000;

interface Deps {
  connection: Connection;
  models: Models;
  changes: Changes;
  coherence: Coherence;
  events: OutboxEventStore;
  publishedEvents: PublishedEventService;
  /** Called for every event that this process appends to a log. @param seconds since its commit */
  onEntry: (seconds: number) => void;
  clock: Clock;
  log: Logger;
  config: Pick<Config, 'deliveryRetentionMs'>;
}

/** Event feeds: the events of a customer in the order in which they were committed, for clients that pull them. */
export function createEventFeeds({
  connection,
  models,
  changes,
  coherence,
  events,
  publishedEvents,
  onEntry,
  clock,
  log,
  config,
}: Deps) {
  const feeds = eventFeedStore(models, clock, coherence);
  const logs = eventLogStore(models, clock);
  const sequencer = createSequencer({ connection, store: logs, events, onEntry, log });
  const readers = createLogReaders({ changes, sequencer, log });
  const lag = logLag({ logs, events });
  const positions = feedPositions({ logs, events, publishedEvents, lag });
  const pages = feedPages({
    ...{ logs, publishedEvents, positions, lag, clock },
    retentionMs: config.deliveryRetentionMs,
  });
  const service = eventFeedService({ feeds, logs, readers, lag, positions, pages });
  return {
    services: { eventFeeds: service },
    subscribes: feeds.subscribes,
    exportSources: [
      {
        kind: 'eventFeeds',
        collections: ['eventFeeds'],
        subject: 'tenants',
        read: async ({ tenant }) => ({ rows: await service.list(tenant), next: null }),
      },
    ] satisfies ExportSource[],
    countBehind: feeds.countBehind,
    removeFromLog: logs.remove,
    jobs: [
      {
        name: 'eventFeeds.retention',
        every: RETENTION_INTERVAL_MS,
        run: createLogRetention({ logs, events, clock, retentionMs: config.deliveryRetentionMs }),
      },
    ] satisfies RecurringJob[],
    close: readers.close,
  };
}
