import { startTestMongo } from '../support/mongo.ts';
import { loadEvents } from './support/event-load.ts';
import { compared, type Figure } from './support/report.ts';
import { startService } from './support/service.ts';
import { alternate } from './support/stats.ts';
import { startTraffic } from './support/traffic.ts';

const EVENTS = 3_000;
const WARM_UP = 1_000;
const CONVERSATIONS = 500;
const PAIRS = 3;
const CLIENTS = 64;
/** Body of an event of a conversation; `#%500` stands for one of the visitors with a conversation. */
const BODY = `{"type":"conversion","goal":"n#","visitor_id":"v_#%${CONVERSATIONS}"}`;

/** Events a second of conversations, from the first request to the last arrival: ordered, and without an order. */
export async function ordering(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo(), (started) => started.stop());
  const traffic = stack.use(await startTraffic());
  const service = stack.use(await startService(mongo.uri));

  /** Registers a customer with an endpoint and its conversations; returns the load of its events. */
  async function customer(customerId: number, settings: object) {
    const key = await service.newKey(customerId);
    const endpoints = `/api/v1/customers/${customerId}/webhook-endpoints`;
    const events = ['conversion.recorded'];
    await service.request('POST', endpoints, key, { url: traffic.sinkUrl, events, ...settings });
    for (let number = 0; number < CONVERSATIONS; number += 1)
      await service.request('POST', '/graphql', key, {
        query:
          'mutation ($visitorId: String!) { startConversation(input: { visitorId: $visitorId }) { id } }',
        variables: { visitorId: `v_${number}` },
      });
    const level = { clients: CLIENTS, rate: null };
    return async (count = EVENTS) => {
      const load = { url: service.url, key, level, count, pids: [], body: BODY };
      return (await loadEvents(traffic, load)).delivered;
    };
  }

  const ordered = await customer(1, { ordering: 'conversation' });
  const unordered = await customer(2, {});
  await ordered(WARM_UP);
  await unordered(WARM_UP);
  const pairs = await alternate(PAIRS, ordered, unordered);
  return [compared('events/s, ordered by conversation', pairs, { atLeast: 0.7 })];
}
