import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { seedDrift } from '../../src/demo/demo-drift.ts';
import { DEMO_STAGES, demoCurrent, demoReference, SHIFTED_STAGE } from '../../src/demo/drift-samples.ts';
import { someRows, startTestSidecar, type TestSidecar } from '../sidecar/support.ts';
import { runCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import { sharedDataDir } from '../support/process.ts';

interface Entry {
  stage: string | null;
  driftScore: number;
  isDrifted: boolean;
}

const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

async function startSidecar(): Promise<TestSidecar> {
  const sidecar = await startTestSidecar();
  running.push(sidecar.stop);
  return sidecar;
}

const historyOf = async (sidecar: TestSidecar): Promise<Entry[]> =>
  (await sidecar.request<Entry[]>('GET', '/drift/history?limit=200')).body;

/** Rows of each set and stage in the sidecar's own database. */
async function rowsOf({ db }: TestSidecar): Promise<Record<string, number>> {
  const partitions = await db.collection('partitions').find().toArray();
  return Object.fromEntries(partitions.map(({ set, stage, rows }) => [`${set} ${stage}`, rows]));
}

/** The same of the demo's samples. */
function expectedRows(): Record<string, number> {
  const rows: Record<string, number> = {};
  for (const samples of [...demoReference(), ...demoCurrent()]) {
    const key = `${samples.set} ${samples.stage}`;
    rows[key] = (rows[key] ?? 0) + samples.rows.length;
  }
  return rows;
}

/** A way to a sidecar that breaks for good once so many requests have gone through, the last one's answer with it. */
async function startBreakingWay(to: string, requests: number): Promise<string> {
  let passed = 0;
  const server = createServer((incoming, outgoing) => {
    passed += 1;
    if (passed > requests) return void outgoing.destroy();
    const last = passed === requests;
    const { method, headers } = incoming;
    const onward = forward(to + incoming.url, { method, headers }, (answer) => {
      if (last) answer.resume().once('end', () => outgoing.destroy());
      else answer.pipe(outgoing.writeHead(answer.statusCode ?? 500, answer.headers));
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  running.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the demo samples of the drift monitoring', () => {
  test('are loaded and checked once, with two drifted features in one stage and none in the others', async () => {
    const sidecar = await startSidecar();
    expect(await seedDrift(sidecar)).toBe('loaded');
    const history = await historyOf(sidecar);
    expect(history.map(({ stage }) => String(stage)).sort()).toEqual([...DEMO_STAGES, 'null'].sort());
    expect(history.filter(({ isDrifted }) => isDrifted)).toMatchObject([{ stage: SHIFTED_STAGE }]);
    expect(await rowsOf(sidecar)).toEqual(expectedRows());
    expect(await seedDrift(sidecar)).toBe('already_loaded');
    expect(await rowsOf(sidecar)).toEqual(expectedRows());
    expect(await historyOf(sidecar)).toEqual(history);

    for (const stage of DEMO_STAGES) {
      const { isDrifted, featureDrifts } = await sidecar.check(stage);
      const drifted = featureDrifts.filter((one) => one.drifted).map(({ feature }) => feature);
      expect([stage, isDrifted, drifted]).toEqual([
        stage,
        stage === SHIFTED_STAGE,
        stage === SHIFTED_STAGE ? ['source', 'visits_30d'] : [],
      ]);
      expect(featureDrifts).toHaveLength(10);
    }
    const { body } = await sidecar.request('GET', '/drift/status');
    expect(body.featureDrifts).toHaveLength(10);
    expect(body.isDrifted).toBe(false);
  });

  // 3 questions, 5 reference requests, 5 current ones, 6 checks: the middle of each, and two of their ends.
  test.each([3, 6, 8, 11, 16])(
    'are complete and not duplicated when the first start was killed at its request %i',
    async (requests) => {
      const sidecar = await startSidecar();
      const way = await startBreakingWay(sidecar.url, requests);
      await expect(seedDrift({ url: way, token: null })).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
      });
      expect(['loaded', 'already_loaded']).toContain(await seedDrift(sidecar));
      expect(await rowsOf(sidecar)).toEqual(expectedRows());
      const [latest] = (await historyOf(sidecar)).filter(({ stage }) => stage === SHIFTED_STAGE);
      expect(latest?.isDrifted).toBe(true);
    },
  );

  test('are loaded if a check was made before there were samples', async () => {
    const sidecar = await startSidecar();
    await sidecar.check();
    expect(await seedDrift(sidecar)).toBe('loaded');
    expect(await rowsOf(sidecar)).toEqual(expectedRows());
  });

  test('are not loaded if there are other samples, which stay unchanged', async () => {
    const sidecar = await startSidecar();
    await sidecar.check();
    await sidecar.add('reference', SHIFTED_STAGE, someRows(40, 1));
    expect(await seedDrift(sidecar)).toBe('other_samples');
    expect(await rowsOf(sidecar)).toEqual({ [`reference ${SHIFTED_STAGE}`]: 40 });
  });

  test('are not loaded again after their removal', async () => {
    const sidecar = await startSidecar();
    await seedDrift(sidecar);
    for (const set of ['reference', 'current']) await sidecar.request('DELETE', `/samples?set=${set}`);
    expect(await seedDrift(sidecar)).toBe('already_loaded');
    expect(await rowsOf(sidecar)).toEqual({});
  });
});

describe('demo seed', () => {
  const env = { CONNECTOR_ENCRYPTION_KEY: '5e'.repeat(32), WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' };
  let dataDir: Awaited<ReturnType<typeof sharedDataDir>>;
  beforeAll(async () => {
    dataDir = await sharedDataDir();
  });
  afterAll(() => dataDir[Symbol.asyncDispose]());

  const seed = async (mongodbUri: string, more: Record<string, string>) => {
    const { code, stdout } = await runCommand(['demo', 'seed', '--json'], {
      MONGODB_URI: mongodbUri,
      DATA_DIR: dataDir.path,
      ...env,
      ...more,
    });
    return { code, body: JSON.parse(stdout) };
  };

  test('loads them once into the configured sidecar, and reports it', async () => {
    const sidecar = await startSidecar();
    const mongodbUri = freshDatabase();
    const url = { ML_SIDECAR_URL: sidecar.url };
    expect(await seed(mongodbUri, url)).toMatchObject({ code: 0, body: { driftSamples: 'loaded' } });
    expect(await seed(mongodbUri, url)).toMatchObject({ code: 0, body: { driftSamples: 'already_loaded' } });
    expect(await rowsOf(sidecar)).toEqual(expectedRows());
    expect(await seed(mongodbUri, {})).toMatchObject({ code: 0, body: { driftSamples: null } });
  });

  test('fails if that sidecar is unreachable', async () => {
    const { code, body } = await seed(freshDatabase(), { ML_SIDECAR_URL: 'http://127.0.0.1:1' });
    expect([code, body.error.code]).toEqual([1, 'SERVICE_UNAVAILABLE']);
  });
});
