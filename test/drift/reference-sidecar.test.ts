import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someRows, startTestSidecar, type TestSidecar } from '../sidecar/support.ts';
import { startApp, type TestApp } from '../support/app.ts';

/** The service and the real reference sidecar, through the service's public API. */
let sidecar: TestSidecar;
let app: TestApp;

beforeAll(async () => {
  sidecar = await startTestSidecar();
  app = await startApp({ ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: 'off' });
  for (const [stage, shift] of [
    ['lead', 0],
    ['trial', 30],
  ] as const) {
    await sidecar.add('reference', stage, someRows(200, 1));
    await sidecar.add('current', stage, someRows(200, 2, shift));
  }
});
afterAll(async () => {
  await app.stop();
  await sidecar.stop();
});

/** Every field of a feature, in GraphQL. */
const FEATURE = `feature score drifted insufficientData type weight threshold
  rows { reference current } missing { reference current } coverage { reference current }
  noise significant rowsNeeded jensenShannon noData newCategoryShare
  newCategories { count names } vanishedCategories { count names }`;
const DETAIL = '{ noise significant rowsNeeded noData coverage { reference current } }';
const COMPONENTS = `components { features prediction outcome }
  componentDetails { features ${DETAIL} prediction ${DETAIL} outcome ${DETAIL} }`;
/** Fields that a status and a check have in common. */
const CHECKED = `insufficientData rows { reference current } reference ${COMPONENTS}`;

interface Entry {
  stage: string | null;
  isDrifted: boolean;
  driftScore: number;
}

const trigger = (stage?: string) =>
  app.request('POST', '/api/drift.triggerCheck', { key: app.admin, ...(stage ? { body: { stage } } : {}) });

const history = async (query = '', of = app): Promise<Entry[]> => {
  const { status, body } = await of.request('GET', `/api/drift.getHistory${query}`, { key: of.admin });
  expect(status).toBe(200);
  return body as unknown as Entry[];
};

const statusNow = async (of = app) =>
  (await of.request('GET', '/api/drift.getStatus', { key: of.admin })).body;

