import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Running, startCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import {
  type CheckAnswer,
  type Row,
  someRows,
  startSidecarCommand,
  startTestSidecar,
  type TestSidecar,
} from './support.ts';

const running: Running[] = [];
/** Tries to connect for 15 s, beside the tests. */
let unconnected: Running;
beforeAll(() => {
  unconnected = startCommand(['sidecar', '--port', '0'], { MONGODB_URI: 'mongodb://127.0.0.1:1/x' });
});
afterAll(async () => {
  unconnected.process.kill('SIGKILL');
  await unconnected.ended;
});
afterEach(async () => {
  for (const command of running.splice(0)) {
    command.process.kill('SIGKILL');
    await command.ended;
  }
});

async function startCommandSidecar(mongodbUri: string): Promise<{ command: Running; url: string }> {
  const started = await startSidecarCommand({ MONGODB_URI: mongodbUri });
  running.push(started.command);
  return started;
}

const check = async (url: string): Promise<CheckAnswer> =>
  (await (
    await fetch(`${url}/drift/check`, { method: 'POST', headers: { 'content-type': 'application/json' } })
  ).json()) as CheckAnswer;

/** The same check on a sidecar that has counted nothing yet. */
async function checkFromScratch({ db, mongodbUri }: TestSidecar): Promise<CheckAnswer> {
  await db.collection('edges').deleteMany({});
  await db.collection('tallies').deleteMany({});
  await using fresh = await startTestSidecar({ mongodbUri });
  return await fresh.check();
}

/** The scores of a check within the rounding of sums in another order; without its id and time. */
const close = ({ driftScore, isDrifted, insufficientData, rows, featureDrifts }: CheckAnswer) => ({
  driftScore: expect.closeTo(driftScore, 12),
  isDrifted,
  insufficientData,
  rows,
  featureDrifts: featureDrifts.map((feature) => ({ ...feature, score: expect.closeTo(feature.score, 12) })),
});

describe('a restarted sidecar', () => {
  test('has its samples, status, history and counts', async () => {
    await using first = await startTestSidecar();
    await first.add('reference', 'lead', someRows(300, 1));
    await first.add('current', 'lead', someRows(300, 2, 10));
    const before = await first.check();
    const history = (await first.request('GET', '/drift/history')).body;
    const status = (await first.request('GET', '/drift/status')).body;
    await first.stop();

    await using second = await startTestSidecar({ mongodbUri: first.mongodbUri });
    expect((await second.request('GET', '/drift/history')).body).toEqual(history);
    expect((await second.request('GET', '/drift/status')).body).toEqual(status);
    expect(await second.db.collection('tallies').countDocuments()).toBe(4);
    expect(await second.check()).toMatchObject(close(before));
    await second.add('current', 'lead', someRows(100, 3));
    const grown = await second.check();
    await second.stop();
    await using third = await startTestSidecar({ mongodbUri: first.mongodbUri });
    expect(await checkFromScratch(third)).toMatchObject(close(grown));
  });

  test('counts again what was saved in parts, because the process was killed meanwhile', async () => {
    const withAmount = (count: number, seed: number): Row[] =>
      someRows(count, seed).map((row, index) => ({
        ...row,
        features: { ...row.features, amount: (index * 37) % 101 },
      }));
    await using first = await startTestSidecar();
    await first.add('reference', null, someRows(100, 1));
    await first.add('current', null, withAmount(100, 2));
    await first.check();
    await first.stop();

    await using other = await startTestSidecar(); // for its connection
    const { modifiedCount } = await other.db.client
      .db(first.db.databaseName)
      .collection<{ features: { name: string }[] }>('edges')
      .updateMany({}, { $pull: { features: { name: 'amount' } } });
    expect(modifiedCount).toBe(1);

    await using second = await startTestSidecar({ mongodbUri: first.mongodbUri });
    await second.check();
    await second.add('reference', null, withAmount(100, 3));
    const grown = await second.check();
    await second.stop();
    await using third = await startTestSidecar({ mongodbUri: first.mongodbUri });
    expect(await checkFromScratch(third)).toMatchObject(close(grown));
  });

  test('after kill -9 during a load has each request completely or not at all', async () => {
    const mongodbUri = freshDatabase();
    const { command, url } = await startCommandSidecar(mongodbUri);
    const perRequest = 500;
    const send = (set: string) =>
      fetch(`${url}/samples`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ set, stage: 'lead', rows: someRows(perRequest, 5) }),
      }).then(({ ok }) => ok);
    expect(await send('reference')).toBe(true);
    let acknowledged = 0;
    let sent = 0;
    const load = async (): Promise<void> => {
      for (;;) {
        sent += 1;
        if (!(await send('current').catch(() => false))) return;
        acknowledged += 1;
        if (acknowledged === 12) command.process.kill('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 4 }, load));
    expect((await command.ended).code).toBe(null);

    await using again = await startTestSidecar({ mongodbUri });
    const [partition] = await again.db.collection('partitions').find({ set: 'current' }).toArray();
    const batches = await again.db.collection('batches').find({ partition: partition?._id }).toArray();
    expect(batches.every(({ rows }) => rows === perRequest)).toBe(true);
    expect(partition).toMatchObject({ batches: batches.length, rows: batches.length * perRequest });
    expect(batches.length).toBeGreaterThanOrEqual(acknowledged);
    expect(batches.length).toBeLessThanOrEqual(sent);
    // Every request had the same rows as the reference.
    expect(await again.check()).toMatchObject({ success: true, driftScore: 0 });
  });
});

