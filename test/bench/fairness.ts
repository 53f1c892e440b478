import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../support/child-process.ts';
import { startTestMongo } from '../support/mongo.ts';
import { EVENT_BODY } from './support/event-body.ts';
import type { LoadCalls } from './support/load.ts';
import { compared, type Figure } from './support/report.ts';
import { startService } from './support/service.ts';
import { alternate } from './support/stats.ts';
import { createSteadyTenant } from './support/steady-tenant.ts';
import { requireAnswered, startTraffic } from './support/traffic.ts';

const PAIRS = 5;
const RUN_SECONDS = 5;
const HANGING_RATE = 50;
/** The other tenant is already hanging when the measuring begins: longer than a first attempt takes to time out. */
const LEAD_SECONDS = 6;
const PAUSE_MS = 1_000;
const HANGING = 2;

/** Effect on a healthy tenant of another tenant whose endpoint never responds. */
export async function fairness(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo(), (started) => started.stop());
  const traffic = stack.use(await startTraffic());
  const otherLoad = stack.use(startChild<LoadCalls>(import.meta.resolve('./support/load.ts')));
  const service = stack.use(await startService(mongo.uri));
  const url = `${service.url}/v1/events`;
  const healthy = await createSteadyTenant(service, traffic);
  const hangingKey = await service.newKey(HANGING);

  const alone = () => healthy.run(RUN_SECONDS);

  async function besideHanging() {
    const id = await service.newEndpoint(HANGING, hangingKey, `${traffic.sinkUrl}/hang`);
    const count = HANGING_RATE * (LEAD_SECONDS + RUN_SECONDS);
    const common = { method: 'POST', url, body: EVENT_BODY, clients: 0 } as const;
    const other = otherLoad.call('run', { ...common, key: hangingKey, first: 0, count, rate: HANGING_RATE });
    await sleep(LEAD_SECONDS * 1000);
    const result = await alone();
    requireAnswered(await other);
    await service.request('DELETE', `/api/v1/customers/${HANGING}/webhook-endpoints/${id}`, hangingKey);
    await traffic.sink.call('release', undefined);
    await sleep(PAUSE_MS);
    return result;
  }

  await alone();
  const pairs = await alternate(PAIRS, besideHanging, alone);
  const of = (from: 'fromAcceptance' | 'fromRequest', p: 'p50' | 'p99') =>
    pairs.map(({ subject, baseline }) => ({ subject: subject[from][p], baseline: baseline[from][p] }));
  return [
    compared('201 to arrival, p99, beside a hanging tenant against alone, ms', of('fromAcceptance', 'p99'), {
      atMost: 2,
    }),
    compared('201 to arrival, p50, ms', of('fromAcceptance', 'p50')),
    compared('request to arrival, p99, ms', of('fromRequest', 'p99')),
    compared('request to arrival, p50, ms', of('fromRequest', 'p50')),
  ];
}
