import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../support/app.ts';
import {
  type Feature,
  type FeatureBins,
  type Report,
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
beforeEach(async () => {
  await sidecar.clear();
  await sidecar.db.collection('checks').deleteMany({});
});

const get = async <T = Json>(path: string) => sidecar.request<T>('GET', path);
const history = async (query: string) =>
  (await get<{ stage: string | null; featureScore?: number | null }[]>(`/drift/history${query}`)).body;

describe('a stage', () => {
  test('without samples is NOT_FOUND in status, feature and check, and leaves no history', async () => {
    await sidecar.add('reference', 'lead', someRows(50, 1));
    const error = { code: 'NOT_FOUND', message: 'No samples for stage `nope`.' };
    for (const [method, path, body] of [
      ['GET', '/drift/status?stage=nope', undefined],
      ['GET', '/drift/feature?feature=age&stage=nope', undefined],
      ['POST', '/drift/check', { stage: 'nope' }],
    ] as const) {
      const answer = await sidecar.request(method, path, body);
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 404, body: { error } });
    }
    expect(await history('')).toEqual([]);
  });

  test('that was emptied after a check has no status, and its history stays', async () => {
    await sidecar.add('reference', 'lead', someRows(50, 1));
    await sidecar.check('lead');
    await sidecar.request('DELETE', '/samples?set=reference&stage=lead');
    expect((await get('/drift/status?stage=lead')).status).toBe(404);
    expect(await history('?stage=lead')).toHaveLength(1);
  });

  test('is listed with its rows by name; rows without a stage are not', async () => {
    await sidecar.add('reference', 'lead', someRows(40, 1));
    await sidecar.add('current', 'lead', someRows(30, 2));
    await sidecar.add('current', 'deal', someRows(3, 3));
    await sidecar.add('current', null, someRows(5, 4));
    expect((await get('/drift/stages')).body).toEqual([
      { stage: 'deal', rows: { reference: 0, current: 3 } },
      { stage: 'lead', rows: { reference: 40, current: 30 } },
    ]);
  });

  test('has the status of its own latest check, or one computed on request', async () => {
    await sidecar.add('reference', 'lead', someRows(100, 1));
    await sidecar.add('current', 'lead', someRows(100, 2, 30));
    await sidecar.add('current', 'deal', someRows(10, 3));
    await sidecar.check();
    const computed = (await get<Report>('/drift/status?stage=lead')).body;
    expect(computed).toMatchObject({
      stage: 'lead',
      isDrifted: true,
      rows: { reference: 100, current: 100 },
    });
    expect(await history('?stage=lead')).toEqual([]);
    const { driftScore, checkedAt } = await sidecar.check('lead');
    expect(driftScore).toBe(computed.driftScore);
    await sidecar.request('DELETE', '/samples?set=current&stage=lead');
    expect((await get('/drift/status?stage=lead')).body).toMatchObject({
      driftScore,
      lastChecked: checkedAt,
    });
    expect((await get('/drift/status?stage=deal')).body).toMatchObject({
      stage: 'deal',
      driftScore: 0,
      isDrifted: false,
      insufficientData: true,
      rows: { reference: 0, current: 10 },
    });
  });
});

