import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import {
  CHECK,
  type FakeSidecar,
  FEATURE,
  HISTORY,
  NOT_FOUND,
  PERFORMANCE,
  SETTINGS,
  type SidecarAnswers,
  type SidecarRequest,
  STAGES,
  STATUS,
  startFakeSidecar,
  WELL,
} from '../support/sidecar.ts';

let app: TestApp;
let sidecar: FakeSidecar;
let tenant: TestTenant;

beforeAll(async () => {
  sidecar = await startFakeSidecar();
  app = await startApp({
    ML_SIDECAR_URL: sidecar.url,
    ML_SIDECAR_TIMEOUT: '10s',
    DRIFT_CHECK_SCHEDULE: 'off',
  });
  tenant = await app.newTenant();
});
afterAll(async () => {
  await app.stop();
  await sidecar.stop();
});
afterEach(() => {
  sidecar.behave('well');
  sidecar.requests.length = 0;
});

/** Responses of a sidecar whose only other model is `churn`. */
const WITH_MODELS: SidecarAnswers = {
  ...Object.fromEntries(
    Object.entries(WELL).map(([path, answer]) => [
      path,
      (request: SidecarRequest) => {
        const content = typeof answer === 'function' ? answer(request) : answer;
        const named = (part: object) => ({ ...part, model: request.query.model });
        return Array.isArray(content) ? content.map(named) : named(content as object);
      },
    ]),
  ),
  '/drift/models': [{ model: 'default' }, { model: 'churn' }],
};

/** The procedures, as REST. */
const PROCEDURES = [
  ['GET', '/api/drift.getStatus'],
  ['GET', '/api/drift.getHistory'],
  ['GET', '/api/drift.getFeature?feature=visits'],
  ['GET', '/api/drift.getStages'],
  ['GET', '/api/drift.getPerformance'],
  ['GET', '/api/drift.getModels'],
  ['GET', '/api/drift.getFeatureSettings'],
  ['POST', '/api/drift.triggerCheck'],
  ['POST', '/api/drift.setFeatureSettings'],
] as const;

const call = (method: string, path: string, key: string | null) => app.request(method, path, { key });

