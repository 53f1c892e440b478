import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyScope } from '../../src/sidecar/profiles/profile-scopes.ts';
import {
  addBlock,
  currentEdges,
  emptyTally,
  histogramsOf,
} from '../../src/sidecar/profiles/profile-tally.ts';
import { compareSets } from '../../src/sidecar/psi/compare-sets.ts';
import { applySettings, type FeatureDrift } from '../../src/sidecar/psi/drift-report.ts';
import { encodeRows } from '../../src/sidecar/samples/encode-rows.ts';
import { type Feature, type Row, random, startTestSidecar, type TestSidecar } from './support.ts';

let sidecar: TestSidecar;
beforeAll(async () => {
  sidecar = await startTestSidecar();
});
afterAll(() => sidecar.stop());

/** Number of features at which the capacity per feature is below the number of rows. */
const FEATURES = 150;
const ROWS = 5_000;
const BATCH = 2_500;

const numbers = random(7);
const next = () => numbers.next().value;

/** One feature goes up with every row, so that its edges move with everything that comes; the others stay. */
const rows = (from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, index) => {
    const features: Row['features'] = { sequence: from + index };
    for (let n = 1; n < FEATURES; n += 1) features[`f${n}`] = Math.round((next() + next()) * 1e6) / 1e6;
    return { features, prediction: Math.round(next() * 1e6) / 1e6, outcome: Math.round(next()) };
  });

/** The comparison of the same rows with all values kept. */
function expected(reference: Row[], current: Row[]): FeatureDrift[] {
  const scope = emptyScope();
  for (const [set, all] of [
    ['reference', reference],
    ['current', current],
  ] as const) {
    const tally = emptyTally(set);
    scope.tallies.set(set, tally);
    addBlock(scope, tally, encodeRows(all).block);
  }
  const { edges, lost } = currentEdges(scope);
  expect(lost).toEqual([]);
  const featureDrifts = compareSets(
    histogramsOf(scope, edges, 'reference'),
    histogramsOf(scope, edges, 'current'),
  );
  return applySettings({ featureDrifts }, { threshold: 0.2, features: [] }).featureDrifts;
}

const close = (features: readonly FeatureDrift[]) =>
  features.map((feature) => ({ ...feature, score: expect.closeTo(feature.score, 10) }));

async function add(set: 'reference' | 'current', all: Row[]): Promise<Row[]> {
  for (let at = 0; at < all.length; at += BATCH) await sidecar.add(set, 'lead', all.slice(at, at + BATCH));
  return all;
}

/** Checks, and returns the comparisons of the features without the bins that a check names. */
const checked = async (stage?: string) =>
  (await sidecar.check(stage)).featureDrifts.map(
    ({ largestBin: _, ...feature }: Feature & { largestBin?: unknown }) => feature,
  );

test('a growing reference has exact scores at every step, before and after a restart', async () => {
  const reference = await add('reference', rows(0, ROWS));
  const current = await add('current', rows(ROWS / 2, ROWS));
  expect(await checked()).toEqual(close(expected(reference, current)));

  reference.push(...(await add('reference', rows(ROWS, 500))));
  current.push(...(await add('current', rows(0, 500))));
  const grown = close(expected(reference, current));
  expect(await checked()).toEqual(grown);
  expect(await checked('lead')).toEqual(grown);

  await sidecar.stop();
  sidecar = await startTestSidecar({ mongodbUri: sidecar.mongodbUri });
  expect(await checked()).toEqual(grown);
  current.push(...(await add('current', rows(0, 500))));
  expect(await checked()).toEqual(close(expected(reference, current)));
  reference.push(...(await add('reference', rows(0, 500))));
  expect(await checked('lead')).toEqual(close(expected(reference, current)));
});
