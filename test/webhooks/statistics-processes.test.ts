import { expect, test } from 'vitest';
import type { Json, TestApp, TestTenant } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import type { ServiceProcess } from '../support/process.ts';
import { appOfTest, dataDirOfTest, processOfTest } from '../support/test-scoped.ts';
import { recount, statisticsOf, statisticsWith } from './statistics-support.ts';
import { createEndpoint, receiving, type TestEndpoint } from './support.ts';

const PER_PROCESS = 400;

async function send({ url }: ServiceProcess, { write }: TestTenant, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 20)
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await fetch(`${url}/v1/events`, {
          method: 'POST',
          headers: { authorization: `Bearer ${write}`, 'content-type': 'application/json' },
          body: JSON.stringify({ type: 'conversion', goal: 'signup', visitor_id: 'v_1' }),
        });
        expect(response.status).toBe(201);
        await response.arrayBuffer();
      }),
    );
}

/** Checks that the statistics are those of the log; quantiles within 1 %, which is the bound of the contract. */
async function expectAsLogged(app: TestApp, statistics: Json, { id }: TestEndpoint): Promise<void> {
  const { p50, p95, p99, ...counts } = await recount(app.models, id);
  expect(statistics).toMatchObject(counts);
  for (const [name, logged] of Object.entries({ p50, p95, p99 }))
    expect(Math.abs(Number(statistics[name]) - logged), name).toBeLessThanOrEqual(0.5 + logged * 0.01);
}

test('two processes count together as the log does, the same after a restart; a killed one loses a second at most', {
  timeout: 120_000,
}, async () => {
  const mongodbUri = freshDatabase();
  const dataDir = await dataDirOfTest();
  const receiver = await receiving({ status: 200, delayMs: 15 });
  const app = await appOfTest({ MONGODB_URI: mongodbUri, DATA_DIR: dataDir, ROLE: 'api' });
  const tenant = await app.newTenant();
  const endpoint = await createEndpoint(app, tenant, { url: receiver.url });
  const start = () => processOfTest(dataDir, { mongodbUri, startTimeoutMs: 60_000 });
  const [one, other] = await Promise.all([start(), start()]);

  await Promise.all([send(one, tenant, PER_PROCESS), send(other, tenant, PER_PROCESS)]);
  await receiver.waitFor(2 * PER_PROCESS, 60_000);
  const before = await statisticsWith(app, tenant, endpoint, { attempts: 2 * PER_PROCESS });
  await expectAsLogged(app, before, endpoint);

  // Results of the last moments are written before the process ends.
  await send(one, tenant, 100);
  expect(await one.end('SIGTERM')).toBe(0);
  const restarted = await start();
  const total = await statisticsWith(app, tenant, endpoint, { attempts: 2 * PER_PROCESS + 100 });
  await expectAsLogged(app, total, endpoint);

  await send(restarted, tenant, 100);
  const until = Date.now();
  await restarted.end('SIGKILL');
  const isFinished = async () =>
    (await app.models.Delivery.countDocuments({ endpointId: endpoint.id, status: { $ne: 'succeeded' } })) ===
    0;
  await eventually(isFinished, 60_000);
  await send(other, tenant, 20);
  await eventually(isFinished, 60_000);
  expect(await other.end('SIGTERM')).toBe(0);
  const { attempts } = await statisticsOf(app, tenant, endpoint);
  const log = await app.models.Delivery.find({ endpointId: endpoint.id }, { attempts: 1 }).lean();
  const logged = log.flatMap((delivery) => delivery.attempts.map(({ at }) => at.getTime()));
  const lost = logged.length - Number(attempts);
  // Nothing twice; of the killed process, nothing older than a flush and its write.
  expect(lost).toBeGreaterThanOrEqual(0);
  expect(lost).toBeLessThanOrEqual(logged.filter((at) => at > until - 3_000 && at <= until).length);
});
