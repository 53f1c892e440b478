import {
  checkResponse,
  historyResponse,
  notFoundResponse,
  statusResponse,
} from '../../features/drift/sidecar.responses.ts';
import { PREDICTION, RESIDUAL } from '../../sidecar/samples/samples.types.ts';
import { KNOWN_SCORES } from './known-samples.ts';
import { expect, expectEqual, type Requirement, Skipped, type Subject, statusOf } from './requirement.ts';
import { parse, parseSuccess, type Status, scoresOf } from './sidecar-probe.ts';

const MODEL_OUTPUTS = [PREDICTION, RESIDUAL];

const check = ({ probe, stage }: Subject) =>
  probe.read(checkResponse, { method: 'POST', path: '/drift/check', body: { stage } });

const history = ({ probe, stage }: Subject, query: Record<string, string>) =>
  probe.read(historyResponse, { path: '/drift/history', query: { stage, ...query } });

/** @throws Violation unless the verdicts follow from the scores */
function expectConsistent({ driftScore, threshold, isDrifted, featureDrifts }: Status): void {
  expect(
    isDrifted === driftScore > threshold,
    `isDrifted is ${isDrifted} with driftScore ${driftScore} and threshold ${threshold}`,
  );
  const names = new Set(featureDrifts.map(({ feature }) => feature));
  expect(names.size === featureDrifts.length, 'featureDrifts has a feature twice');
}

export const status: Requirement = {
  name: 'status',
  async verify({ probe }) {
    const response = await probe.send({ path: '/drift/status' });
    const rejected = response.status === 401 || response.status === 403;
    expect(
      !rejected,
      `GET /drift/status returned HTTP ${response.status}: set --token or ML_SIDECAR_TOKEN to the token of the sidecar`,
    );
    expectConsistent(parseSuccess(statusResponse, response));
  },
};

/** @throws Violation unless status and check of the stage are HTTP 404 */
export async function expectUnknownStage({ probe, stage }: Subject): Promise<void> {
  const requests = [
    { path: '/drift/status', query: { stage } },
    { path: '/drift/check', method: 'POST', body: { stage } },
  ] as const;
  for (const request of requests) {
    const response = await probe.send(request);
    const { status } = response;
    expect(
      status === 404,
      `${response.request} for a stage without samples returned HTTP ${status} instead of 404`,
    );
    parse(notFoundResponse, response);
  }
}

export const unknownStage: Requirement = {
  name: 'unknown stage',
  needs: ['status'],
  async verify(subject) {
    await expectUnknownStage(subject);
    const { probe, stage } = subject;
    const history = await probe.read(historyResponse, { path: '/drift/history', query: { stage } });
    expect(history.length === 0, 'a check of a stage without samples is in the history');
  },
};

export const stageStatus: Requirement = {
  name: 'status of a stage',
  needs: ['all or none'],
  async verify(subject) {
    const report = await statusOf(subject);
    expect(
      report.stage === subject.stage,
      `GET /drift/status of a stage has stage ${JSON.stringify(report.stage)}; the service rejects it`,
    );
    expectConsistent(report);
    expect(report.featureDrifts.length > 0, 'featureDrifts of a stage with samples is empty');
  },
};

export const psi: Requirement = {
  name: 'psi',
  needs: ['status of a stage'],
  async verify(subject) {
    const report = await statusOf(subject);
    if (report.method !== 'psi') throw new Skipped(`the method is ${report.method}`);
    const scores = scoresOf(report);
    for (const [feature, expected] of Object.entries(KNOWN_SCORES)) {
      expectEqual(`the score of ${feature}`, scores.get(feature), expected);
    }
    const bounded = (feature: string): number => Math.min(1, KNOWN_SCORES[feature] ?? 0);
    const inputs = Object.keys(KNOWN_SCORES).filter((feature) => !MODEL_OUTPUTS.includes(feature));
    const mean = inputs.reduce((sum, feature) => sum + bounded(feature), 0) / inputs.length;
    expectEqual('driftScore', report.driftScore, Math.max(mean, ...MODEL_OUTPUTS.map(bounded)));
  },
};

export const components: Requirement = {
  name: 'components',
  needs: ['status of a stage'],
  async verify(subject) {
    const { driftScore, components: parts } = await statusOf(subject);
    if (parts === null) throw new Skipped('the status has no components');
    const largest = Math.max(0, ...Object.values(parts).filter((part) => part !== null));
    expectEqual('driftScore', driftScore, largest);
  },
};

export const checked: Requirement = {
  name: 'check',
  needs: ['status of a stage'],
  async verify(subject) {
    const { success, stage } = await check(subject);
    expect(success, 'success of a check is false');
    expect(
      stage === undefined || stage === subject.stage,
      `the check of a stage has stage ${JSON.stringify(stage)}; the service rejects it`,
    );
  },
};

export const checkEqualsStatus: Requirement = {
  name: 'check equals status',
  needs: ['check'],
  async verify(subject) {
    const result = await check(subject);
    const report = await statusOf(subject);
    expect(report.lastChecked !== null, 'lastChecked is null after a check');
    expectEqual('driftScore of the status', report.driftScore, result.driftScore);
    expect(report.isDrifted === result.isDrifted, 'isDrifted differs between the status and the check');
    const scores = scoresOf(report);
    for (const { feature, score } of result.featureDrifts) {
      expectEqual(`the score of ${feature} in the status`, scores.get(feature), score);
    }
  },
};

export const historyOrder: Requirement = {
  name: 'history',
  needs: ['check'],
  async verify(subject) {
    await check(subject);
    const { driftScore } = await check(subject);
    const entries = await history(subject, { limit: '2' });
    expect(entries.length === 2, `limit=2 returned ${entries.length} checks`);
    const [latest, previous] = entries;
    expect(latest !== undefined && previous !== undefined, 'the history is empty');
    expect(latest.id !== previous.id, 'two checks have the same id');
    expect(latest.checkedAt >= previous.checkedAt, 'the newest check is not the first');
    expect(
      entries.every(({ stage }) => stage === subject.stage),
      'the history of a stage has checks of another stage, or of all samples',
    );
    expectEqual('driftScore of the newest check', latest.driftScore, driftScore);
    const all = await history(subject, { limit: '200' });
    expect(all.length >= 3, `the history has ${all.length} of the checks of this run`);
    const times = all.map(({ checkedAt }) => checkedAt.getTime());
    expect(
      times.every((time, index) => time <= (times[index - 1] ?? time)),
      'the checks are not in the order of their times, newest first',
    );
  },
};

export const overallHistory: Requirement = {
  name: 'history of all samples',
  needs: ['history'],
  async verify({ probe }) {
    const response = await probe.send({ path: '/drift/history', query: { overall: 'true', limit: '50' } });
    if (response.status !== 200) throw new Skipped(`overall=true returned HTTP ${response.status}`);
    const entries = parseSuccess(historyResponse, response);
    if (entries.some(({ stage }) => stage !== null))
      throw new Skipped('the sidecar ignores overall=true; the service filters each page of the history');
  },
};

export const featureHistory: Requirement = {
  name: 'history of a feature',
  needs: ['history'],
  async verify(subject) {
    const { featureDrifts } = await statusOf(subject);
    const [first] = featureDrifts;
    expect(first !== undefined, 'featureDrifts is empty');
    const [latest] = await history(subject, { feature: first.feature, limit: '1' });
    if (latest?.featureScore == null) throw new Skipped('the history has no featureScore');
    expectEqual(`featureScore of ${first.feature}`, latest.featureScore, first.score);
  },
};
