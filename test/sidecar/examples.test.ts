import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { FeatureBin } from '../../src/sidecar/psi/feature-bins.ts';
import { type LoadTest, startLoadTest } from './load-support.ts';
import type { CheckAnswer, Feature, Row } from './support.ts';

let sidecar: LoadTest['sidecar'];
let file: LoadTest['file'];
let load: LoadTest['load'];
let stop: LoadTest['stop'];
beforeAll(async () => {
  ({ sidecar, file, load, stop } = await startLoadTest());
});
afterAll(() => stop());
afterEach(() => sidecar.clear());

type Explained = Feature & { largestBin?: FeatureBin; exampleIds?: string[] };

const featureOf = ({ featureDrifts }: CheckAnswer, name: string): Explained | undefined =>
  featureDrifts.find(({ feature }) => feature === name);

/** Rows whose feature `age` is spread from 0 to 99, or is 95 in every other row. */
const rows = (count: number, shifted: boolean, named = true): Row[] =>
  Array.from({ length: count }, (_, index) => ({
    features: { age: shifted && index % 2 === 0 ? 95 : index % 100, plan: shifted ? 'new' : 'old' },
    prediction: (index % 100) / 100,
    outcome: 0,
    ...(named ? { id: `row-${index}` } : {}),
  }));

test('a check names the bin with the largest contribution, and the newest rows in it', async () => {
  await sidecar.add('reference', 'lead', rows(1_000, false));
  await sidecar.add('current', 'lead', rows(600, true));
  await sidecar.add('current', 'trial', rows(200, false, false));
  const check = await sidecar.check('lead');
  expect(featureOf(check, 'age')).toMatchObject({
    largestBin: { lower: expect.closeTo(89, 0), upper: null, category: null, missing: false },
    exampleIds: ['row-599', 'row-598', 'row-597', 'row-596', 'row-595'],
  });
  const { largestBin } = featureOf(check, 'age') ?? {};
  expect(largestBin?.current.share).toBeCloseTo(0.55);
  expect(largestBin?.reference.share).toBeCloseTo(0.1);
  expect(featureOf(check, 'plan')).toMatchObject({
    largestBin: { category: expect.stringMatching(/old|new/), lower: null, upper: null },
  });
  expect(featureOf(check, 'prediction')).not.toHaveProperty('exampleIds');
  // The status shows the latest check.
  const { body: status } = await sidecar.request<CheckAnswer>('GET', '/drift/status?stage=lead');
  expect(featureOf(status, 'age')?.exampleIds).toHaveLength(5);
});

test('rows without ids have no examples', async () => {
  await sidecar.add('reference', null, rows(300, false, false));
  await sidecar.add('current', null, rows(300, true, false));
  const age = featureOf(await sidecar.check(), 'age');
  expect(age?.drifted).toBe(true);
  expect(age).toHaveProperty('largestBin');
  expect(age).not.toHaveProperty('exampleIds');
});

test.each(['', 5, 'x'.repeat(201), '\ud800'])('the id %j is rejected', async (id) => {
  const body = { set: 'current', rows: [{ features: {}, prediction: 1, id }] };
  const { status, body: answer } = await sidecar.request('POST', '/samples', body);
  expect([status, answer]).toMatchObject([422, { error: { details: [{ path: 'rows.0.id' }] } }]);
});

/** Times and ids of the stored rows, in order. */
async function storedDetails() {
  const batches = await sidecar.db.collection('batches').find().sort({ n: 1 }).toArray();
  return batches.map(({ times, ids }) => ({
    times: times
      ? [...new Float64Array(new Uint8Array(times.buffer.subarray(0, times.position)).buffer)]
      : null,
    ids: ids ?? null,
  }));
}

test('sidecar load sends times from CSV, and times and ids from JSON Lines, as columns', async () => {
  const at = '2026-01-31T09:30:00+01:00';
  const csv = `age,prediction,occurredAt\n1,0.5,${at}\n2,0.5,\n3,0.5,yesterday\n`;
  const loaded = await load('--set', 'current', '--json', await file('times.csv', csv));
  expect(JSON.parse(loaded.stdout)).toMatchObject({ loaded: 2, rejected: 1, format: 'columns' });
  expect(loaded.stdout).toContain('occurredAt: Must be an ISO 8601 date');
  expect(await storedDetails()).toEqual([{ times: [Date.parse(at), Number.NaN], ids: null }]);
  await sidecar.clear();

  const lines = [
    { features: { age: 1 }, prediction: 0.5 },
    { features: { age: 2 }, prediction: 0.5, occurredAt: at, id: 'b' },
    { features: { age: 3 }, prediction: 0.5 },
  ];
  await load(
    '--set',
    'current',
    await file('rows.jsonl', lines.map((line) => JSON.stringify(line)).join('\n')),
  );
  expect(await storedDetails()).toEqual([
    { times: [Number.NaN, Date.parse(at), Number.NaN], ids: [null, 'b', null] },
  ]);
});

test('sidecar load fills a model of its own', async () => {
  const csv = 'age,prediction\n1,0.5\n';
  const { code } = await load('--set', 'current', '--model', 'churn', await file('churn.csv', csv));
  expect(code).toBe(0);
  expect((await sidecar.request('GET', '/drift/models')).body).toEqual([
    { model: 'default' },
    { model: 'churn' },
  ]);
  expect((await sidecar.request('GET', '/drift/stages')).body).toEqual([]);
});