describe('with the reference sidecar', () => {
  test('the status without samples is score 0, and the history is empty', async () => {
    await using cleanUp = new AsyncDisposableStack();
    const empty = cleanUp.use(await startTestSidecar());
    const fresh = await startApp({ ML_SIDECAR_URL: empty.url, DRIFT_CHECK_SCHEDULE: 'off' });
    cleanUp.defer(() => fresh.stop());
    expect(await statusNow(fresh)).toMatchObject({
      isDrifted: false,
      driftScore: 0,
      method: 'psi',
      featureDrifts: [],
    });
    expect(await history('', fresh)).toEqual([]);
  });

  test.each([0, 1e-12])('the threshold %d keeps status and history readable', async (threshold) => {
    await using cleanUp = new AsyncDisposableStack();
    const strict = cleanUp.use(await startTestSidecar({ threshold }));
    const other = await startApp({ ML_SIDECAR_URL: strict.url, DRIFT_CHECK_SCHEDULE: 'off' });
    cleanUp.defer(() => other.stop());
    await strict.add('reference', null, someRows(60, 1));
    await strict.add('current', null, someRows(20, 2));
    const { status } = await other.request('POST', '/api/drift.triggerCheck', { key: other.admin });
    expect(status).toBe(200);
    expect(await statusNow(other)).toMatchObject({ threshold, insufficientData: true });
    // As an earlier version stored it.
    const rowsNeeded = 'componentDetails.features.rowsNeeded';
    await strict.db.collection('checks').updateMany({}, { $set: { [rowsNeeded]: Number.POSITIVE_INFINITY } });
    expect(await history('', other)).toMatchObject([
      { componentDetails: { features: { rowsNeeded: 2 ** 31 - 1 } } },
    ]);
  });

  test('a check of drifted samples refreshes the status and the history', async () => {
    const { status, body } = await trigger();
    expect([status, body]).toMatchObject([
      200,
      { success: true, driftScore: expect.any(Number), isDrifted: expect.any(Boolean) },
    ]);
    const { driftScore, isDrifted } = body as unknown as Entry;
    expect(driftScore).toBeGreaterThan(0.1);
    const now = await statusNow();
    expect(now).toMatchObject({ driftScore, isDrifted, threshold: 0.2, method: 'psi' });
    expect(now.featureDrifts).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ feature: 'age', score: expect.any(Number), drifted: true }),
      ]),
    );
    expect(now.featureDrifts).toHaveLength(4);
    const [entry] = await history();
    expect(entry).toMatchObject({
      id: expect.any(String),
      driftScore,
      isDrifted,
      method: 'psi',
      stage: null,
      checkedAt: now.lastChecked,
    });
  });

  test('a check of a stage covers its samples alone, and leaves the status unchanged', async () => {
    await trigger();
    const before = await statusNow();
    const [lead, trial] = [await trigger('lead'), await trigger('trial')];
    expect([lead.body.isDrifted, trial.body.isDrifted]).toEqual([false, true]);
    expect(await statusNow()).toEqual(before);
  });

  test('the history is newest first, filtered by stage, and limited as requested', async () => {
    const earlier = await history('?limit=200');
    for (const stage of [undefined, 'lead', 'trial']) await trigger(stage);
    const all = await history('?limit=200');
    expect(all.slice(0, 3).map(({ stage }) => stage)).toEqual(['trial', 'lead', null]);
    expect(all.slice(3)).toEqual(earlier);
    expect(await history('?stage=trial&limit=200')).toEqual(all.filter(({ stage }) => stage === 'trial'));
    expect(await history('?stage=nowhere')).toEqual([]);
    expect(await history('?limit=2')).toEqual(all.slice(0, 2));
    await trigger('trial');
    expect((await history('?stage=trial&limit=2'))[1]).toEqual(all[0]);
  });

  test('GraphQL returns the same', async () => {
    for (const stage of [undefined, 'trial']) await trigger(stage);
    const { body } = await app.graphql(
      `{ driftStatus { stage isDrifted driftScore threshold method lastChecked ${CHECKED} featureDrifts { ${FEATURE} } }
         driftHistory(stage: "trial", limit: 1) {
           id driftScore isDrifted method stage checkedAt featureScore ${CHECKED}
         } }`,
      {},
      app.admin,
    );
    expect(body.data).toEqual({
      driftStatus: await statusNow(),
      driftHistory: await history('?stage=trial&limit=1'),
    });
    const { body: check } = await app.graphql(
      `mutation { triggerDriftCheck(stage: "lead") {
         success driftScore isDrifted threshold at ${CHECKED}
       } }`,
      {},
      app.admin,
    );
    expect(check.data?.triggerDriftCheck).toEqual((await trigger('lead')).body);
  });

  test('a check of a past day, and one against the weeks before, are requested by GraphQL and REST', async () => {
    await trigger();
    const before = [await statusNow(), await history()];
    const at = new Date(Date.now() - 40 * 86_400_000).toISOString();
    const past = { success: true, at, insufficientData: true, rows: { current: 0 }, reference: 'fixed' };
    const rest = await app.request('POST', '/api/drift.triggerCheck', { key: app.admin, body: { at } });
    expect(rest.body).toMatchObject(past);
    const { body } = await app.graphql(
      `mutation($at: DateTime) { triggerDriftCheck(at: $at) { success at insufficientData rows { current } reference } }`,
      { at },
      app.admin,
    );
    expect(body.data?.triggerDriftCheck).toEqual(past);
    expect([await statusNow(), await history()]).toEqual(before);

    const future = { at: new Date(Date.now() + 3_600_000).toISOString() };
    const refused = await app.request('POST', '/api/drift.triggerCheck', { key: app.admin, body: future });
    expect([refused.status, refused.body.error?.code]).toEqual([422, 'VALIDATION_FAILED']);
    const trailing = await app.request('POST', '/api/drift.triggerCheck', {
      key: app.admin,
      body: { stage: 'lead', reference: 'trailing' },
    });
    expect(trailing.body).toMatchObject({ reference: 'trailing', at: null, insufficientData: true });
    expect((await history('?stage=lead&limit=1'))[0]).toMatchObject({ reference: 'trailing' });
  });

  test('health is ok and names the model, and is degraded while the sidecar is stopped', async () => {
    expect((await app.request('GET', '/api/health')).body).toMatchObject({
      status: 'ok',
      sidecar: { status: 'up', modelVersion: 'reference-1' },
    });
    const before = await history('?limit=200');
    await sidecar.stop();
    for (const answer of [await trigger(), await trigger('lead')])
      expect([answer.status, answer.body.error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    app.clock.advance(1_000);
    const { status, body } = await app.request('GET', '/api/health');
    expect([status, body.status]).toEqual([200, 'degraded']);

    const { mongodbUri, url } = sidecar;
    sidecar = await startTestSidecar({ mongodbUri, port: Number(new URL(url).port) });
    expect((await trigger()).status).toBe(200);
    app.clock.advance(1_000);
    expect((await app.request('GET', '/api/health')).body.status).toBe('ok');
    expect((await history('?limit=200')).slice(1)).toEqual(before);
  });
});
