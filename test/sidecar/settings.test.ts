import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Report, type Row, startTestSidecar, type TestSidecar } from './support.ts';

let sidecar: TestSidecar;
beforeAll(async () => {
  sidecar = await startTestSidecar();
});
afterAll(() => sidecar.stop());
beforeEach(async () => {
  await sidecar.clear();
  await sidecar.request('PUT', '/drift/features', { features: [] });
});

const FEATURES = 20;

/** Rows with 20 features; the first few features have another category. Prediction and outcome stay. */
const rows = (changed: number, outcome = 0): Row[] =>
  Array.from({ length: 400 }, (_, index) => ({
    features: Object.fromEntries(
      Array.from({ length: FEATURES }, (_, feature) => [
        `f${feature}`,
        feature < changed ? 'other' : feature === 19 ? index : 'usual',
      ]),
    ),
    prediction: index / 400,
    outcome: outcome + (index % 7) / 7,
  }));

/** PSI of a feature whose only category was replaced by another one: the largest possible. */
const LARGEST_PSI = 2 * (1 - 1e-4) * Math.log(1e4);

describe('the drift score', () => {
  test('is drifted if the residual diverges behind 20 calm features', async () => {
    await sidecar.add('reference', 'lead', rows(0));
    await sidecar.add('current', 'lead', rows(0, 50));
    const { driftScore, isDrifted, components, featureDrifts } = await sidecar.check();
    expect(featureDrifts.at(-1)).toMatchObject({ feature: 'residual', drifted: true });
    expect(featureDrifts.at(-1)?.score).toBeGreaterThan(5);
    expect(components).toEqual({ features: 0, prediction: 0, outcome: 1 });
    expect({ driftScore, isDrifted }).toEqual({ driftScore: 1, isDrifted: true });
  });

  test('is the weighted mean of the features: 3 of 20 that have changed completely count by their importance', async () => {
    await sidecar.add('reference', 'lead', rows(0));
    await sidecar.add('current', 'lead', rows(3));
    const plain = await sidecar.check();
    expect(plain).toMatchObject({ isDrifted: false, components: { prediction: 0, outcome: 0 } });
    expect(plain.driftScore).toBeCloseTo(3 / 20, 12);
    const drifted = plain.featureDrifts.filter((feature) => feature.drifted);
    expect(drifted.map(({ feature }) => feature)).toEqual(['f0', 'f1', 'f2']);
    for (const { score } of drifted) expect(score).toBeCloseTo(LARGEST_PSI, 9);

    const features = ['f0', 'f1', 'f2'].map((feature) => ({ feature, weight: 10, threshold: null }));
    await sidecar.request('PUT', '/drift/features', { features });
    const { body } = await sidecar.request<Report>('GET', '/drift/status');
    expect(body.isDrifted).toBe(true);
    expect(body.components.features).toBeCloseTo(30 / 47, 12);
    expect((await sidecar.request<Report[]>('GET', '/drift/history')).body[0]).toMatchObject({
      driftScore: plain.driftScore,
      isDrifted: false,
    });
  });

  test('has no features component if all weights are 0, and is the largest of the others', async () => {
    await sidecar.add('reference', 'lead', rows(0));
    await sidecar.add('current', 'lead', rows(FEATURES));
    expect((await sidecar.check()).components.features).toBeCloseTo(1, 12);
    const features = Array.from({ length: FEATURES }, (_, index) => ({
      feature: `f${index}`,
      weight: 0,
      threshold: null,
    }));
    await sidecar.request('PUT', '/drift/features', { features });
    const { components, driftScore, isDrifted, insufficientData, featureDrifts } = await sidecar.check();
    expect(components).toEqual({ features: null, prediction: 0, outcome: 0 });
    expect({ driftScore, isDrifted, insufficientData }).toEqual({
      driftScore: 0,
      isDrifted: false,
      insufficientData: false,
    });
    expect(featureDrifts[0]).toMatchObject({ feature: 'f0', weight: 0, drifted: true });
  });
});

describe('weights and thresholds', () => {
  const read = async () => (await sidecar.request('GET', '/drift/features')).body;

  test('are replaced as a list, and are the same in every sidecar of the database and after a restart', async () => {
    await using other = await startTestSidecar({ mongodbUri: sidecar.mongodbUri });
    expect(await read()).toEqual({ features: [] });
    const body = {
      features: [
        { feature: 'f1', weight: 0, threshold: 0.5 },
        { feature: 'residual', weight: 1, threshold: 2 },
      ],
    };
    expect((await sidecar.request('PUT', '/drift/features', body)).body).toEqual(body);
    expect((await other.request('GET', '/drift/features')).body).toEqual(body);
    await sidecar.add('reference', 'lead', rows(0));
    await sidecar.add('current', 'lead', rows(2));
    for (const { featureDrifts, components } of [await sidecar.check(), await other.check()]) {
      expect(featureDrifts[1]).toMatchObject({ feature: 'f1', weight: 0, threshold: 0.5, drifted: true });
      expect(featureDrifts[10]).toMatchObject({ weight: 1, threshold: 0.2 });
      expect(featureDrifts.at(-1)).toMatchObject({ feature: 'residual', threshold: 2 });
      expect(featureDrifts.at(-1)).not.toHaveProperty('weight');
      expect(components.features).toBeCloseTo(1 / 19, 12);
    }
    await sidecar.stop();
    sidecar = await startTestSidecar({ mongodbUri: sidecar.mongodbUri });
    expect(await read()).toEqual(body);
  });

  test.each([
    [{ feature: 'x', weight: -1, threshold: null }, 'features.0.weight'],
    [{ feature: 'x', weight: 1001, threshold: null }, 'features.0.weight'],
    [{ feature: 'x', weight: '1', threshold: null }, 'features.0.weight'],
    [{ feature: 'x', threshold: null }, 'features.0.weight'],
    [{ feature: 'x', weight: 1, threshold: 0 }, 'features.0.threshold'],
    [{ feature: '', weight: 1, threshold: null }, 'features.0.feature'],
    [{ feature: 'prediction', weight: 2, threshold: null }, 'features.0.weight'],
    [{ feature: 'residual', weight: 0, threshold: 1 }, 'features.0.weight'],
  ])('are rejected if invalid, and nothing changes: %j', async (setting, path) => {
    const { status, body } = await sidecar.request('PUT', '/drift/features', { features: [setting] });
    expect(status).toBe(422);
    expect(body).toMatchObject({ error: { code: 'VALIDATION_FAILED', details: [{ path }] } });
    expect(await read()).toEqual({ features: [] });
  });

  test('are rejected if a name is repeated, above 400 entries, or if not declared as JSON', async () => {
    const setting = (feature: string) => ({ feature, weight: 1, threshold: 1 });
    const put = (features: unknown[], headers = {}) =>
      sidecar.request('PUT', '/drift/features', { features }, headers);
    expect((await put([setting('a'), setting('a')])).status).toBe(422);
    expect((await put(Array.from({ length: 401 }, (_, index) => setting(`f${index}`)))).status).toBe(422);
    expect(
      (await put(Array.from({ length: 400 }, (_, index) => setting(`f${index}`.padEnd(500, 'ä'))))).status,
    ).toBe(200);
    expect((await put([], { 'content-type': 'text/plain' })).status).toBe(415);
  });
});
