import { startChild } from '../support/child-process.ts';
import { startTestMongo } from '../support/mongo.ts';
import { EVENT_BODY } from './support/event-body.ts';
import type { LoadCalls } from './support/load.ts';
import { type Figure, single } from './support/report.ts';
import { startService } from './support/service.ts';
import { percentile } from './support/stats.ts';
import { sharedNow } from './support/time.ts';
import { requireAnswered } from './support/traffic.ts';

const RATE = 500;
const WARM_UP = 5_000;
const EVENTS = 10_000;
const CUSTOMER = 1;

interface Page {
  data: { payload: string }[];
  cursor: string;
}

/** Lag of a consumer that reads a feed along: from the response to an event until the event is pulled. */
export async function feed(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo(), (started) => started.stop());
  const load = stack.use(startChild<LoadCalls>(import.meta.resolve('./support/load.ts')));
  const service = stack.use(await startService(mongo.uri));
  const key = await service.newKey(CUSTOMER);
  const path = `/api/v1/customers/${CUSTOMER}/event-feeds/bench`;

  /** Pulls and acknowledges events until it has those of a load; returns when each was pulled, by its number. */
  async function readAlong(first: number, count: number): Promise<Float64Array> {
    const pulledAt = new Float64Array(count).fill(Number.NaN);
    for (let missing = count; missing > 0; ) {
      const { data, cursor } = await service.request<Page>('GET', `${path}?wait=20`, key);
      const now = sharedNow();
      for (const { payload } of data) {
        const { conversionType } = JSON.parse(payload).data;
        pulledAt[Number(String(conversionType).slice(1)) - first] = now;
      }
      missing -= data.length;
      await service.request('POST', `${path}/ack`, key, { cursor });
    }
    return pulledAt;
  }

  async function lags(first: number, count: number): Promise<Float64Array> {
    const reading = readAlong(first, count);
    const sent = await load.call('run', {
      ...{ method: 'POST', url: `${service.url}/v1/events`, key, body: EVENT_BODY },
      ...{ first, count, clients: 0, rate: RATE },
    });
    requireAnswered(sent);
    return (await reading).map((at, index) => at - (sent.answeredAt[index] ?? Number.NaN));
  }

  await lags(0, WARM_UP);
  const measured = await lags(WARM_UP, EVENTS);
  return [
    single(`${RATE}/s: lag p50, ms`, percentile(measured, 0.5)),
    single(`${RATE}/s: lag p99, ms`, percentile(measured, 0.99), { atMost: 250 }),
  ];
}
