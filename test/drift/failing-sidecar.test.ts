import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import {
  CHECK,
  type FakeSidecar,
  FEATURE,
  HISTORY,
  type SidecarBehaviour,
  STAGES,
  STATUS,
  startFakeSidecar,
  WELL,
} from '../support/sidecar.ts';
import { appOfTest } from '../support/test-scoped.ts';

/** Time for which the service reuses its health. */
const HEALTH_MAX_AGE_MS = 1_000;
/** Long enough that a delay of a loaded machine is no timeout. */
const TIMEOUT_MS = 3_000;

let sidecar: FakeSidecar;
let app: TestApp;

async function start(): Promise<void> {
  sidecar = await startFakeSidecar();
  app = await startApp({
    ML_SIDECAR_URL: sidecar.url,
    ML_SIDECAR_TIMEOUT: `${TIMEOUT_MS}ms`,
    DRIFT_CHECK_SCHEDULE: 'off',
  });
}
async function stop(): Promise<void> {
  await app.stop();
  await sidecar.stop();
}

/** Response of a failed procedure. */
interface Refusal {
  code: string | undefined;
  status: number;
}

type Procedure = () => Promise<Refusal>;

const rest =
  (method: string, path: string): Procedure =>
  async () => {
    const { status, body } = await app.request(method, path, { key: app.admin });
    return { status, code: String(body.error?.code) };
  };

const graphql =
  (operation: string): Procedure =>
  async () => {
    const { status, body } = await app.graphql(operation, {}, app.admin);
    const [error] = body.errors as unknown as { extensions: { code: string } }[];
    return { status, code: error?.extensions.code };
  };

/** The procedures on either surface; GraphQL answers 200 with the error in it. */
const SURFACES: Record<string, { status: number; procedures: Procedure[] }> = {
  rpc: {
    status: 503,
    procedures: [
      rest('GET', '/api/drift.getStatus'),
      rest('GET', '/api/drift.getHistory?stage=trial'),
      rest('POST', '/api/drift.triggerCheck'),
    ],
  },
  GraphQL: {
    status: 200,
    procedures: [
      graphql('{ driftStatus { driftScore } }'),
      graphql('{ driftHistory(stage: "trial") { id } }'),
      graphql('mutation { triggerDriftCheck { success } }'),
    ],
  },
};

/** The answers of a sidecar in good health, but for the score. */
const scored = (driftScore: number): SidecarBehaviour => ({
  answers: {
    '/health': WELL['/health'],
    '/drift/status': { ...STATUS, driftScore },
    '/drift/history': HISTORY.map((entry) => ({ ...entry, driftScore })),
    '/drift/check': { ...CHECK, driftScore },
  },
});

const FAILURES: [string, () => Promise<void> | void][] = [
  ['is stopped', () => sidecar.stop()],
  ['hangs', () => sidecar.behave('hang')],
  ['breaks the connection', () => sidecar.behave('reset')],
  ['answers 500', () => sidecar.behave({ status: 500 })],
  ['answers HTML', () => sidecar.behave({ text: '<html>oops</html>' })],
  ['answers a score of 7', () => sidecar.behave(scored(7))],
];

const CASES = FAILURES.flatMap(([name, fail]) =>
  Object.entries(SURFACES).map(([surface, procedures]) => [name, surface, fail, procedures] as const),
);

/** Whatever has nothing to do with the sidecar. */
async function expectTheRestToWork(): Promise<void> {
  const { read, write, customerId } = await app.newTenant();
  const event = { type: 'conversion', goal: 'demo', visitor_id: 'v_1' };
  const calls = [
    app.request('GET', `/api/v1/customers/${customerId}/webhook-endpoints`, { key: read }),
    app.request('GET', '/v1/conversations', { key: read }),
    app.request('POST', '/v1/events', { key: write, body: event }),
    app.graphql('{ viewer { scope } conversations { edges { node { id } } } }', {}, read),
  ];
  const answers = await Promise.all(calls);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 200]);
  expect(answers[3]?.body.errors).toBeUndefined();
}

