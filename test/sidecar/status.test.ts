import { describe, expect, test } from 'vitest';
import type { Json } from '../support/app.ts';
import { type Report, someRows, startTestSidecar } from './support.ts';

interface Status extends Report {
  method: string;
  lastChecked: string;
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('the status', () => {
  test('with no samples at all is score 0, not drifted, no features', async () => {
    await using sidecar = await startTestSidecar();
    const { status, body } = await sidecar.request<Status>('GET', '/drift/status');
    expect(status).toBe(200);
    expect(body).toEqual({
      isDrifted: false,
      driftScore: 0,
      threshold: 0.2,
      method: 'psi',
      lastChecked: expect.stringMatching(ISO),
      stage: null,
      components: { features: null, prediction: null, outcome: null },
      componentDetails: { features: null, prediction: null, outcome: null },
      insufficientData: true,
      rows: { reference: 0, current: 0 },
      reference: 'fixed',
      featureDrifts: [],
    });
  });

  test('of an unchecked model is computed on request, and is not stored as a check', async () => {
    await using sidecar = await startTestSidecar();
    await sidecar.add('reference', 'lead', someRows(100, 1));
    await sidecar.add('current', 'lead', someRows(100, 2, 30));
    const { body } = await sidecar.request<Status>('GET', '/drift/status');
    expect(body.driftScore).toBeGreaterThan(0.2);
    expect((await sidecar.request<Json[]>('GET', '/drift/history')).body).toEqual([]);
    const { success, id: _id, checkedAt: _checkedAt, ...checked } = await sidecar.check();
    expect(success).toBe(true);
    expect(body).toMatchObject({ ...checked });
  });

  test('of a checked model is its latest overall check, whatever samples follow', async () => {
    await using sidecar = await startTestSidecar();
    await sidecar.add('reference', 'lead', someRows(100, 1));
    await sidecar.add('current', 'lead', someRows(100, 2, 30));
    const { success: _, id: _id, checkedAt, ...checked } = await sidecar.check();
    await sidecar.request('DELETE', '/samples?set=current');
    await sidecar.check('lead');
    const { body } = await sidecar.request<Status>('GET', '/drift/status');
    expect(body).toMatchObject(checked);
    expect(body.lastChecked).toBe(checkedAt);
  });

  test('uses the current threshold of the sidecar', async () => {
    await using first = await startTestSidecar({ threshold: 0.01 });
    await first.add('reference', 'lead', someRows(200, 1));
    await first.add('current', 'lead', someRows(200, 2, 6));
    const { driftScore, isDrifted, featureDrifts } = await first.check();
    expect(isDrifted).toBe(true);
    await first.stop();

    await using second = await startTestSidecar({ threshold: 1, mongodbUri: first.mongodbUri });
    const { body } = await second.request<Status>('GET', '/drift/status');
    expect(body).toMatchObject({ threshold: 1, isDrifted: false, driftScore });
    expect(body.featureDrifts.map(({ score }) => score)).toEqual(featureDrifts.map(({ score }) => score));
    expect((await second.request<{ isDrifted: boolean }[]>('GET', '/drift/history')).body[0]?.isDrifted).toBe(
      true,
    );
  });
});

describe('the history', () => {
  test('returns checks newest first, by stage and limit', async () => {
    await using sidecar = await startTestSidecar();
    await sidecar.add('reference', 'lead', someRows(100, 1));
    await sidecar.add('current', 'lead', someRows(100, 2, 30));
    await sidecar.add('current', 'deal', someRows(10, 3));
    const { id, driftScore, components, componentDetails, rows } = await sidecar.check();
    await sidecar.check('lead');
    await sidecar.check('deal');
    const list = async (query: string) =>
      (await sidecar.request<Json[]>('GET', `/drift/history${query}`)).body;
    const all = await list('');
    expect(all).toEqual([
      expect.objectContaining({
        stage: 'deal',
        driftScore: 0,
        isDrifted: false,
        insufficientData: true,
        components: { features: null, prediction: null, outcome: null },
        rows: { reference: 0, current: 10 },
      }),
      expect.objectContaining({ stage: 'lead', isDrifted: true, insufficientData: false }),
      {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        driftScore,
        isDrifted: true,
        method: 'psi',
        stage: null,
        checkedAt: expect.stringMatching(ISO),
        components,
        componentDetails,
        insufficientData: false,
        rows,
        reference: 'fixed',
      },
    ]);
    expect(all[2]).toMatchObject({ id });
    expect(rows).toEqual({ reference: 100, current: 110 });
    expect(await list('?limit=2')).toEqual(all.slice(0, 2));
    expect(await list('?stage=lead')).toEqual([all[1]]);
    expect(await list('?stage=lead&limit=200')).toEqual([all[1]]);
    expect(await list('?stage=&limit=&overall=&feature=')).toEqual(all);
    expect(await list('?overall=true')).toEqual([all[2]]);
    expect(await list('?overall=false')).toEqual(all);
    expect(await list('?stage=other')).toEqual([]);
  });

  test('returns 50 checks by default', async () => {
    await using sidecar = await startTestSidecar();
    for (let index = 0; index < 52; index += 1) await sidecar.check();
    expect((await sidecar.request<Json[]>('GET', '/drift/history')).body).toHaveLength(50);
    expect((await sidecar.request<Json[]>('GET', '/drift/history?limit=200')).body).toHaveLength(52);
  });
});