describe('the procedures', () => {
  test.each(PROCEDURES)('%s %s requires a key', async (method, path) => {
    expect((await call(method, path, null)).status).toBe(401);
  });

  test('require an admin key for history, checks and settings, and any key for the others', async () => {
    for (const [method, path] of PROCEDURES) {
      const { status } = await call(method, path, method === 'POST' ? tenant.write : tenant.read);
      const isOpen = /getStatus|getFeature\?|getStages|getModels|getPerformance/.test(path);
      expect([path, status]).toEqual([path, isOpen ? 200 : 403]);
    }
    expect(sidecar.requests).toEqual([
      'GET /drift/status',
      'GET /drift/feature?feature=visits',
      'GET /drift/stages',
      'GET /drift/performance',
      'GET /drift/models',
    ]);
  });

  test('return the response of the sidecar over REST', async () => {
    const features = [{ feature: 'age', weight: 0, threshold: null }];
    const calls: [method: string, path: string, body: unknown, expected: unknown][] = [
      ['GET', 'getStatus', undefined, STATUS],
      ['GET', 'getStatus?stage=trial', undefined, { ...STATUS, stage: 'trial' }],
      ['GET', 'getHistory?stage=trial&limit=7', undefined, [HISTORY[1]]],
      ['GET', 'getHistory?overall=true&feature=visits', undefined, [HISTORY[0]]],
      ['GET', 'getFeature?feature=visits&stage=trial', undefined, FEATURE],
      ['GET', 'getStages', undefined, STAGES],
      ['GET', 'getPerformance?stage=trial', undefined, PERFORMANCE],
      ['GET', 'getFeatureSettings', undefined, SETTINGS],
      ['POST', 'triggerCheck', { stage: 'trial' }, CHECK],
      ['POST', 'setFeatureSettings', { features }, features],
    ];
    for (const [method, procedure, body, expected] of calls) {
      const answer = await app.request(method, `/api/drift.${procedure}`, { key: app.admin, body });
      expect([answer.status, answer.body]).toEqual([200, expected]);
    }
    expect(sidecar.requests).toEqual([
      'GET /drift/status',
      'GET /drift/status?stage=trial',
      'GET /drift/history?stage=trial&limit=7',
      'GET /drift/history?overall=true&limit=50&feature=visits',
      'GET /drift/feature?feature=visits&stage=trial',
      'GET /drift/stages',
      'GET /drift/performance?stage=trial',
      'GET /drift/features',
      'POST /drift/check',
      'PUT /drift/features',
    ]);
  });

  test('take the points of a large read for each performance', async () => {
    const limited = await startApp({ ML_SIDECAR_URL: sidecar.url, RATE_LIMIT: '100/min' });
    onTestFinished(() => limited.stop());
    const { read } = await limited.newTenant();
    const remaining = async (query: string) =>
      Number((await limited.graphql(query, {}, read)).headers.get('ratelimit-remaining'));
    const before = await remaining('{ driftModels }');
    const five = ['a', 'b', 'c', 'd', 'e'].map((alias) => `${alias}: driftPerformance { isProbabilistic }`);
    expect(before - (await remaining(`{ ${five.join(' ')} }`))).toBeGreaterThanOrEqual(12);
  });

  test('return the response of the sidecar over GraphQL', async () => {
    const { body } = await app.graphql(
      `{ driftStatus(stage: "trial") {
           stage driftScore insufficientData
           components { features prediction outcome } rows { reference current }
           featureDrifts {
             feature score drifted insufficientData type weight threshold
             rows { reference current } missing { reference current }
             noise significant rowsNeeded coverage { reference current }
             jensenShannon noData newCategoryShare
             newCategories { count names } vanishedCategories { count names }
           }
         }
         driftStages { stage rows { reference current } }
         driftFeature(feature: "visits") {
           feature
           bins {
             lower upper category missing
             reference { count share } current { count share } contribution
           }
           otherCategories { count contribution }
         }
         driftHistory(feature: "visits") { id stage featureScore }
         driftFeatureSettings { feature weight threshold } }`,
      {},
      app.admin,
    );
    expect(body.errors).toBeUndefined();
    const { stage, driftScore, insufficientData, components, rows, featureDrifts } = STATUS;
    expect(body.data).toEqual({
      driftStatus: { stage: stage ?? 'trial', driftScore, insufficientData, components, rows, featureDrifts },
      driftStages: STAGES,
      driftFeature: { feature: 'visits', bins: FEATURE.bins, otherCategories: FEATURE.otherCategories },
      driftHistory: HISTORY.map(({ id, stage, featureScore }) => ({ id, stage, featureScore })),
      driftFeatureSettings: SETTINGS,
    });
    const settings = await app.graphql(
      `mutation { setDriftFeatureSettings(features: [{ feature: "age" }, { feature: "residual", threshold: 0.5 }]) {
         feature weight threshold
       } }`,
      {},
      app.admin,
    );
    expect(settings.body.data?.setDriftFeatureSettings).toEqual([
      { feature: 'age', weight: 1, threshold: null },
      { feature: 'residual', weight: 1, threshold: 0.5 },
    ]);
  });

  test.each([
    ['GET', '/api/drift.getStatus?stage=nope', undefined],
    ['GET', '/api/drift.getPerformance?stage=nope', undefined],
    ['GET', '/api/drift.getFeature?feature=visits&stage=nope', undefined],
    ['GET', '/api/drift.getFeature?feature=nope', undefined],
    ['POST', '/api/drift.triggerCheck', { stage: 'nope' }],
  ])('%s %s of something without samples is NOT_FOUND', async (method, path, body) => {
    for (let i = 0; i < 6; i += 1) {
      const answer = await app.request(method, path, { key: app.admin, body });
      expect([answer.status, answer.body.error]).toMatchObject([404, NOT_FOUND.error]);
    }
    // It is no failure of the sidecar: each is one request, and the circuit stays closed.
    expect(sidecar.requests).toHaveLength(6);
    expect((await call('GET', '/api/drift.getStatus', tenant.read)).status).toBe(200);
  });

  test.each(['(none)', '*', ' trial', 'O\u2019Neil & "A" – 1 €'])(
    'pass the stage %j to the sidecar, which may have it',
    async (stage) => {
      const getStatus = () =>
        call('GET', `/api/drift.getStatus?stage=${encodeURIComponent(stage)}`, tenant.read);
      expect((await getStatus()).status).toBe(404);
      sidecar.behave({ answers: { '/drift/status': { ...STATUS, stage } } });
      expect((await getStatus()).body.stage).toBe(stage);
    },
  );

  test('reject a stage with a line break, or of more than 500 characters', async () => {
    for (const stage of ['a%0Ab', 'x'.repeat(501)])
      expect((await call('GET', `/api/drift.getStatus?stage=${stage}`, tenant.read)).status).toBe(422);
    expect(sidecar.requests).toEqual([]);
  });

  test('reject `overall` together with a stage', async () => {
    const { status, body } = await call('GET', '/api/drift.getHistory?overall=true&stage=trial', app.admin);
    expect([status, body.error?.details]).toMatchObject([422, [{ path: 'overall' }]]);
    expect(sidecar.requests).toEqual([]);
  });

  test.each([
    [{ feature: 'a', weight: 1_000.5 }, 'features.1.weight'],
    [{ feature: 'a', weight: -0.1 }, 'features.1.weight'],
    [{ feature: 'a', threshold: 0 }, 'features.1.threshold'],
    [{ feature: '' }, 'features.1.feature'],
    [{ feature: 'first' }, 'features.1.feature'],
    [{ feature: 'prediction', weight: 0 }, 'features.1.weight'],
    [{ feature: 'residual', weight: 2 }, 'features.1.weight'],
  ])('reject the setting %j at its path', async (setting, path) => {
    const features = [{ feature: 'first' }, setting];
    const rest = await app.request('POST', '/api/drift.setFeatureSettings', {
      key: app.admin,
      body: { features },
    });
    expect([rest.status, rest.body.error?.details]).toEqual([422, [{ path, message: expect.any(String) }]]);
    const { body } = await app.graphql(
      'mutation ($features: [DriftFeatureSettingInput!]!) { setDriftFeatureSettings(features: $features) { feature } }',
      { features },
      app.admin,
    );
    expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', details: [{ path }] } }]);
    expect(sidecar.requests).toEqual([]);
  });

  test('accept 400 settings at most', async () => {
    const settings = (count: number) => ({
      key: app.admin,
      body: { features: Array.from({ length: count }, (_, index) => ({ feature: `f${index}` })) },
    });
    expect((await app.request('POST', '/api/drift.setFeatureSettings', settings(400))).status).toBe(200);
    expect((await app.request('POST', '/api/drift.setFeatureSettings', settings(401))).status).toBe(422);
  });

  test.each(['0', '201', '-1', '1.5', 'many'])(
    'reject a limit of %s without a request to the sidecar',
    async (limit) => {
      const { status, body } = await call('GET', `/api/drift.getHistory?limit=${limit}`, app.admin);
      expect([status, body.error?.code]).toEqual([422, 'VALIDATION_FAILED']);
      expect(sidecar.requests).toEqual([]);
    },
  );
});