/** Resolves once the service has asked for the health of the sidecar, as it does when the circuit opens. */
const probed = () => eventually(() => sidecar.requests.includes('GET /health'));

describe('a sidecar', () => {
  // An app for each test, so that the circuit of the last one is not still open.
  beforeEach(start);
  afterEach(stop);

  test('may report a score of 1', async () => {
    sidecar.behave(scored(1));
    const { status, body } = await app.request('GET', '/api/drift.getStatus', { key: app.admin });
    expect([status, body.driftScore]).toEqual([200, 1]);
  });

  test.each(CASES)(
    'that %s is SERVICE_UNAVAILABLE over %s within the timeout and degraded in health, and affects nothing else',
    async (_name, _surface, fail, { status, procedures }) => {
      await fail();
      for (const procedure of procedures) {
        const begun = performance.now();
        expect(await procedure()).toEqual({ status, code: 'SERVICE_UNAVAILABLE' });
        expect(performance.now() - begun).toBeLessThan(2 * TIMEOUT_MS);
      }
      app.clock.advance(HEALTH_MAX_AGE_MS);
      const health = await app.request('GET', '/api/health');
      expect([health.status, health.body.status, health.body.sidecar?.status]).toEqual([
        200,
        'degraded',
        'down',
      ]);
      await expectTheRestToWork();
    },
  );

  test('is ok in health as soon as it responds', async () => {
    sidecar.behave({ status: 500 });
    await app.request('GET', '/api/drift.getStatus', { key: app.admin });
    app.clock.advance(HEALTH_MAX_AGE_MS);
    expect((await app.request('GET', '/api/health')).body.status).toBe('degraded');
    sidecar.behave('well');
    // The probes of the health have a time limit, which a loaded machine can exceed.
    await eventually(async () => {
      app.clock.advance(HEALTH_MAX_AGE_MS);
      expect((await app.request('GET', '/api/health')).body).toMatchObject({
        status: 'ok',
        sidecar: { status: 'up', modelVersion: 'm-7' },
      });
      return true;
    });
  });

  test('is retried once for safe requests, and not called after five failures until the circuit half-opens', async () => {
    sidecar.behave({ status: 500 });
    const getStatus = () => app.request('GET', '/api/drift.getStatus', { key: app.admin });
    const triggerCheck = () => app.request('POST', '/api/drift.triggerCheck', { key: app.admin });
    await getStatus();
    await triggerCheck();
    expect(sidecar.requests).toEqual(['GET /drift/status', 'GET /drift/status', 'POST /drift/check']);
    for (let i = 0; i < 3; i += 1) await triggerCheck();
    await probed();
    sidecar.behave('well');
    sidecar.requests.length = 0;
    expect((await getStatus()).status).toBe(503);
    expect(sidecar.requests).toEqual([]);
    await eventually(async () => (await getStatus()).status === 200);
  });

  test('that computes for too long is called further as long as it is responsive', async () => {
    const impatient = await appOfTest({
      ML_SIDECAR_URL: sidecar.url,
      ML_SIDECAR_TIMEOUT: '500ms',
      DRIFT_CHECK_SCHEDULE: 'off',
    });
    sidecar.behave({ answers: { ...WELL, '/drift/performance': () => new Promise(() => {}) } });
    const get = async (procedure: string) =>
      (await impatient.request('GET', `/api/drift.${procedure}`, { key: impatient.admin })).status;
    for (let i = 0; i < 5; i += 1) expect(await get('getPerformance')).toBe(503);
    await probed();
    await eventually(async () => {
      // Closes the circuit if the probe of its opening has taken too long.
      impatient.clock.advance(HEALTH_MAX_AGE_MS);
      await impatient.request('GET', '/api/health');
      return (await get('getStatus')) === 200;
    }, 4_000);
  });

  test('is called again once its health is up, although its circuit was open', async () => {
    sidecar.behave({ status: 500 });
    const getStatus = () => app.request('GET', '/api/drift.getStatus', { key: app.admin });
    for (let i = 0; i < 5; i += 1) await getStatus();
    await probed();
    sidecar.behave('well');
    expect((await getStatus()).status).toBe(503);
    await eventually(async () => {
      app.clock.advance(HEALTH_MAX_AGE_MS);
      const { body } = await app.request('GET', '/api/health');
      return String(body.sidecar?.status) === 'up';
    });
    expect((await getStatus()).status).toBe(200);
  });

  test('whose responses are not valid keeps its circuit closed', async () => {
    sidecar.behave({ answers: { ...WELL, '/drift/status': { ...STATUS, driftScore: 7 } } });
    const get = (procedure: string) => app.request('GET', `/api/drift.${procedure}`, { key: app.admin });
    for (let i = 0; i < 6; i += 1) expect((await get('getStatus')).status).toBe(503);
    expect((await get('getStages')).status).toBe(200);
  });

  test('that answers 404 in a format of its own is SERVICE_UNAVAILABLE', async () => {
    sidecar.behave({ status: 404 });
    for (const procedure of ['getStatus', 'getStatus?stage=trial', 'getFeature?feature=visits', 'getHistory'])
      expect(await rest('GET', `/api/drift.${procedure}`)()).toEqual({
        status: 503,
        code: 'SERVICE_UNAVAILABLE',
      });
  });

  test('that is not configured is SERVICE_UNAVAILABLE, and down in health', async () => {
    const other = await startApp();
    try {
      const { status } = await other.request('GET', '/api/drift.getStatus', { key: other.admin });
      const { body } = await other.request('GET', '/api/health');
      expect([status, body.sidecar?.status]).toEqual([503, 'down']);
    } finally {
      await other.stop();
    }
  });
});

