import { expect, onTestFinished, test } from 'vitest';
import { eventually, type TestApp } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { readMetrics } from '../support/metrics.ts';
import { type SidecarRequest, startFakeSidecar } from '../support/sidecar.ts';
import { appOfTest, dataDirOfTest, processOfTest } from '../support/test-scoped.ts';
import { startScoredSidecar } from './support.ts';

test('scheduled checks run once per tick, whatever the number of processes', async () => {
  const sidecar = await startFakeSidecar();
  onTestFinished(() => sidecar.stop());
  const dataDir = await dataDirOfTest();
  const mongodbUri = freshDatabase();
  const env = { ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: '1 second' };
  const processes = await Promise.all([1, 2].map(() => processOfTest(dataDir, { mongodbUri, env })));
  const checks = () => sidecar.requests.filter((line) => line === 'GET /drift/stages').length;
  const before = checks();
  const startedAt = performance.now();
  await eventually(() => checks() - before >= 10, 60_000);
  const ticks = Math.floor((performance.now() - startedAt) / 1_000) + 1;
  const made = checks() - before;
  await Promise.all(processes.map((process) => process.end('SIGTERM')));
  // One check per tick, some of which a late process may catch up on; with one per process there would be twice as many.
  expect(made).toBeLessThanOrEqual(ticks + 2);
});

test('scheduled checks cover all samples and each stage; a stage that fails does not stop the others', async () => {
  const sidecar = await startScoredSidecar();
  onTestFinished(() => sidecar.stop());
  // `broken` reports a score that no sidecar may report.
  sidecar.report({ overall: 0.1, stages: { broken: 7, lead: 0.1, trial: 0.4 } });
  const app = await appOfTest({ ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: '1 second' });
  await eventually(() => sidecar.checked.filter((stage) => stage === 'trial').length >= 2, 20_000);
  expect(sidecar.checked.slice(0, 4)).toEqual([null, 'broken', 'lead', 'trial']);
  const text = await (await fetch(`${app.url}/metrics`)).text();
  for (const line of [
    'engagement_drift_score 0.1',
    'engagement_drifted 0',
    'engagement_drift_stage_score{stage="lead"} 0.1',
    'engagement_drift_stage_drifted{stage="lead"} 0',
    'engagement_drift_stage_drifted{stage="trial"} 1',
    'engagement_drift_component_score{stage="",component="prediction"} 0',
    'engagement_drift_component_score{stage="trial",component="features"} 0.4',
  ])
    expect(text).toContain(line);
  expect(text).not.toContain('component="outcome"');
  await eventually(async () => {
    const later = await (await fetch(`${app.url}/metrics`)).text();
    return later.includes('engagement_drift_detected{scope="stage"} 1');
  }, 20_000);

  // A stage whose samples are removed has no series any more, and its drift is cleared.
  const features = [
    { feature: 'age', score: 2 },
    { feature: 'few', score: 9, insufficientData: true },
  ];
  sidecar.report({ overall: 0.1, stages: { lead: 0.1 }, features });
  await eventually(async () => {
    const later = await (await fetch(`${app.url}/metrics`)).text();
    return (
      !later.includes('stage="trial"') &&
      later.includes('engagement_drift_detected{scope="stage"} 0') &&
      later.includes('engagement_drift_worst_feature_score{stage="",feature="age"} 2')
    );
  }, 20_000);
});

test('a sidecar that lists no stages has its samples checked as a whole', async () => {
  const sidecar = await startScoredSidecar();
  onTestFinished(() => sidecar.stop());
  sidecar.report({ overall: 0.1 });
  await appOfTest({ ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: '1 second' });
  await eventually(() => sidecar.checked.length >= 2, 20_000);
  expect(new Set(sidecar.checked)).toEqual(new Set([null]));
});

test('scheduled checks cover each model', async () => {
  const sidecar = await startFakeSidecar();
  onTestFinished(() => sidecar.stop());
  sidecar.behave({
    answers: {
      '/drift/models': [{ model: 'default' }, { model: 'churn' }],
      '/drift/stages': ({ query: { model } }: SidecarRequest) =>
        model ? [{ model, stage: 'lead', rows: { reference: 40, current: 40 } }] : [],
      '/drift/check': ({ query: { model }, body: { stage } }: SidecarRequest) => ({
        ...{ model, stage: stage ?? null, success: true, driftScore: 0.1, isDrifted: false, threshold: 0.2 },
      }),
    },
  });
  await appOfTest({ ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: '1 second' });
  const checks = () => sidecar.requests.filter((line) => line.startsWith('POST /drift/check'));
  await eventually(() => checks().length >= 3, 20_000);
  expect(checks().slice(0, 3)).toEqual([
    'POST /drift/check',
    'POST /drift/check?model=churn',
    'POST /drift/check?model=churn',
  ]);
});

test('the drift of a model that the sidecar no longer lists is cleared', async () => {
  const sidecar = await startFakeSidecar();
  onTestFinished(() => sidecar.stop());
  const list = (...models: string[]) =>
    sidecar.behave({
      answers: {
        '/drift/models': models.map((model) => ({ model })),
        '/drift/stages': [],
        '/drift/check': ({ query: { model } }: SidecarRequest) => ({
          ...{ model: model ?? 'default', stage: null, success: true, threshold: 0.2 },
          ...(model ? { driftScore: 0.9, isDrifted: true } : { driftScore: 0.1, isDrifted: false }),
          featureDrifts: [],
        }),
      },
    });
  list('default', 'churn');
  const app = await appOfTest({ ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: '1 second' });
  const drifted = async () =>
    (await readMetrics(app)).value('engagement_drift_detected', { scope: 'overall' });
  await eventually(async () => (await drifted()) === 1, 20_000);
  list('default');
  await eventually(async () => (await drifted()) === 0, 20_000);
});

test('the time of the last check is the same in all processes and after a restart; a status is no check', async () => {
  const sidecar = await startScoredSidecar();
  onTestFinished(() => sidecar.stop());
  sidecar.report({ overall: 0.1 });
  const startedAt = Date.now() / 1000;
  const env = {
    MONGODB_URI: freshDatabase(),
    CONNECTOR_ENCRYPTION_KEY: 'ab'.repeat(32),
    ML_SIDECAR_URL: sidecar.url,
    DRIFT_CHECK_SCHEDULE: '0 0 1 1 *',
  };
  const checkedAt = async (of: TestApp) =>
    (await readMetrics(of)).value('engagement_drift_checked_timestamp_seconds');
  const app = await appOfTest(env);
  // Before the first check, it is the start.
  await eventually(async () => ((await checkedAt(app)) ?? 0) >= startedAt - 1);
  expect((await app.request('POST', '/api/drift.triggerCheck', { key: app.admin })).status).toBe(200);
  const earlier = new Date(Date.now() - 5 * 3_600_000);
  await app.models.DriftAlertState.updateOne({ _id: 'overall' }, { $set: { checkedAt: earlier } });

  expect((await app.request('GET', '/api/drift.getStatus', { key: app.admin })).status).toBe(200);
  sidecar.behave('reset');
  const restarted = await appOfTest(env);
  const withoutChecks = await appOfTest({ ...env, DRIFT_CHECK_SCHEDULE: 'off' });
  for (const each of [app, restarted])
    await eventually(async () => (await checkedAt(each)) === earlier.getTime() / 1000, 20_000);
  expect(await checkedAt(withoutChecks)).toBeUndefined();
});