describe('a sidecar with the fields of contract 9 only', () => {
  const featureDrift = { feature: 'age', score: 0.4, drifted: true };
  const status = {
    isDrifted: true,
    driftScore: 0.4,
    threshold: 0.2,
    method: 'psi',
    lastChecked: STATUS.lastChecked,
  };
  const check = { id: 'c1', driftScore: 0.4, isDrifted: true, method: 'psi', stage: null };
  beforeEach(() =>
    sidecar.behave({
      answers: {
        '/drift/status': { ...status, featureDrifts: [featureDrift] },
        '/drift/history': [
          { ...check, checkedAt: STATUS.lastChecked },
          { ...check, stage: 'trial', checkedAt: STATUS.lastChecked },
        ],
        '/drift/check': { success: true, driftScore: 0.4, isDrifted: true, featureDrifts: [featureDrift] },
      },
    }),
  );

  test('is accepted, with null for what it does not report', async () => {
    const unknown = {
      insufficientData: false,
      components: null,
      componentDetails: null,
      rows: null,
      reference: null,
    };
    expect((await call('GET', '/api/drift.getStatus', tenant.read)).body).toEqual({
      ...status,
      ...unknown,
      stage: null,
      featureDrifts: [
        {
          ...featureDrift,
          insufficientData: false,
          type: null,
          weight: null,
          threshold: null,
          rows: null,
          missing: null,
          noise: null,
          significant: null,
          rowsNeeded: null,
          coverage: null,
          jensenShannon: null,
          noData: null,
          newCategoryShare: null,
          newCategories: null,
          vanishedCategories: null,
        },
      ],
    });
    const history = await call('GET', '/api/drift.getHistory?overall=true', app.admin);
    expect(history.body).toEqual([
      { ...check, ...unknown, checkedAt: STATUS.lastChecked, featureScore: null },
    ]);
    expect((await call('POST', '/api/drift.triggerCheck', app.admin)).body).toEqual({
      success: true,
      driftScore: 0.4,
      isDrifted: true,
      ...unknown,
      threshold: null,
      at: null,
    });
    expect((await call('GET', '/api/drift.getStages', tenant.read)).body).toEqual([]);
    expect((await call('GET', '/api/drift.getPerformance', tenant.read)).body).toEqual({
      isProbabilistic: null,
      weeks: [],
    });
  });

  test('that ignores `overall` has the latest checks of all samples up to the limit', async () => {
    const checks = Array.from({ length: 20 }, (_, index) => ({
      ...{ ...check, id: `c${index}`, checkedAt: STATUS.lastChecked },
      stage: index % 4 === 3 ? null : 'trial',
    }));
    sidecar.behave({
      answers: { '/drift/history': ({ query }: SidecarRequest) => checks.slice(0, Number(query.limit)) },
    });
    const { body } = await call('GET', '/api/drift.getHistory?overall=true&limit=3', app.admin);
    expect((body as unknown as { id: string }[]).map(({ id }) => id)).toEqual(['c3', 'c7', 'c11']);
  });

  test('that ignores the parameters has the latest checks of a stage, newest first, up to the limit', async () => {
    const checks = ['2026-11-18', '2026-11-20', '2026-11-19', '2026-11-21'].map((checkedAt, index) => ({
      ...{ ...check, id: `c${index}`, checkedAt },
      stage: index === 3 ? null : 'trial',
    }));
    sidecar.behave({ answers: { '/drift/history': checks } });
    const idsOf = async (query: string) => {
      const { body } = await call('GET', `/api/drift.getHistory?${query}`, app.admin);
      return (body as unknown as { id: string }[]).map(({ id }) => id);
    };
    expect(await idsOf('stage=trial&limit=2')).toEqual(['c1', 'c2']);
    expect(await idsOf('limit=1')).toEqual(['c3']);
    expect(await idsOf('')).toEqual(['c3', 'c1', 'c2', 'c0']);
  });

  test('may answer with any 2xx, a numeric model version, and times without an offset or seconds', async () => {
    sidecar.behave({
      successStatus: 201,
      answers: {
        '/health': { modelVersion: 7.5 },
        '/drift/status': { ...status, lastChecked: '2026-11-20T12:00:00', featureDrifts: [] },
        '/drift/history': [
          { ...check, checkedAt: '2026-11-20T14:00+0200' },
          { ...check, checkedAt: '2026-11-20' },
        ],
        '/drift/check': { success: true, driftScore: 0.1, isDrifted: false },
      },
    });
    const { body } = await call('GET', '/api/drift.getStatus', tenant.read);
    expect(body.lastChecked).toBe('2026-11-20T12:00:00.000Z');
    expect((await call('GET', '/api/drift.getHistory', app.admin)).body).toMatchObject([
      { checkedAt: '2026-11-20T12:00:00.000Z' },
      { checkedAt: '2026-11-20T00:00:00.000Z' },
    ]);
    expect((await call('POST', '/api/drift.triggerCheck', app.admin)).status).toBe(200);
    app.clock.advance(1_000);
    expect((await app.request('GET', '/api/health')).body.sidecar).toMatchObject({ modelVersion: '7.5' });
  });

  test('does not pass off the status of all samples as the status of a stage', async () => {
    expect((await call('GET', '/api/drift.getStatus?stage=trial', tenant.read)).status).toBe(503);
  });

  test('keeps its circuit closed after repeated requests for the status of a stage', async () => {
    for (let i = 0; i < 6; i += 1)
      expect((await call('GET', '/api/drift.getStatus?stage=trial', tenant.read)).status).toBe(503);
    expect((await call('GET', '/api/drift.getStatus', tenant.read)).status).toBe(200);
  });
});

