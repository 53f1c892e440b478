import { setTimeout as sleep } from 'node:timers/promises';
import { type Models, openDatabase } from '../../src/database/models.ts';
import { type Child, startChild } from '../support/child-process.ts';
import { startTestMongo } from '../support/mongo.ts';
import { MESSAGES, storeConversations } from './support/documents.ts';
import { EVENT_BODY } from './support/event-body.ts';
import type { LoadCalls } from './support/load.ts';
import { compared, type Figure, single } from './support/report.ts';
import { type BenchService, startService } from './support/service.ts';
import { durations, median } from './support/stats.ts';
import { requireAnswered } from './support/traffic.ts';

/** Stored conversations, of which half have expired; a million for the aim of the product. */
const CONVERSATIONS = Number(process.env.RETENTION_CONVERSATIONS ?? 60_000);
const DAY = 24 * 60 * 60_000;
const KEPT_DAYS = 365;
/** Events a second beside it. */
const RATE = 200;
const REQUESTS = 300;
const CUSTOMER = 1;

/** Stores conversations with their messages, the second half of them expired. */
const fill = (models: Models): Promise<void> =>
  storeConversations(models, {
    count: CONVERSATIONS,
    customerId: CUSTOMER,
    ageMs: (number) => (number < CONVERSATIONS / 2 ? 0 : (KEPT_DAYS + 1) * DAY) + (number % 86_400) * 100,
  });

/** Median duration of the first page of conversations, in milliseconds. */
async function firstPage(load: Child<LoadCalls>, service: BenchService, key: string): Promise<number> {
  const url = `${service.url}/v1/conversations`;
  const common = { method: 'GET', body: null, first: 0, clients: 1, rate: null } as const;
  const result = await load.call('run', { ...common, url, key, count: REQUESTS });
  requireAnswered(result);
  return median(durations(result.sentAt, result.answeredAt));
}

/** Retention of half of a customer's conversations, beside accepted events and lists. */
export async function retention(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ database: 'retention' }), (started) => started.stop());
  const { connection, models } = await openDatabase(mongo.uri);
  stack.defer(() => connection.close());
  await fill(models);
  const startLoad = () => stack.use(startChild<LoadCalls>(import.meta.resolve('./support/load.ts')));
  const [events, lists] = [startLoad(), startLoad()];
  const service = stack.use(await startService(mongo.uri));
  const key = await service.newKey(CUSTOMER);
  const path = `/api/v1/customers/${CUSTOMER}/retention`;

  let isOver = false;
  const sendEvents = async () => {
    const common = { method: 'POST', body: EVENT_BODY, clients: 0, rate: RATE } as const;
    for (let first = 0; !isOver; first += RATE)
      requireAnswered(
        await events.call('run', { ...common, url: `${service.url}/v1/events`, key, first, count: RATE }),
      );
  };
  const sending = sendEvents();
  await firstPage(lists, service, key);
  const alone = await firstPage(lists, service, key);

  const startedAt = performance.now();
  await service.request('PATCH', path, key, { conversations: KEPT_DAYS });
  const latencies: number[] = [];
  const listing = (async () => {
    while (!isOver) latencies.push(await firstPage(lists, service, key));
  })();
  const expired = Math.floor(CONVERSATIONS / 2);
  for (;;) {
    const { removed } = await service.request<{ removed: { conversations: number } }>('GET', path, key);
    if (removed.conversations >= expired) break;
    await sleep(100);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  isOver = true;
  await Promise.all([sending, listing]);
  return [
    single(`rows removed beside ${RATE} events/s, rows/s`, (expired * (1 + MESSAGES)) / seconds, {
      atLeast: 5_000,
    }),
    compared(
      `first page of ${CONVERSATIONS.toLocaleString('en')} conversations beside retention against alone, median, ms`,
      latencies.map((subject) => ({ subject, baseline: alone })),
      { atMost: 1.2 },
    ),
  ];
}
