import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Report, type Row, random, startTestSidecar, type TestSidecar } from './support.ts';

interface Performance {
  isProbabilistic: boolean | null;
  weeks: Record<string, unknown>[];
}

let sidecar: TestSidecar;
beforeAll(async () => {
  sidecar = await startTestSidecar();
});
afterAll(() => sidecar.stop());
afterEach(() => sidecar.clear());

const performance = async (query = '') =>
  (await sidecar.request<Performance>('GET', `/drift/performance${query}`)).body;

/** Rows whose outcome is 1 with the probability of the prediction. */
function calibrated(count: number, seed: number, more: Partial<Row> = {}): Row[] {
  const numbers = random(seed);
  return Array.from({ length: count }, () => {
    const prediction = numbers.next().value;
    return { features: {}, prediction, outcome: Number(numbers.next().value < prediction), ...more };
  });
}

test('is reported by week: measured with outcomes, estimated without them', async () => {
  await sidecar.add('reference', 'lead', calibrated(5_000, 1));
  // A Sunday and the Monday after it.
  await sidecar.add('current', 'lead', calibrated(2_000, 2, { occurredAt: '2026-01-25T23:59:59Z' }));
  await sidecar.add(
    'current',
    'lead',
    calibrated(2_000, 3, { occurredAt: '2026-01-26T00:00:00Z', outcome: null }),
  );
  const { isProbabilistic, weeks } = await performance('?stage=lead');
  expect(isProbabilistic).toBe(true);
  expect(weeks).toMatchObject([
    { week: '2026-01-19T00:00:00.000Z', rows: 2_000, outcomes: 2_000 },
    {
      ...{ week: '2026-01-26T00:00:00.000Z', rows: 2_000, outcomes: 0 },
      ...{ calibrationError: null, auc: null, accuracy: null },
    },
  ]);
  const [measured, estimated] = weeks;
  expect(measured?.calibrationError).toBeLessThan(0.05);
  // Of uniform calibrated predictions: 5/6 and 3/4.
  expect(Number(measured?.auc)).toBeCloseTo(5 / 6, 1);
  expect(Number(measured?.accuracy)).toBeCloseTo(3 / 4, 1);
  expect(Number(estimated?.estimatedAccuracy)).toBeCloseTo(3 / 4, 1);
});

test('is measured once for all requests until the samples change', async () => {
  await sidecar.add('current', null, calibrated(2_000, 6));
  await sidecar.db.command({ profile: 2 });
  onTestFinished(async () => {
    await sidecar.db.command({ profile: 0 });
    await sidecar.db.dropCollection('system.profile');
  });
  const measurements = () =>
    sidecar.db
      .collection('system.profile')
      .countDocuments({ 'command.find': 'batches', 'command.projection.times': 1 });
  const [first, ...others] = await Promise.all(Array.from({ length: 10 }, () => performance()));
  expect(first?.weeks).toMatchObject([{ rows: 2_000 }]);
  for (const other of others) expect(other).toEqual(first);
  expect(await performance()).toEqual(first);
  expect(await measurements()).toBe(1);
  await sidecar.add('current', null, calibrated(1_000, 7));
  expect((await performance()).weeks).toMatchObject([{ rows: 3_000 }]);
  expect(await measurements()).toBe(2);
  await sidecar.request('DELETE', '/samples?set=current');
  expect(await performance()).toEqual({ isProbabilistic: null, weeks: [] });
});

test('has the latest 53 weeks with rows', async () => {
  const monday = Date.UTC(2025, 0, 6);
  const rows = Array.from({ length: 60 }, (_, week) =>
    calibrated(2, week, { occurredAt: new Date(monday + week * 7 * 86_400_000).toISOString() }),
  ).flat();
  await sidecar.add('current', null, rows);
  const { weeks } = await performance();
  expect(weeks).toHaveLength(53);
  expect(weeks.every((week) => week.rows === 2 && week.outcomes === 2)).toBe(true);
  expect(weeks[0]?.week).toBe(new Date(monday + 7 * 7 * 86_400_000).toISOString());
});

test('the reference calibrates the estimate of a model that is too confident', async () => {
  const confident = (rows: Row[]) =>
    rows.map((row) => ({ ...row, prediction: row.prediction < 0.5 ? 0.01 : 0.99 }));
  await sidecar.add('reference', null, confident(calibrated(5_000, 4)));
  await sidecar.add('current', null, confident(calibrated(2_000, 5)));
  const { weeks } = await performance();
  expect(Number(weeks[0]?.estimatedAccuracy)).toBeCloseTo(Number(weeks[0]?.accuracy), 1);
  expect(Number(weeks[0]?.calibrationError)).toBeGreaterThan(0.2);
});

test('is not reported of other predictions, and null without rows', async () => {
  expect(await performance()).toEqual({ isProbabilistic: null, weeks: [] });
  await sidecar.add('current', null, [{ features: {}, prediction: 12, outcome: 3 }]);
  expect(await performance()).toEqual({ isProbabilistic: false, weeks: [] });
  expect((await sidecar.request('GET', '/drift/performance?stage=nope')).status).toBe(404);
});

test('a component without any value is a state of its own', async () => {
  const rows = (outcome: number | null): Row[] =>
    Array.from({ length: 100 }, (_, index) => ({
      features: { age: index },
      prediction: index / 100,
      outcome,
    }));
  await sidecar.add('reference', null, rows(1));
  await sidecar.add('current', null, rows(null));
  const { componentDetails }: Report = await sidecar.check();
  expect(componentDetails).toMatchObject({
    features: { noData: false },
    prediction: { noData: false },
    outcome: { noData: true, coverage: { reference: 1, current: 0 } },
  });
});