describe.each([400, 404, 405, 422])('a sidecar that refuses a request with %i', (code) => {
  test.each([
    ['GET', 'getFeature?feature=visits', undefined],
    ['GET', 'getFeatureSettings', undefined],
    ['POST', 'setFeatureSettings', { features: [] }],
  ])('keeps its circuit closed after repeated requests: %s %s', async (method, procedure, body) => {
    sidecar.behave({ status: code });
    for (let i = 0; i < 6; i += 1) {
      const answer = await app.request(method, `/api/drift.${procedure}`, { key: app.admin, body });
      expect([answer.status, answer.body.error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    }
    expect(sidecar.requests).toHaveLength(6);
    sidecar.behave('well');
    expect((await call('GET', '/api/drift.getStatus', tenant.read)).status).toBe(200);
  });
});

describe('a model', () => {
  test('is passed to the sidecar by every procedure, unless it is the default one', async () => {
    const asked: [method: string, path: string, body?: object][] = [
      ['GET', 'getStatus?model=churn'],
      ['GET', 'getStages?model=churn'],
      ['GET', 'getHistory?model=churn'],
      ['GET', 'getFeature?feature=visits&model=churn'],
      ['GET', 'getFeatureSettings?model=churn'],
      ['POST', 'triggerCheck', { model: 'churn' }],
      ['POST', 'setFeatureSettings', { model: 'churn', features: [] }],
      ['GET', 'getStatus?model=default'],
    ];
    sidecar.behave({ answers: WITH_MODELS });
    for (const [method, procedure, body] of asked)
      expect((await app.request(method, `/api/drift.${procedure}`, { key: app.admin, body })).status).toBe(
        200,
      );
    expect(sidecar.requests).toEqual([
      'GET /drift/status?model=churn',
      'GET /drift/stages?model=churn',
      'GET /drift/history?limit=50&model=churn',
      'GET /drift/feature?feature=visits&model=churn',
      'GET /drift/features?model=churn',
      'POST /drift/check?model=churn',
      'PUT /drift/features?model=churn',
      'GET /drift/status',
    ]);
    expect((await call('GET', '/api/drift.getModels', tenant.read)).body).toEqual(['default', 'churn']);
  });

  test('without samples in the sidecar is NOT_FOUND', async () => {
    sidecar.behave({ answers: {} });
    const { status, body } = await call('GET', '/api/drift.getHistory?model=nope', app.admin);
    expect([status, body.error?.code]).toEqual([404, 'NOT_FOUND']);
  });

  test('of a sidecar that knows no models is not the default one, and keeps the circuit closed', async () => {
    for (let i = 0; i < 6; i += 1)
      expect((await call('GET', '/api/drift.getStatus?model=churn', tenant.read)).status).toBe(503);
    expect((await call('GET', '/api/drift.getStatus', tenant.read)).status).toBe(200);
    expect((await call('GET', '/api/drift.getModels', tenant.read)).body).toEqual(['default']);
  });

  test('has alerts of its own', async () => {
    sidecar.behave({ answers: WITH_MODELS });
    for (let i = 0; i < 2; i += 1)
      await app.request('POST', '/api/drift.triggerCheck', { key: app.admin, body: { model: 'churn' } });
    const alerts = async (query: string) =>
      (await call('GET', `/api/drift.getAlerts${query}`, app.admin)).body as unknown as object[];
    expect(await alerts('?model=churn')).toMatchObject([{ model: 'churn', scope: 'overall', score: 0.31 }]);
    expect(await alerts('')).toEqual([]);
  });
});

describe('a reference or a past time', () => {
  const AT_PAST = '2026-10-01T00:00:00.000Z';
  const trigger = (body: object) => app.request('POST', '/api/drift.triggerCheck', { key: app.admin, body });

  test('that the sidecar does not repeat is refused, and keeps the circuit closed', async () => {
    for (const body of [{ reference: 'trailing' }, { at: AT_PAST }, { at: AT_PAST, reference: 'seasonal' }])
      for (let i = 0; i < 3; i += 1) expect((await trigger(body)).status).toBe(503);
    expect((await trigger({})).status).toBe(200);
  });

  test('is passed on, and a check of a past time raises no alert', async () => {
    const sent: object[] = [];
    sidecar.behave({
      answers: {
        ...WELL,
        '/drift/check': ({ body }: SidecarRequest) => {
          sent.push(body);
          return { ...CHECK, driftScore: 0.9, stage: body.stage ?? null, ...body, featureDrifts: [] };
        },
      },
    });
    const body = { stage: 'past', reference: 'seasonal', at: AT_PAST };
    for (let i = 0; i < 3; i += 1)
      expect((await trigger(body)).body).toMatchObject({ reference: 'seasonal', at: AT_PAST });
    expect(sent[0]).toEqual(body);
    const alerts = () => call('GET', '/api/drift.getAlerts?stage=past', app.admin);
    expect((await alerts()).body).toEqual([]);
    for (let i = 0; i < 2; i += 1) await trigger({ stage: 'past', reference: 'seasonal' });
    expect((await alerts()).body).toMatchObject([{ stage: 'past', score: 0.9 }]);
  });
});

test('a stage without samples has no metrics any more', async () => {
  const stageSeries = async () =>
    (await (await fetch(`${app.url}/metrics`)).text()).includes(
      'engagement_drift_stage_score{stage="trial"}',
    );
  await call('GET', '/api/drift.getStatus?stage=trial', tenant.read);
  expect(await stageSeries()).toBe(true);
  sidecar.behave({ answers: {} });
  expect((await call('GET', '/api/drift.getStatus?stage=trial', tenant.read)).status).toBe(404);
  expect(await stageSeries()).toBe(false);
});

test('update the metrics with the last read score of the model and each feature', async () => {
  await call('GET', '/api/drift.getStatus', tenant.read);
  const text = await (await fetch(`${app.url}/metrics`)).text();
  expect(text).toContain('engagement_drift_score 0.31');
  expect(text).toContain('engagement_drift_feature_score{feature="visits"} 1.7');
  // Another process may have read other values since.
  app.clock.advance(4 * 60 * 60_000);
  const later = await (await fetch(`${app.url}/metrics`)).text();
  expect(later).not.toMatch(/^engagement_(drifted|drift_score|drift_feature_score|drift_component_score)\b/m);
});