describe('the details of a feature', () => {
  const words = (list: readonly (string | null)[]): Row[] =>
    list.map((word) => ({ features: { word }, prediction: 0 }));
  const repeat = (word: string | null, count: number) => Array.from({ length: count }, () => word);

  test('name its new and vanished categories, most frequent first, at most ten of 100 characters', async () => {
    const long = '🙂'.repeat(150);
    const before = [...repeat('stays', 50), ...repeat('gone', 5), ...repeat('left', 9), ...repeat(null, 36)];
    const now = [...repeat('stays', 100), ...repeat(long, 12)];
    for (let index = 0; index < 30; index += 1)
      now.push(...repeat(`new${String(index).padStart(2, '0')}`, 3));
    await sidecar.add('reference', 'lead', words(before));
    await sidecar.add('current', 'lead', words(now));
    const [word] = (await sidecar.check('lead')).featureDrifts;
    expect(word).toMatchObject({
      type: 'categorical',
      rows: { reference: 100, current: 202 },
      missing: { reference: 0.36, current: 0 },
      vanishedCategories: { count: 2, names: ['left', 'gone'] },
      newCategories: {
        count: 31,
        names: ['🙂'.repeat(100), ...Array.from({ length: 9 }, (_, index) => `new0${index}`)],
      },
    });
    expect((await get<Report>('/drift/status?stage=lead')).body.featureDrifts[0]).toEqual(word);
  });

  test('have at most 100 bins, and merge the other categories', async () => {
    const many = Array.from({ length: 150 }, (_, index) => repeat(`c${index}`, 1 + (index % 9))).flat();
    await sidecar.add('reference', 'lead', words([...repeat('a', 60), null]));
    await sidecar.add('current', 'lead', words([...many, null]));
    const { body } = await get<Feature & FeatureBins>('/drift/feature?feature=word');
    expect(body.bins).toHaveLength(100);
    expect(body.bins[0]).toMatchObject({ category: 'a', lower: null, upper: null, missing: false });
    expect(body.bins.filter(({ missing }) => missing)).toHaveLength(1);
    expect(body.otherCategories?.count).toBe(52);
    const sum = body.bins.reduce((all, { contribution }) => all + contribution, 0);
    expect(sum + (body.otherCategories?.contribution ?? 0)).toBeCloseTo(body.score, 9);
    const kept = body.bins.filter(({ missing }) => !missing).map(({ contribution }) => contribution);
    expect((body.otherCategories?.contribution ?? 0) / 52).toBeLessThanOrEqual(Math.min(...kept));
  });

  test('are available for the prediction and the residual, of a stage or of all samples', async () => {
    await sidecar.add('reference', 'lead', someRows(100, 1));
    await sidecar.add('current', 'deal', someRows(80, 2));
    for (const feature of ['prediction', 'residual']) {
      const { body } = await get<Feature & FeatureBins>(`/drift/feature?feature=${feature}`);
      expect(body).toMatchObject({ feature, type: 'numeric', rows: { reference: 100, current: 80 } });
      expect(body).not.toHaveProperty('weight');
      expect(body.bins.reduce((all, { current }) => all + current.count, 0)).toBe(80);
    }
    const { body } = await get('/drift/feature?feature=prediction&stage=lead');
    expect(body).toMatchObject({ rows: { reference: 100, current: 0 }, insufficientData: true });
    const unknown = await get('/drift/feature?feature=nope');
    expect(unknown.body).toEqual({
      error: { code: 'NOT_FOUND', message: 'No samples with feature `nope`.' },
    });
  });
});

describe('the history of a feature', () => {
  test('is its score in each check, null where it was not part', async () => {
    await sidecar.add('reference', 'lead', someRows(50, 1));
    const first = await sidecar.check();
    await sidecar.add('current', 'lead', [
      ...someRows(50, 2, 20),
      { features: { extra: 1 }, prediction: 0.5 },
    ]);
    const second = await sidecar.check();
    await sidecar.check('lead');
    const scoreOf = ({ featureDrifts }: Report, name: string) =>
      featureDrifts.find(({ feature }) => feature === name)?.score ?? null;
    for (const name of ['age', 'extra', 'residual']) {
      const listed = await history(`?overall=true&feature=${name}`);
      expect(listed.map(({ featureScore }) => featureScore)).toEqual([
        scoreOf(second, name),
        scoreOf(first, name),
      ]);
      expect(listed.map(({ stage }) => stage)).toEqual([null, null]);
    }
    expect(scoreOf(first, 'extra')).toBeNull();
    expect((await history('?stage=lead&feature=never'))[0]?.featureScore).toBeNull();
    expect((await history(''))[0]).not.toHaveProperty('featureScore');
  });
});

describe('a check that an earlier version stored', () => {
  test('is served in status and history', async () => {
    const checkedAt = new Date('2026-01-02T03:04:05.678Z');
    await sidecar.db.collection('checks').insertOne({
      _id: new mongoose.Types.ObjectId(),
      driftScore: 0.35,
      isDrifted: true,
      featureDrifts: [
        { feature: 'age', score: 0.3, drifted: true },
        { feature: 'source', score: 0.1, drifted: false },
        { feature: 'prediction', score: 0, drifted: false },
        { feature: 'residual', score: 7, drifted: true },
      ],
      method: 'psi',
      stage: null,
      checkedAt,
    });
    const { status, body } = await get<Report>('/drift/status');
    expect(status).toBe(200);
    expect(body).toEqual({
      isDrifted: true,
      driftScore: 1,
      threshold: 0.2,
      method: 'psi',
      reference: 'fixed',
      lastChecked: checkedAt.toISOString(),
      stage: null,
      components: { features: expect.closeTo(0.2, 12), prediction: 0, outcome: 1 },
      insufficientData: false,
      featureDrifts: [
        { feature: 'age', score: 0.3, drifted: true, weight: 1, threshold: 0.2 },
        { feature: 'source', score: 0.1, drifted: false, weight: 1, threshold: 0.2 },
        { feature: 'prediction', score: 0, drifted: false, threshold: 0.2 },
        { feature: 'residual', score: 7, drifted: true, threshold: 0.2 },
      ],
    });
    expect(await history('?feature=age')).toEqual([
      {
        id: expect.any(String),
        driftScore: 0.35,
        isDrifted: true,
        method: 'psi',
        stage: null,
        checkedAt: checkedAt.toISOString(),
        featureScore: 0.3,
      },
    ]);
  });
});
