import { expect, test } from 'vitest';
import { type CheckAnswer, type Row, random, startTestSidecar, type TestSidecar } from './support.ts';

const DAY_MS = 86_400_000;
const WEEK = { rows: null, ms: 7 * DAY_MS };

const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

/** Rows of one day, whose numbers begin at `base`. */
function rowsOf(days: number, count: number, base: number, seed = Math.ceil(days) + 1): Row[] {
  const numbers = random(seed);
  for (let skip = 0; skip < 5; skip += 1) numbers.next();
  return Array.from({ length: count }, (_, index) => ({
    id: `${days}-${index}`,
    features: { visits: base + numbers.next().value },
    prediction: numbers.next().value,
    outcome: Math.round(numbers.next().value),
    occurredAt: daysAgo(days),
  }));
}

async function check(sidecar: TestSidecar, body: object): Promise<CheckAnswer & Record<string, unknown>> {
  const { status, body: answer } = await sidecar.request<CheckAnswer & Record<string, unknown>>(
    'POST',
    '/drift/check',
    body,
  );
  expect(status).toBe(200);
  return answer;
}

/** The reference set has numbers from 0; numbers of today and of the last weeks begin at 5, of a year ago at 0. */
async function fill(sidecar: TestSidecar): Promise<void> {
  await sidecar.add('reference', 'trial', rowsOf(500, 1_000, 0));
  await sidecar.add('current', 'trial', rowsOf(366, 500, 0));
  await sidecar.add('current', 'trial', rowsOf(400, 300, 0));
  await sidecar.add('current', 'trial', rowsOf(20, 600, 5));
  await sidecar.add('current', 'trial', rowsOf(3, 400, 5));
}

test('a check compares the current rows with the reference set, the weeks before, or the weeks a year ago', async () => {
  await using sidecar = await startTestSidecar({ currentWindow: WEEK });
  await fill(sidecar);
  expect(await check(sidecar, { stage: 'trial' })).toMatchObject({ reference: 'fixed', isDrifted: true });
  for (const stage of [{ stage: 'trial' }, {}]) {
    const trailing = await check(sidecar, { ...stage, reference: 'trailing' });
    expect(trailing).toMatchObject({
      reference: 'trailing',
      rows: { reference: 600, current: 400 },
      isDrifted: false,
      insufficientData: false,
    });
    const seasonal = await check(sidecar, { ...stage, reference: 'seasonal' });
    expect(seasonal).toMatchObject({
      reference: 'seasonal',
      rows: { reference: 500, current: 400 },
      isDrifted: true,
    });
    const visits = seasonal.featureDrifts.find(({ feature }) => feature === 'visits');
    expect(visits).toMatchObject({ drifted: true });
    const { exampleIds } = visits as unknown as { exampleIds: string[] };
    expect(exampleIds).toHaveLength(5);
    for (const id of exampleIds) expect(id).toMatch(/^3-/);
  }
});

test('a comparison by time has the scores of the same rows in the reference set', async () => {
  await using plain = await startTestSidecar();
  await plain.add('reference', null, rowsOf(20, 600, 5));
  await plain.add('current', null, rowsOf(3, 400, 5.3));
  const expected = (await plain.check()).featureDrifts;
  await using sidecar = await startTestSidecar({ currentWindow: WEEK });
  await sidecar.add('current', null, [...rowsOf(20, 600, 5), ...rowsOf(3, 400, 5.3), ...rowsOf(60, 90, 9)]);
  const { featureDrifts } = await check(sidecar, { reference: 'trailing' });
  expect(featureDrifts.map(({ feature, score, noise, rows }) => ({ feature, score, noise, rows }))).toEqual(
    expected.map(({ feature, score, noise, rows }) => ({ feature, score, noise, rows })),
  );
});

test('the check of a past day is repeated without a trace in status and history', async () => {
  await using sidecar = await startTestSidecar({ currentWindow: { rows: null, ms: 5 * DAY_MS } });
  await fill(sidecar);
  const { id, checkedAt } = await check(sidecar, { stage: 'trial' });
  const at = daysAgo(365);
  const past = await check(sidecar, { stage: 'trial', at });
  expect(past).toMatchObject({
    at,
    reference: 'fixed',
    rows: { reference: 1_000, current: 500 },
    isDrifted: false,
  });
  expect(past).not.toHaveProperty('id');
  expect(await check(sidecar, { at, reference: 'trailing' })).toMatchObject({
    at,
    rows: { reference: 0, current: 500 },
    insufficientData: true,
    isDrifted: false,
  });
  expect((await sidecar.request('GET', '/drift/history')).body).toMatchObject([{ id, reference: 'fixed' }]);
  expect((await sidecar.request('GET', '/drift/status?stage=trial')).body).toMatchObject({
    lastChecked: checkedAt,
    reference: 'fixed',
  });
});