describe('a sidecar', () => {
  beforeAll(start);
  afterAll(stop);

  const get = (procedure: string) => app.request('GET', `/api/drift.${procedure}`, { key: app.admin });

  // A success before each test keeps the circuit closed.
  beforeEach(async () => {
    sidecar.behave('well');
    expect((await get('getStatus')).status).toBe(200);
  });

  test.each<[procedure: string, path: string, answer: unknown]>([
    ['getStatus', '/drift/status', { ...STATUS, components: { ...STATUS.components, features: 1.5 } }],
    ['getStatus', '/drift/status', { ...STATUS, components: { features: 0.1 } }],
    ['getStatus', '/drift/status', { ...STATUS, rows: { reference: -1, current: 0 } }],
    ['getStatus', '/drift/status', { ...STATUS, stage: 'trial' }],
    ['getStatus?stage=trial', '/drift/status', STATUS],
    ...[
      { type: 'text' },
      { weight: -1 },
      { threshold: -0.1 },
      { missing: { reference: 0, current: 1.01 } },
      { newCategories: { count: 1, names: ['a', 'b'] } },
      { newCategories: { count: 1, names: ['a'.repeat(101)] } },
      { drifted: true, insufficientData: true },
    ].map((lie): [string, string, unknown] => [
      'getStatus',
      '/drift/status',
      { ...STATUS, featureDrifts: [{ ...STATUS.featureDrifts[0], ...lie }] },
    ]),
    ['getFeature?feature=visits', '/drift/feature', { ...FEATURE, feature: 'age' }],
    ...[
      { contribution: -0.1 },
      { reference: { count: 1, share: 2 } },
      { missing: true },
      { lower: 2, upper: 1, category: null },
    ].map((lie): [string, string, unknown] => [
      'getFeature?feature=visits',
      '/drift/feature',
      { ...FEATURE, bins: [{ ...FEATURE.bins[0], ...lie }] },
    ]),
    ['getStages', '/drift/stages', [{ stage: 'a', rows: { reference: 1 } }]],
    ['getStages', '/drift/stages', [...STAGES, ...STAGES]],
    ['getHistory?feature=visits', '/drift/history', [{ ...HISTORY[0], featureScore: -1 }]],
    ['getFeatureSettings', '/drift/features', { features: [{ feature: 'visits', weight: 'high' }] }],
  ])('whose %s lies is SERVICE_UNAVAILABLE: %s %j', async (procedure, path, answer) => {
    sidecar.behave({ answers: { [path]: answer } });
    const { status, body } = await get(procedure);
    expect([status, body.error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });
});
