import { expect, test } from 'vitest';
import { batchPsi } from './batch-psi.ts';
import { type Row, random, startTestSidecar } from './support.ts';

const DAY_MS = 86_400_000;

/** Rows of one age; rows older than 30 days have an outcome. */
function rowsOfAge(days: number | null, count: number, seed: number): Row[] {
  const numbers = random(seed);
  for (let skip = 0; skip < 5; skip += 1) numbers.next();
  return Array.from({ length: count }, () => ({
    features: { visits: numbers.next().value },
    prediction: numbers.next().value,
    outcome: days === null || days < 30 ? null : Math.round(numbers.next().value),
    ...(days === null ? {} : { occurredAt: new Date(Date.now() - days * DAY_MS).toISOString() }),
  }));
}

const residualOf = ({ prediction, outcome }: Row): number | null =>
  outcome == null ? null : prediction - outcome;

const reference = rowsOfAge(300, 1_000, 1);
const old = rowsOfAge(40, 600, 2);
const young = [...rowsOfAge(3, 500, 3), ...rowsOfAge(null, 100, 4)];

async function withSamples(outcomeDelay?: { defaultMs: number; stageMs: Record<string, number> }) {
  const sidecar = await startTestSidecar(outcomeDelay ? { outcomeDelay } : {});
  await sidecar.add('reference', 'trial', reference);
  await sidecar.add('current', 'trial', old.slice(0, 300));
  await sidecar.add('current', 'trial', [...young.slice(0, 300), ...old.slice(300)]);
  await sidecar.add('current', 'trial', young.slice(300));
  return sidecar;
}

test('without a delay, outcomes that are not known yet count as missing', async () => {
  await using sidecar = await withSamples();
  const { components, featureDrifts } = await sidecar.check('trial');
  expect(components.outcome).toBe(1);
  expect(featureDrifts.at(-1)).toMatchObject({
    rows: { reference: 1_000, current: 1_200 },
    coverage: { reference: 1, current: 0.5 },
  });
});

test('rows younger than the delay, by occurredAt or by arrival, are left out of the outcome alone', async () => {
  await using sidecar = await withSamples({ defaultMs: 30 * DAY_MS, stageMs: {} });
  const { components, componentDetails, rows, featureDrifts } = await sidecar.check('trial');
  expect(rows).toEqual({ reference: 1_000, current: 1_200 });
  expect(featureDrifts.at(-2)).toMatchObject({ feature: 'prediction', rows });
  expect(featureDrifts.at(-1)).toMatchObject({
    score: expect.closeTo(batchPsi(reference.map(residualOf), old.map(residualOf)), 10),
    rows: { reference: 1_000, current: 600 },
    coverage: { reference: 1, current: 1 },
    drifted: false,
  });
  expect(components.outcome).toBe(0);
  expect(componentDetails.outcome?.coverage).toEqual({ reference: 1, current: 1 });

  // Samples that arrive later are young as well.
  await sidecar.add('current', 'trial', rowsOfAge(null, 50, 5));
  expect((await sidecar.check('trial')).featureDrifts.at(-1)?.rows.current).toBe(600);
});

test('each stage has its own delay, also in a check of all samples; without old rows there is no outcome', async () => {
  await using sidecar = await withSamples({ defaultMs: 0, stageMs: { trial: 365 * DAY_MS } });
  const trial = await sidecar.check('trial');
  expect(trial.components.outcome).toBeNull();
  expect(trial.featureDrifts.at(-1)).toMatchObject({ rows: { current: 0 }, insufficientData: true });
  expect(trial.insufficientData).toBe(true);
  await sidecar.add('current', 'deal', old);
  const all = await sidecar.check();
  expect(all.rows.current).toBe(1_800);
  expect(all.featureDrifts.at(-1)).toMatchObject({ rows: { current: 600 }, coverage: { current: 1 } });
});

test.each(['yesterday', '2026-01-31', '2026-13-01T00:00:00Z', 5, ''])(
  'occurredAt %j is rejected, and nothing is stored',
  async (occurredAt) => {
    await using sidecar = await startTestSidecar();
    const rows = [{ features: {}, prediction: 1, occurredAt }];
    const { status, body } = await sidecar.request('POST', '/samples', { set: 'current', stage: 'a', rows });
    expect(status).toBe(422);
    expect(body).toMatchObject({ error: { details: [{ path: 'rows.0.occurredAt' }] } });
    expect((await sidecar.request('GET', '/drift/stages')).body).toEqual([]);
  },
);