test('time ranges without rows are too few rows for a verdict, and only a stage without rows is unknown', async () => {
  await using sidecar = await startTestSidecar({ currentWindow: WEEK });
  await sidecar.add('current', 'trial', rowsOf(60, 100, 0));
  for (const body of [
    { reference: 'trailing' },
    { reference: 'seasonal', stage: 'trial' },
    { at: daysAgo(300) },
  ]) {
    expect(await check(sidecar, body)).toMatchObject({
      rows: { reference: 0, current: 0 },
      driftScore: 0,
      isDrifted: false,
      insufficientData: true,
    });
  }
  const unknown = { stage: 'lead', reference: 'trailing' };
  expect((await sidecar.request('POST', '/drift/check', unknown)).status).toBe(404);
  for (const wrong of [{ reference: 'lunar' }, { at: 'yesterday' }, { at: daysAgo(-1) }])
    expect((await sidecar.request('POST', '/drift/check', wrong)).status).toBe(422);
});

test('a window of rows ends at the requested time, and the weeks before it exclude its rows', async () => {
  await using sidecar = await startTestSidecar({ currentWindow: { rows: 100, ms: null } });
  // In one block, since rows that the window has expired are deleted with the last row of their block.
  await sidecar.add('current', 'trial', [...rowsOf(20, 150, 0), ...rowsOf(10, 130, 0), ...rowsOf(3, 80, 0)]);
  expect((await check(sidecar, { reference: 'trailing' })).rows).toEqual({ reference: 260, current: 100 });
  expect((await check(sidecar, { reference: 'trailing', at: daysAgo(5) })).rows).toEqual({
    reference: 180,
    current: 100,
  });
});

test('settings of stages and models choose the reference, whose rows outlive the window', async () => {
  const reference = { general: 'fixed', named: { trial: 'trailing', churn: 'seasonal' } } as const;
  await using sidecar = await startTestSidecar({ currentWindow: { rows: 100, ms: null }, reference });
  for (const stage of ['trial', 'lead']) {
    await sidecar.add('reference', stage, rowsOf(500, 200, 0));
    for (const days of [12, 2]) await sidecar.add('current', stage, rowsOf(days, 100, days > 7 ? 0 : 5));
  }
  await sidecar.request('POST', '/samples?model=churn', { set: 'current', rows: rowsOf(1, 50, 0) });
  await expect.poll(() => sidecar.db.collection('batches').countDocuments(), { timeout: 20_000 }).toBe(5); // the older block of `lead` is deleted
  expect(await check(sidecar, { stage: 'trial' })).toMatchObject({
    reference: 'trailing',
    rows: { reference: 100, current: 100 },
  });
  expect(await check(sidecar, { stage: 'lead' })).toMatchObject({
    reference: 'fixed',
    rows: { reference: 200, current: 100 },
  });
  const { body } = await sidecar.request('POST', '/drift/check?model=churn', {});
  expect(body).toMatchObject({ reference: 'seasonal', rows: { reference: 0, current: 50 } });
  const feature = await sidecar.request('GET', '/drift/feature?feature=visits&stage=trial');
  expect(feature.body).toMatchObject({ rows: { reference: 100, current: 100 }, outOfRange: 1 });
  expect((await sidecar.request('GET', '/drift/status?stage=trial')).body).toMatchObject({
    reference: 'trailing',
  });
});

test('rows whose outcome can still arrive at the requested time have no residual', async () => {
  await using sidecar = await startTestSidecar({
    currentWindow: WEEK,
    outcomeDelay: { defaultMs: 30 * DAY_MS, stageMs: {} },
  });
  await sidecar.add('current', 'trial', [...rowsOf(22, 80, 0), ...rowsOf(34, 90, 0), ...rowsOf(3, 70, 0)]);
  const { featureDrifts } = await check(sidecar, { reference: 'trailing' });
  expect(featureDrifts.at(-1)).toMatchObject({ feature: 'residual', rows: { reference: 90, current: 0 } });
  expect(featureDrifts.at(-2)).toMatchObject({ rows: { reference: 170, current: 70 } });
});

test('Wasserstein distance and share out of range compare the same stages on both sides', async () => {
  await using sidecar = await startTestSidecar({
    currentWindow: WEEK,
    reference: { general: 'trailing', named: {} },
  });
  // More rows than are read of a set.
  for (let i = 0; i < 2; i += 1) await sidecar.add('current', 'large', rowsOf(20, 50_000, 0));
  await sidecar.add('current', 'small', rowsOf(20, 1_000, 5));
  for (const [stage, base] of [
    ['large', 0],
    ['small', 5],
  ] as const)
    await sidecar.add('current', stage, rowsOf(3, 1_000, base));
  const { body } = await sidecar.request('GET', '/drift/feature?feature=visits');
  expect(body).toMatchObject({ rows: { reference: 101_000, current: 2_000 } });
  expect(body.outOfRange).toBeLessThan(0.01);
});
