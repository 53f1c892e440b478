import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_MODELS } from '../../src/shared/drift-limits.ts';
import { type CheckAnswer, someRows, startTestSidecar, type TestSidecar } from './support.ts';

let sidecar: TestSidecar;
beforeAll(async () => {
  sidecar = await startTestSidecar({ modelThresholds: { churn: 0.9 } });
});
afterAll(() => sidecar.stop());

/** Calls a path for a model. */
const inModel = <T>(model: string, method: string, path: string, body?: unknown) =>
  sidecar.request<T>(method, `${path}${path.includes('?') ? '&' : '?'}model=${model}`, body);

async function fill(model: string, stage: string | null, shift: number): Promise<void> {
  for (const set of ['reference', 'current'] as const) {
    const rows = someRows(300, 1, set === 'current' ? shift : 0);
    expect((await inModel(model, 'POST', '/samples', { set, stage, rows })).status).toBe(200);
  }
}

test('samples, checks, thresholds, settings and history of models are separate', async () => {
  // A request without a model, and one that names the default model, mean the same.
  await sidecar.add('reference', 'trial', someRows(300, 1));
  await sidecar.add('current', 'trial', someRows(300, 1));
  await fill('churn', 'lead', 30);

  const ofDefault = await sidecar.check();
  expect(ofDefault).toMatchObject({ driftScore: 0, threshold: 0.2 });
  expect(ofDefault).not.toHaveProperty('model');
  expect((await inModel<CheckAnswer>('default', 'GET', '/drift/status')).body).toMatchObject({
    driftScore: 0,
  });

  const { body: check } = await inModel<CheckAnswer>('churn', 'POST', '/drift/check', {});
  expect(check).toMatchObject({ model: 'churn', threshold: 0.9, stage: null });
  expect(check.driftScore).toBeGreaterThan(0.5);
  const features = [{ feature: 'age', weight: 0, threshold: null }];
  expect((await inModel('churn', 'PUT', '/drift/features', { features })).body).toEqual({
    model: 'churn',
    features,
  });
  expect((await sidecar.request('GET', '/drift/features')).body).toEqual({ features: [] });

  expect((await sidecar.request('GET', '/drift/stages')).body).toMatchObject([{ stage: 'trial' }]);
  expect((await inModel('churn', 'GET', '/drift/stages')).body).toEqual([
    { model: 'churn', stage: 'lead', rows: { reference: 300, current: 300 } },
  ]);
  expect((await inModel('churn', 'GET', '/drift/history')).body).toMatchObject([
    { model: 'churn', id: check.id },
  ]);
  expect((await sidecar.request('GET', '/drift/history')).body).toMatchObject([{ id: ofDefault.id }]);
  expect((await inModel('churn', 'GET', '/drift/feature?feature=age')).body).toMatchObject({
    model: 'churn',
    feature: 'age',
  });
  expect((await sidecar.request('GET', '/drift/models')).body).toEqual([
    { model: 'default' },
    { model: 'churn' },
  ]);

  await sidecar.request('DELETE', '/samples?set=current');
  expect((await inModel('churn', 'GET', '/drift/stages')).body).toMatchObject([
    { rows: { reference: 300, current: 300 } },
  ]);
});

test.each([
  ['GET', '/drift/status'],
  ['GET', '/drift/history'],
  ['GET', '/drift/feature?feature=age'],
  ['GET', '/drift/stages'],
  ['GET', '/drift/features'],
  ['POST', '/drift/check'],
  ['DELETE', '/samples?set=current'],
])('%s %s of a model that never had samples is NOT_FOUND', async (method, path) => {
  const { status, body } = await inModel('nope', method, path, method === 'POST' ? {} : undefined);
  expect([status, body]).toMatchObject([
    404,
    { error: { code: 'NOT_FOUND', message: 'No samples for model `nope`.' } },
  ]);
});

test('a model survives a restart, and the number of models is limited', async () => {
  const other = await startTestSidecar({ mongodbUri: sidecar.mongodbUri });
  expect((await other.request('GET', '/drift/stages?model=churn')).body).toMatchObject([{ stage: 'lead' }]);
  await other.stop();
  const rows = someRows(1, 1);
  const add = (model: string) => inModel(model, 'POST', '/samples', { set: 'current', rows });
  for (let count = 2; count < MAX_MODELS; count += 1) expect((await add(`m${count}`)).status).toBe(200);
  const { status, body } = await add('one-more');
  expect([status, body]).toMatchObject([422, { error: { details: [{ path: 'model' }] } }]);
  expect((await add('churn')).status).toBe(200);
});

test('samples of a model whose name hides characters are refused, and stored ones can be read and removed', async () => {
  const rows = someRows(1, 1);
  const hidden = encodeURIComponent('a\u202eb');
  const { status, body } = await inModel(hidden, 'POST', '/samples', { set: 'current', rows });
  expect([status, body]).toMatchObject([422, { error: { details: [{ path: 'model' }] } }]);
  // As an earlier version stored it.
  await sidecar.db.collection<{ _id: string }>('models').insertOne({ _id: 'a\u202eb' });
  expect((await inModel(hidden, 'GET', '/drift/stages')).status).toBe(200);
  expect((await inModel(hidden, 'DELETE', '/samples?set=current&stage=a%0Ab')).status).toBe(200);
});

test.each(['model=a&model=b', `model=${'x'.repeat(501)}`, 'model=%ED%A0%80x'])(
  '%s is refused',
  async (query) => {
    const { status } = await sidecar.request('GET', `/drift/status?${query}`);
    expect([404, 422]).toContain(status);
  },
);
