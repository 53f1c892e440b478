import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import cases from '../unit/sidecar/psi-cases.json' with { type: 'json' };
import {
  type CheckAnswer,
  type Feature,
  type Row,
  someRows,
  startTestSidecar,
  type TestSidecar,
} from './support.ts';

let sidecar: TestSidecar;
beforeAll(async () => {
  sidecar = await startTestSidecar();
});
afterAll(() => sidecar.stop());
beforeEach(() => sidecar.clear());

const scores = (features: readonly Feature[]) =>
  Object.fromEntries(features.map(({ feature, score }) => [feature, score]));

/** A check without its id and time. */
const contentOf = ({ id: _id, checkedAt: _checkedAt, ...content }: CheckAnswer) => content;

describe('a check', () => {
  test('returns the score of each feature by name, with prediction and residual last', async () => {
    const categories = cases.find(({ name }) => name === 'a new category');
    const rows = (set: 'reference' | 'current'): Row[] =>
      Array.from({ length: 120 }, (_, index) => ({
        features: { 'z.$source%': categories?.[set][index] ?? null, age: index % 10 },
        prediction: index / 100,
        outcome: index % 2,
      }));
    await sidecar.add('reference', 'lead', rows('reference'));
    await sidecar.add('current', 'lead', rows('current'));
    const { success, featureDrifts, driftScore, isDrifted } = await sidecar.check();
    expect(featureDrifts.map(({ feature }) => feature)).toEqual([
      'age',
      'z.$source%',
      'prediction',
      'residual',
    ]);
    expect(scores(featureDrifts)).toEqual({
      age: 0,
      'z.$source%': expect.closeTo(categories?.psi ?? 0, 10),
      prediction: 0,
      residual: 0,
    });
    expect(featureDrifts.map(({ drifted }) => drifted)).toEqual([false, true, false, false]);
    expect({ success, driftScore, isDrifted }).toEqual({ success: true, driftScore: 0.5, isDrifted: true });
  });

  test('uses prediction − outcome as the residual, and treats an unknown outcome as missing', async () => {
    const rows = (outcome: number | null): Row[] =>
      Array.from({ length: 100 }, (_, index) => ({ features: {}, prediction: index, outcome }));
    await sidecar.add('reference', 'lead', rows(1));
    await sidecar.add('current', 'lead', rows(null));
    const { featureDrifts } = await sidecar.check();
    const lost = 10 * (0.1 - 1e-4) * Math.log(0.1 / 1e-4) + (1 - 1e-4) * Math.log(1 / 1e-4);
    expect(scores(featureDrifts)).toEqual({ prediction: 0, residual: expect.closeTo(lost, 10) });
  });

  test('counts an omitted feature as missing, and one of a single set as vanished or new', async () => {
    const rows = (name: string): Row[] =>
      Array.from({ length: 40 }, (_, index) => ({
        features: index % 2 ? { [name]: 'x' } : {},
        prediction: 1,
      }));
    await sidecar.add('reference', null, rows('old'));
    await sidecar.add('current', null, rows('new'));
    const { featureDrifts } = await sidecar.check();
    const half = (0.5 - 1e-4) * Math.log(0.5 / 1e-4) + (1 - 0.5) * Math.log(1 / 0.5);
    expect(scores(featureDrifts)).toEqual({
      new: expect.closeTo(half, 10),
      old: expect.closeTo(half, 10),
      prediction: 0,
      residual: 0,
    });
  });

  test('with fewer than 30 rows in a set returns scores, marks nothing as drifted and has no components', async () => {
    await sidecar.add('reference', 'lead', someRows(29, 1));
    await sidecar.add('current', 'lead', someRows(200, 2, 30));
    const few = await sidecar.check();
    expect(few).toMatchObject({
      success: true,
      driftScore: 0,
      isDrifted: false,
      components: { features: null, prediction: null, outcome: null },
      insufficientData: true,
      rows: { reference: 29, current: 200 },
    });
    expect(few.featureDrifts).toHaveLength(4);
    for (const feature of few.featureDrifts)
      expect(feature).toMatchObject({ drifted: false, insufficientData: true });
    expect(scores(few.featureDrifts).age).toBeGreaterThan(1);

    await sidecar.add('reference', 'lead', someRows(1, 3));
    const enough = await sidecar.check();
    expect(enough).toMatchObject({ isDrifted: true, insufficientData: false });
    expect(enough.featureDrifts[0]).toMatchObject({ feature: 'age', significant: true, drifted: true });
    expect(enough.featureDrifts[0]).not.toHaveProperty('insufficientData');
  });

  test('counts scores that chance can cause as 0, and reports how many rows a verdict needs', async () => {
    await sidecar.add('reference', 'lead', someRows(5_000, 1));
    await sidecar.add('current', 'lead', someRows(60, 2));
    const few = await sidecar.check();
    expect(few).toMatchObject({ driftScore: 0, isDrifted: false, insufficientData: true });
    const age = few.featureDrifts.find(({ feature }) => feature === 'age');
    expect(age).toMatchObject({ significant: false, drifted: false, insufficientData: true });
    expect(age?.score).toBeGreaterThan(0.05);
    expect(age?.noise).toBeGreaterThan(age?.score ?? 1);
    expect(few.components).toMatchObject({ prediction: null, outcome: null });
    const needed = Math.max(...few.featureDrifts.map(({ rowsNeeded }) => rowsNeeded));
    expect(few.componentDetails.outcome).toMatchObject({
      rowsNeeded: few.featureDrifts.at(-1)?.rowsNeeded,
      coverage: few.featureDrifts.at(-1)?.coverage,
    });

    await sidecar.add('current', 'lead', someRows(needed, 3));
    const enough = await sidecar.check();
    expect(enough).toMatchObject({
      isDrifted: false,
      insufficientData: false,
      components: { features: 0, prediction: 0, outcome: 0 },
    });
    for (const { score, significant, rowsNeeded } of enough.featureDrifts)
      expect([score > 0, significant, rowsNeeded]).toEqual([true, false, 0]);

    // Both features shift; the prediction and the outcome do not.
    await sidecar.add('current', 'lead', someRows(3_000, 4, 20));
    const shifted = await sidecar.check();
    expect(shifted.featureDrifts.map(({ significant }) => significant)).toEqual([true, true, false, false]);
    expect(shifted.components.features).toBeCloseTo(
      shifted.featureDrifts.slice(0, 2).reduce((sum, { score }) => sum + Math.min(1, score), 0) / 2,
      12,
    );
  });

  test('of a stage covers its rows alone, and an overall check the rows of all stages and of none', async () => {
    await sidecar.add('reference', 'lead', someRows(100, 1));
    await sidecar.add('reference', 'deal', someRows(100, 2, 30));
    await sidecar.add('reference', null, someRows(50, 3, 30));
    await sidecar.add('current', 'lead', someRows(100, 1));
    await sidecar.add('current', 'deal', someRows(100, 4));
    const [lead, deal, all] = [
      await sidecar.check('lead'),
      await sidecar.check('deal'),
      await sidecar.check(),
    ];
    expect(lead.driftScore).toBe(0);
    expect(scores(deal.featureDrifts).age).toBeGreaterThan(2);
    expect(scores(all.featureDrifts).age).toBeGreaterThan(0.5);
    expect(scores(all.featureDrifts).age).toBeLessThan(scores(deal.featureDrifts).age ?? 0);

    // All stages in one: the same numbers.
    await sidecar.clear();
    await sidecar.add('reference', 'one', [
      ...someRows(100, 1),
      ...someRows(100, 2, 30),
      ...someRows(50, 3, 30),
    ]);
    await sidecar.add('current', 'one', [...someRows(100, 1), ...someRows(100, 4)]);
    expect(contentOf(await sidecar.check('one'))).toEqual({ ...contentOf(all), stage: 'one' });
    expect(contentOf(await sidecar.check())).toEqual(contentOf(all));
  });

  test('does not depend on the number and order of requests that added the samples', async () => {
    const reference = someRows(400, 1);
    const current = someRows(300, 2, 10);
    await sidecar.add('reference', 'one', reference);
    await sidecar.add('current', 'one', current);
    const expected = await sidecar.check('one');
    for (let at = 0; at < 300; at += 50) {
      await sidecar.add('current', 'many', current.slice(at, at + 50));
      await sidecar.add('reference', 'many', reference.slice(at, at + 50));
      if (at === 100) await sidecar.check('many');
    }
    await sidecar.add('reference', 'many', reference.slice(300));
    const found = await sidecar.check('many');
    expect(scores(found.featureDrifts)).toEqual(
      Object.fromEntries(
        Object.entries(scores(expected.featureDrifts)).map(([name, score]) => [
          name,
          expect.closeTo(score, 12),
        ]),
      ),
    );
  });

  test('after growth of the reference recomputes its edges and the counts of the current set', async () => {
    const rows = (from: number, count: number): Row[] =>
      Array.from({ length: count }, (_, index) => ({ features: { x: from + index }, prediction: 0 }));
    await sidecar.add('reference', 'lead', rows(0, 100));
    await sidecar.add('current', 'lead', rows(0, 200));
    expect(scores((await sidecar.check()).featureDrifts).x).toBeGreaterThan(1);
    await sidecar.add('reference', 'lead', rows(100, 100));
    expect(scores((await sidecar.check()).featureDrifts).x).toBe(0);
    expect(scores((await sidecar.check('lead')).featureDrifts).x).toBe(0);
  });

  test('after a set was emptied ignores its former samples', async () => {
    await sidecar.add('reference', 'lead', someRows(100, 1));
    await sidecar.add('reference', 'deal', someRows(100, 2, 30));
    await sidecar.add('current', 'lead', someRows(100, 3));
    await sidecar.add('current', 'deal', someRows(100, 4));
    await sidecar.check();
    await sidecar.request('DELETE', '/samples?set=reference&stage=deal');
    await sidecar.request('DELETE', '/samples?set=current&stage=deal');
    await expect(sidecar.check('deal')).rejects.toThrow('No samples for stage `deal`.');
    expect((await sidecar.check()).featureDrifts).toEqual((await sidecar.check('lead')).featureDrifts);
    await sidecar.request('DELETE', '/samples?set=current');
    expect((await sidecar.check()).featureDrifts[0]).toMatchObject({ insufficientData: true });
  });
});
