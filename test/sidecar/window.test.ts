import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SampleSet } from '../../src/sidecar/samples/samples.types.ts';
import { freshDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { batchScores } from './batch-psi.ts';
import {
  type Feature,
  type Report,
  type Row,
  random,
  startSidecarCommand,
  startTestSidecar,
  type TestSidecar,
  type TestSidecarOptions,
} from './support.ts';

const STAGES = [null, 'a', 'b'] as const;
type Stage = (typeof STAGES)[number];

/** The rows that count, by set and stage, in the order of their arrival. */
class Model {
  readonly #rows = new Map<string, Row[]>();
  readonly #window: number;

  constructor(window: number) {
    this.#window = window;
  }

  add(set: SampleSet, stage: Stage, rows: Row[]): void {
    const key = `${set} ${stage}`;
    const all = [...(this.#rows.get(key) ?? []), ...rows];
    this.#rows.set(key, set === 'current' ? all.slice(-this.#window) : all);
  }

  remove(set: SampleSet, stage: Stage): void {
    for (const key of [...this.#rows.keys()]) {
      if (key === `${set} ${stage}` || (stage === null && key.startsWith(set))) this.#rows.delete(key);
    }
  }

  /** @param scope undefined for all rows */
  rows(set: SampleSet, scope: string | undefined): Row[] {
    return STAGES.flatMap((stage) =>
      scope === undefined || stage === scope ? (this.#rows.get(`${set} ${stage}`) ?? []) : [],
    );
  }
}

function rowsOf(count: number, seed: number): Row[] {
  const numbers = random(seed * 7_919 + 1);
  for (let skip = 0; skip < 5; skip += 1) numbers.next();
  const next = () => numbers.next().value;
  const shift = (seed % 4) / 4;
  return Array.from({ length: count }, () => ({
    features: {
      wide: next() + shift,
      counted: Math.floor(6 * next() + 2 * shift),
      constant: 3,
      word: next() < 0.05 ? `rare${Math.floor(40 * next())}` : `w${Math.floor(3 * next() + shift)}`,
      mixed: next() < 0.3 ? null : next() < 0.5 ? 'none' : Math.round(20 * next()),
    },
    prediction: Math.round(100 * next()) / 100 + shift,
    outcome: next() < 0.2 ? null : Math.round(next()),
  }));
}

/** Compares a check over HTTP with a batch computation from the rows that count. */
async function expectExact(sidecar: TestSidecar, model: Model, scope: string | undefined): Promise<void> {
  const [reference, current] = [model.rows('reference', scope), model.rows('current', scope)];
  const { status, body } = await sidecar.request<Report>(
    'POST',
    '/drift/check',
    scope ? { stage: scope } : {},
  );
  if (scope !== undefined && reference.length + current.length === 0) {
    expect(status).toBe(404);
    return;
  }
  expect(body.rows).toEqual({ reference: reference.length, current: current.length });
  if (reference.length + current.length === 0) {
    expect(body.featureDrifts).toEqual([]);
    return;
  }
  const expected = batchScores(reference, current);
  expect(body.featureDrifts.map(({ feature }: Feature) => feature)).toEqual([...expected.keys()]);
  for (const { feature, score } of body.featureDrifts) {
    const difference = Math.abs(score - (expected.get(feature) ?? Number.NaN));
    expect(difference, `${feature} of ${scope ?? 'all'}`).toBeLessThanOrEqual(1e-12);
  }
}

const command = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      set: fc.constantFrom<SampleSet>('reference', 'current', 'current'),
      stage: fc.constantFrom(...STAGES),
      count: fc.integer({ min: 1, max: 90 }),
      seed: fc.nat({ max: 1_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('remove' as const),
      set: fc.constantFrom<SampleSet>('reference', 'current'),
      stage: fc.constantFrom(...STAGES),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('check' as const),
      scope: fc.constantFrom(undefined, 'a', 'b'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('switch' as const) }) },
);

type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** Runs commands on two sidecars of one database, and compares every scope at the end. */
async function run(commands: readonly Command[], options: TestSidecarOptions, model: Model) {
  const mongodbUri = freshDatabase();
  const start = () => startTestSidecar({ ...options, mongodbUri });
  const both: [TestSidecar, TestSidecar] = await Promise.all([start(), start()]);
  let used = 0;
  try {
    for (const step of commands) {
      const sidecar = both[used] as TestSidecar;
      if (step.do === 'add') {
        const rows = rowsOf(step.count, step.seed);
        await sidecar.add(step.set, step.stage, rows);
        model.add(step.set, step.stage, rows);
      } else if (step.do === 'remove') {
        const stage = step.stage === null ? '' : `&stage=${step.stage}`;
        await sidecar.request('DELETE', `/samples?set=${step.set}${stage}`);
        model.remove(step.set, step.stage);
      } else if (step.do === 'check') await expectExact(sidecar, model, step.scope);
      else if (step.do === 'switch') used = 1 - used;
      else {
        await sidecar.stop();
        both[used] = await start();
      }
    }
    for (const sidecar of both) {
      for (const scope of [undefined, 'a', 'b']) await expectExact(sidecar, model, scope);
    }
  } finally {
    await Promise.all(both.map((sidecar) => sidecar.stop()));
  }
}

const commands = fc.array(command, { minLength: 12, maxLength: 30 });

test('scores equal a batch computation under appends, deletes and restarts', async () => {
  await fc.assert(
    fc.asyncProperty(commands, (steps) => run(steps, {}, new Model(Number.POSITIVE_INFINITY))),
    { numRuns: 3, endOnFailure: true },
  );
}, 180_000);

test('scores equal a batch computation of the newest rows of each stage with a sliding window', async () => {
  const window = 100;
  await fc.assert(
    fc.asyncProperty(commands, (steps) =>
      run(steps, { currentWindow: { rows: window, ms: null } }, new Model(window)),
    ),
    { numRuns: 6, endOnFailure: true },
  );
}, 240_000);

test('rows beyond the window leave the counts and the database, block by block', async () => {
  const model = new Model(100);
  await using sidecar = await startTestSidecar({ currentWindow: { rows: 100, ms: null } });
  const add = async (set: SampleSet, count: number, seed: number) => {
    await sidecar.add(set, 'a', rowsOf(count, seed));
    model.add(set, 'a', rowsOf(count, seed));
  };
  await add('reference', 300, 1);
  for (let seed = 2; seed < 10; seed += 1) await add('current', 30, seed);
  await expectExact(sidecar, model, 'a');
  const [partition] = await sidecar.db.collection('partitions').find({ set: 'current' }).toArray();
  expect(partition).toMatchObject({ batches: 8, firstBatch: 5, skippedRows: 20, rows: 100 });
  const stored = () => sidecar.db.collection('batches').countDocuments({ partition: partition?._id });
  await eventually(async () => (await stored()) === 4);
  expect(await sidecar.db.collection('batches').countDocuments()).toBe(5);
  const { body } = await sidecar.request('GET', '/drift/stages');
  expect(body).toEqual([{ stage: 'a', rows: { reference: 300, current: 100 } }]);
});

test('a stage can have a window of its own', async () => {
  const currentWindow = { rows: 100, ms: null, stages: { b: { rows: 40, ms: null } } };
  await using sidecar = await startTestSidecar({ currentWindow });
  for (const stage of ['a', 'b']) {
    await sidecar.add('reference', stage, rowsOf(90, 1));
    await sidecar.add('current', stage, rowsOf(90, 2));
    await sidecar.add('current', stage, rowsOf(90, 3));
  }
  expect((await sidecar.check('a')).rows).toEqual({ reference: 90, current: 100 });
  expect((await sidecar.check('b')).rows).toEqual({ reference: 90, current: 40 });
  expect((await sidecar.check()).rows).toEqual({ reference: 180, current: 140 });
});

test('rows older than the window expire, and a stage without other rows has no samples', async () => {
  await using sidecar = await startTestSidecar({ currentWindow: { rows: null, ms: 5_000 } });
  await sidecar.add('reference', 'a', rowsOf(50, 1));
  await sidecar.add('current', 'a', rowsOf(40, 2));
  await sidecar.add('current', 'b', rowsOf(40, 3));
  await sleep(6_500);
  await sidecar.add('current', 'a', rowsOf(35, 4));
  expect((await sidecar.check('a')).rows).toEqual({ reference: 50, current: 35 });
  expect((await sidecar.request('GET', '/drift/status?stage=b')).status).toBe(404);
  expect((await sidecar.request('GET', '/drift/feature?feature=wide&stage=b')).status).toBe(404);
  await expect(sidecar.check('b')).rejects.toThrow('No samples for stage `b`.');
  await eventually(async () => (await sidecar.db.collection('batches').countDocuments()) === 2);
});

test('after kill -9 the window is exact, with the text of DRIFT_CURRENT_WINDOW', async () => {
  const mongodbUri = freshDatabase();
  const model = new Model(100);
  for (let round = 0; round < 3; round += 1) {
    const { command: running, url } = await startSidecarCommand({
      MONGODB_URI: mongodbUri,
      DRIFT_CURRENT_WINDOW: '100',
    });
    for (let seed = round * 10; seed < round * 10 + 8; seed += 1) {
      const set = seed % 4 === 0 ? 'reference' : 'current';
      const rows = rowsOf(37, seed);
      const { status } = await fetch(`${url}/samples`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ set, stage: 'a', rows }),
      });
      expect(status).toBe(200);
      model.add(set, 'a', rows);
      if (seed % 10 === 3) await fetch(`${url}/drift/stages`);
    }
    if (round === 1) await sleep(2_500); // saves the counts and deletes the expired blocks
    running.process.kill('SIGKILL');
    await running.ended;
  }
  await using sidecar = await startTestSidecar({ mongodbUri, currentWindow: { rows: 100, ms: null } });
  for (const scope of [undefined, 'a']) await expectExact(sidecar, model, scope);
});

test('rows that arrive during checks are included with the window exact to the row', async () => {
  await using sidecar = await startTestSidecar({ currentWindow: { rows: 200, ms: null } });
  await sidecar.add('reference', 'a', rowsOf(300, 1));
  const adding = Array.from({ length: 40 }, (_, index) =>
    sidecar.add('current', index % 2 ? 'a' : 'b', rowsOf(35, index)),
  );
  const checking = Array.from({ length: 20 }, () => sidecar.check('a'));
  for (const { rows } of await Promise.all(checking)) expect(rows.current).toBeLessThanOrEqual(200);
  await Promise.all(adding);
  expect((await sidecar.check()).rows).toEqual({ reference: 300, current: 400 });
});

test('two sidecars on one database, whose checks expire rows for each other, are exact', async () => {
  const options = { mongodbUri: freshDatabase(), currentWindow: { rows: 100, ms: null } };
  await using first = await startTestSidecar(options);
  await using second = await startTestSidecar(options);
  const model = new Model(100);
  const numbers = random(7);
  const pick = <T>(...choices: T[]): T => choices[Math.floor(numbers.next().value * choices.length)] as T;
  for (let step = 0; step < 60; step += 1) {
    const set = pick<SampleSet>('reference', 'current', 'current', 'current');
    const stage = pick(...STAGES);
    const rows = rowsOf(1 + ((step * 37) % 90), step);
    const paths = ['/drift/stages', '/drift/status'];
    const reading = paths.map((path) => pick(first, second).request('GET', path));
    await pick(first, second).add(set, stage, rows);
    model.add(set, stage, rows);
    for (const { status } of await Promise.all(reading)) expect(status).toBe(200);
    if (step % 3 === 0) await expectExact(pick(first, second), model, pick(undefined, 'a', 'b'));
  }
});

test('strings of expired rows no longer count towards the limit of distinct strings', async () => {
  await using sidecar = await startTestSidecar({ currentWindow: { rows: 100, ms: null } });
  const distinct = (count: number, prefix: string): Row[] =>
    Array.from({ length: count }, (_, index) => ({ features: { id: `${prefix}${index}` }, prediction: 0 }));
  const rows = distinct(1_000, 'late');
  const addLate = () => sidecar.request('POST', '/samples', { set: 'current', stage: 'b', rows });
  await Promise.all(['x', 'y'].map((prefix) => sidecar.add('current', 'a', distinct(50_000, prefix))));
  expect((await addLate()).status).toBe(422);
  await eventually(async () => (await addLate()).status === 200, 20_000);
  expect((await sidecar.check()).rows).toEqual({ reference: 0, current: 200 });
});