describe('samples that arrive during a check', () => {
  test('are never partly included, and are all in the next check', async () => {
    await using sidecar = await startTestSidecar();
    const rows = (from: number): Row[] =>
      Array.from({ length: 200 }, (_, index) => ({
        features: { x: (from + index) % 200, c: `c${index % 4}` },
        prediction: 0,
      }));
    await sidecar.add('reference', 'a', rows(0));
    await sidecar.add('current', 'a', rows(0));
    // Each request holds the same distribution, so that a check that saw part of one would not be 0.
    const adding = Array.from({ length: 60 }, (_, index) =>
      sidecar.add(index % 3 === 0 ? 'reference' : 'current', index % 2 ? 'a' : 'b', rows(index)),
    );
    const checking = Array.from({ length: 20 }, async (_, index) =>
      sidecar.check(index % 4 === 0 ? 'a' : undefined),
    );
    await Promise.all(adding);
    for (const { driftScore } of await Promise.all(checking)) expect(driftScore).toBeCloseTo(0, 10);
    expect(await checkFromScratch(sidecar)).toMatchObject(close(await sidecar.check()));
    const stored = await sidecar.db.collection('partitions').find().toArray();
    expect(stored.reduce((sum, { rows: count }) => sum + count, 0)).toBe(62 * 200);
  });

  test('may be deleted, and the running check still returns', async () => {
    await using sidecar = await startTestSidecar();
    for (let round = 0; round < 5; round += 1) {
      await sidecar.add('reference', 'a', someRows(2_000, round));
      await sidecar.add('current', 'a', someRows(2_000, round + 1));
      const [first, , second] = await Promise.all([
        sidecar.check(),
        sidecar.request('DELETE', '/samples?set=reference'),
        sidecar.check(),
      ]);
      expect(first.success && second.success).toBe(true);
    }
    expect((await sidecar.check()).featureDrifts.every(({ insufficientData }) => insufficientData)).toBe(
      true,
    );
  });

  test('through another sidecar on the same database are included in the next check', async () => {
    await using one = await startTestSidecar();
    await using other = await startTestSidecar({ mongodbUri: one.mongodbUri });
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? one : other).add('reference', 'a', someRows(100, index)),
      ),
    );
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? one : other).add('current', 'a', someRows(100, index)),
      ),
    );
    expect(await one.check()).toMatchObject({ driftScore: expect.closeTo(0, 10) });
    await other.request('DELETE', '/samples?set=current');
    await other.add('current', 'a', someRows(200, 3, 40));
    const found = await one.check();
    expect(found.driftScore).toBeGreaterThan(0.2);
    expect(await other.check()).toMatchObject(close(found));
  });
});

describe('engagement sidecar', () => {
  test('listens on loopback only, prints its address, and stops cleanly on SIGTERM', async () => {
    const { command, url } = await startCommandSidecar(freshDatabase());
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(await check(url)).toMatchObject({ success: true, driftScore: 0 });
    command.process.kill('SIGTERM');
    const { code, stdout } = await command.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ url });
  });

  test('takes the threshold from DRIFT_THRESHOLD', async () => {
    const command = startCommand(['sidecar', '--port', '0'], {
      MONGODB_URI: freshDatabase(),
      DRIFT_THRESHOLD: '0.7',
    });
    running.push(command);
    const [url] = await command.printed(/http:\/\/127\.0\.0\.1:\d+/);
    expect(await (await fetch(`${url}/drift/status`)).json()).toMatchObject({ threshold: 0.7 });
  });

  test('fails with one line when the port is in use or the database is unreachable', async () => {
    const mongodbUri = freshDatabase();
    const { url } = await startCommandSidecar(mongodbUri);
    const taken = startCommand(['sidecar', '--port', new URL(url).port], { MONGODB_URI: mongodbUri });
    running.push(taken);
    expect(await taken.ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Port ${new URL(url).port} is in use; set --port.\n`,
    });
    expect(await unconnected.ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The database .*\n$/),
    });
  });
});
