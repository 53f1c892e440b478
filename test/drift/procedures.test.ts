import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { type SidecarStandIn, startSidecarStandIn, WELL } from '../support/sidecar.ts';

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
  test.each(PROCEDURES)('%s %s requires a key', async (method, path) => {
    expect((await call(method, path, null)).status).toBe(401);
  });

  test('require an admin key for history and checks, and any key for the status', async () => {
    expect((await call('GET', '/api/drift.getStatus', tenant.read)).status).toBe(200);
    expect((await call('GET', '/api/drift.getHistory', tenant.write)).status).toBe(403);
    expect((await call('POST', '/api/drift.triggerCheck', tenant.write)).status).toBe(403);
    expect(sidecar.asked).toEqual(['GET /drift/status']);
  });

  test('return the response of the sidecar, over REST and GraphQL', async () => {
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
    'reject a limit of %s without a request to the sidecar',
    async (limit) => {
      const { status, body } = await call('GET', `/api/drift.getHistory?limit=${limit}`, app.admin);
      expect([status, body.error?.code]).toEqual([422, 'VALIDATION_FAILED']);
      expect(sidecar.asked).toEqual([]);
    },
  );
});

test('update the metrics with the last read score of the model and each feature', async () => {
  await call('GET', '/api/drift.getStatus', tenant.read);
  const text = await (await fetch(`${app.url}/metrics`)).text();
  expect(text).toContain('engagement_drift_score 0.31');
  expect(text).toContain('engagement_drift_feature_score{feature="visits"} 1.7');
});
