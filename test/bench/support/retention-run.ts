import { openDatabase } from '../../../src/database/models.ts';
import { conversationStore } from '../../../src/features/conversations/conversations.store.ts';
import { outboxEventStore } from '../../../src/features/outbox/outbox-event.store.ts';
import { timelineArchiveStore } from '../../../src/features/outbox/timeline-archive.store.ts';
import { NO_ENCRYPTION } from '../../../src/features/privacy/field-encryption.ts';
import { queueStore } from '../../../src/features/webhooks/delivery/queue.store.ts';
import { createEventRetention } from '../../../src/features/webhooks/delivery/sweep/retention.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { answerCalls } from '../../support/child-process.ts';
import { sharedNow } from './time.ts';

interface Options {
  mongodbUri: string;
  /** Number of the oldest events to consider. */
  count: number;
}

/** Runs the service's retention once, as if the oldest events had just passed it. Returns the events removed a second. */
async function run({ mongodbUri, count }: Options): Promise<number> {
  const { connection, models } = await openDatabase(mongodbUri);
  const [newest] = await models.Event.find({}, { createdAt: 1 }).sort({ _id: 1 }).skip(count).limit(1);
  const events = outboxEventStore(models, NO_ENCRYPTION);
  const archive = timelineArchiveStore(models, NO_ENCRYPTION);
  const retention = createEventRetention({
    events,
    keepInTimelines: (removed) => archive.keep(removed, conversationStore(models, NO_ENCRYPTION).stored),
    removeFromLog: async () => {},
    queue: queueStore({ Delivery: models.Delivery, events, encryption: NO_ENCRYPTION }),
    clock: { now: () => newest?.createdAt ?? new Date() },
    log: createLogger('silent'),
    retentionMs: 0,
    repair: async () => {},
  });
  const startedAt = sharedNow();
  const removed = await retention.run();
  const seconds = (sharedNow() - startedAt) / 1000;
  await connection.close();
  return removed / seconds;
}

const handlers = { run };
export type RetentionCalls = typeof handlers;
answerCalls(handlers);
