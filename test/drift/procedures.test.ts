import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { type SidecarBehaviour, type SidecarStandIn, startSidecarStandIn, WELL } from '../support/sidecar.ts';

const TIMEOUT_MS = 500;
let app: TestApp;
let sidecar: SidecarStandIn;
let tenant: TestTenant;

beforeAll(async () => {
  sidecar = await startSidecarStandIn();
  app = await startApp({
    ML_SIDECAR_URL: sidecar.url,
    ML_SIDECAR_TIMEOUT: '500ms',
    DRIFT_CHECK_SCHEDULE: 'off',
  });
  tenant = await app.newTenant();
});
afterAll(async () => {
  await app.stop();
  await sidecar.stop();
});
afterEach(() => {
  sidecar.asked.length = 0;
});

/** The three procedures, as REST. */
const PROCEDURES = [
  ['GET', '/api/drift.getStatus'],
  ['GET', '/api/drift.getHistory'],
  ['POST', '/api/drift.triggerCheck'],
] as const;

const call = (method: string, path: string, key: string | null) => app.request(method, path, { key });

describe('the procedures', () => {
  test.each(PROCEDURES)('%s %s needs a key', async (method, path) => {
    expect((await call(method, path, null)).status).toBe(401);
  });

  test('history and checks need an admin key, the status any', async () => {
    expect((await call('GET', '/api/drift.getStatus', tenant.read)).status).toBe(200);
    expect((await call('GET', '/api/drift.getHistory', tenant.write)).status).toBe(403);
    expect((await call('POST', '/api/drift.triggerCheck', tenant.write)).status).toBe(403);
    expect(sidecar.asked).toEqual(['GET /drift/status']);
  });

  test('answer what the sidecar says, over REST and GraphQL', async () => {
    const status = await call('GET', '/api/drift.getStatus', tenant.read);
    expect(status.body).toEqual(WELL['/drift/status']);
    const history = await call('GET', '/api/drift.getHistory?stage=trial&limit=7', app.admin);
    expect(history.body).toEqual(WELL['/drift/history']);
    const check = await app.request('POST', '/api/drift.triggerCheck', {
      key: app.admin,
      body: { stage: 'trial' },
    });
    expect([check.status, check.body]).toEqual([200, { success: true, driftScore: 0.31, isDrifted: true }]);
    const { body } = await app.graphql(
      '{ driftStatus { driftScore featureDrifts { feature score drifted } } driftHistory { id stage } }',
      {},
      app.admin,
    );
    expect(body.data).toMatchObject({
      driftStatus: { driftScore: 0.31 },
      driftHistory: [{ id: 'c2' }, { id: 'c1' }],
    });
    expect(sidecar.asked).toEqual([
      'GET /drift/status',
      'GET /drift/history?stage=trial&limit=7',
      'POST /drift/check',
      'GET /drift/status',
      'GET /drift/history?limit=50',
    ]);
  });

  test.each(['0', '201', '-1', '1.5', 'many'])(
    'refuse a limit of %s before the sidecar is asked',
    async (limit) => {
      const { status, body } = await call('GET', `/api/drift.getHistory?limit=${limit}`, app.admin);
      expect([status, body.error?.code]).toEqual([422, 'VALIDATION_FAILED']);
      expect(sidecar.asked).toEqual([]);
    },
  );
});

describe('a sidecar that fails', () => {
  const FAILURES: [string, SidecarBehaviour][] = [
    ['hangs', 'hang'],
    ['breaks the connection', 'reset'],
    ['answers 500', { status: 500 }],
    ['answers HTML', { text: '<html>oops</html>' }],
    [
      'answers a score of 7',
      { json: { ...(WELL['/drift/status'] as object), success: true, driftScore: 7 } },
    ],
  ];

  test.each(FAILURES)(
    'and %s is SERVICE_UNAVAILABLE within the timeout, and nothing else stops',
    async (_name, behaviour) => {
      // An app of its own, so that the circuit of the last case is not still open.
      const other = await startApp({
        ML_SIDECAR_URL: sidecar.url,
        ML_SIDECAR_TIMEOUT: '500ms',
        DRIFT_CHECK_SCHEDULE: 'off',
      });
      try {
        const { read } = await other.newTenant();
        sidecar.behave(behaviour);
        for (const [method, path] of PROCEDURES) {
          const begun = performance.now();
          const { status, body } = await other.request(method, path, { key: other.admin });
          expect([status, body.error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
          expect(performance.now() - begun).toBeLessThan(TIMEOUT_MS + 400);
        }
        const health = await other.request('GET', '/api/health');
        expect([health.status, health.body.status]).toEqual([200, 'degraded']);
        expect((await other.request('GET', '/v1/conversations', { key: read })).status).toBe(200);
      } finally {
        sidecar.behave('well');
        await other.stop();
      }
    },
  );

  test('is asked again once where that does no harm, and left alone after five failures until it had time', async () => {
    const other = await startApp({ ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: 'off' });
    try {
      sidecar.behave({ status: 500 });
      await other.request('GET', '/api/drift.getStatus', { key: other.admin });
      await other.request('POST', '/api/drift.triggerCheck', { key: other.admin });
      expect(sidecar.asked).toEqual(['GET /drift/status', 'GET /drift/status', 'POST /drift/check']);
      for (let i = 0; i < 3; i += 1)
        await other.request('POST', '/api/drift.triggerCheck', { key: other.admin });
      sidecar.behave('well');
      sidecar.asked.length = 0;
      expect((await other.request('GET', '/api/drift.getStatus', { key: other.admin })).status).toBe(503);
      expect(sidecar.asked).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 5_200));
      expect((await other.request('GET', '/api/drift.getStatus', { key: other.admin })).status).toBe(200);
    } finally {
      sidecar.behave('well');
      await other.stop();
    }
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

test('the numbers show the score, and each feature, as last read', async () => {
  await call('GET', '/api/drift.getStatus', tenant.read);
  const text = await (await fetch(`${app.url}/metrics`)).text();
  expect(text).toContain('engagement_drift_score 0.31');
  expect(text).toContain('engagement_drift_feature_score{feature="visits"} 1.7');
});
