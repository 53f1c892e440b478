import { type SampleRow, type SampleSet, SETS } from '../../sidecar/samples/samples.types.ts';
import { expectUnknownStage } from './drift-requirements.ts';
import { FIRST_ROWS, KNOWN_SAMPLES, ROWS } from './known-samples.ts';
import { expect, isEqualScore, type Requirement, Skipped, type Subject, statusOf } from './requirement.ts';
import { hasRows, isSuccess, type Status, scoresOf } from './sidecar-probe.ts';

const append = ({ probe, stage }: Subject, set: SampleSet, rows: readonly unknown[]) =>
  probe.send({ method: 'POST', path: '/samples', body: { set, stage, rows } });

const isClientError = (status: number): boolean => status >= 400 && status < 500;

/** Appends a part of the known samples to both sets. */
async function appendKnown(subject: Subject, from: number, to: number): Promise<void> {
  for (const set of SETS) {
    const { request, status } = await append(subject, set, KNOWN_SAMPLES[set].slice(from, to));
    expect(isSuccess(status), `${request} with valid rows returned HTTP ${status}`);
  }
}

/** Checks the row counts, if the sidecar reports them. */
async function expectRows(subject: Subject, rows: number): Promise<void> {
  const { rows: reported } = await statusOf(subject);
  if (reported === null) return;
  expect(
    hasRows(reported, rows),
    `GET /drift/status reports ${reported.reference} + ${reported.current} rows instead of ${rows} + ${rows}`,
  );
}

export const samples: Requirement = {
  name: 'samples',
  needs: ['status'],
  async verify(subject) {
    await appendKnown(subject, 0, FIRST_ROWS);
    await expectRows(subject, FIRST_ROWS);
  },
};

export const insufficientData: Requirement = {
  name: 'insufficient data',
  needs: ['samples'],
  async verify(subject) {
    const { method, driftScore, isDrifted, featureDrifts } = await statusOf(subject);
    if (method !== 'psi') throw new Skipped(`the method is ${method}`);
    expect(!isDrifted && driftScore === 0, `${FIRST_ROWS} rows per set have a drift score of ${driftScore}`);
    const drifted = featureDrifts.find((feature) => feature.drifted);
    expect(!drifted, `feature ${drifted?.feature} is drifted with ${FIRST_ROWS} rows per set`);
  },
};

export const moreSamples: Requirement = {
  name: 'append samples',
  needs: ['samples'],
  async verify(subject) {
    await appendKnown(subject, FIRST_ROWS, ROWS);
    await expectRows(subject, ROWS);
  },
};

/** Compares row counts and scores. The order and rounding of scores may differ between two computations. */
function isUnchanged(before: Status, after: Status): boolean {
  const scores = scoresOf(after);
  return (
    after.rows?.reference === before.rows?.reference &&
    after.rows?.current === before.rows?.current &&
    isEqualScore(after.driftScore, before.driftScore) &&
    before.featureDrifts.every(({ feature, score }) => isEqualScore(scores.get(feature), score))
  );
}

/** Rows that would change every score if the sidecar stored them. */
const OTHER_ROWS: SampleRow[] = KNOWN_SAMPLES.current.map(({ features }) => ({
  features,
  prediction: -1_000,
  outcome: 1_000,
}));

export const allOrNone: Requirement = {
  name: 'all or none',
  needs: ['append samples'],
  async verify(subject) {
    const before = await statusOf(subject);
    const { request, status } = await append(subject, 'current', [...OTHER_ROWS, { prediction: 'high' }]);
    expect(
      isClientError(status),
      `${request} with an invalid last row returned HTTP ${status} instead of 4xx`,
    );
    const after = await statusOf(subject);
    expect(isUnchanged(before, after), `${request} with an invalid last row stored the other rows`);
  },
};

export const invalidInput: Requirement = {
  name: 'invalid input',
  needs: ['append samples'],
  async verify(subject) {
    const { probe, stage } = subject;
    const rows = KNOWN_SAMPLES.current.slice(0, 1);
    const cases = [
      ['a body that is not JSON', '/drift/check', '{"stage":'],
      ['a stage that is a number', '/drift/check', { stage: 5 }],
      ['an unknown set', '/samples', { set: 'conformance', stage, rows }],
      ['a row without a prediction', '/samples', { set: 'current', stage, rows: [{ features: {} }] }],
    ] as const;
    for (const [problem, path, body] of cases) {
      const { request, status } = await probe.send({ method: 'POST', path, body });
      expect(isClientError(status), `${request} with ${problem} returned HTTP ${status} instead of 4xx`);
    }
    const { request, status } = await probe.send({ path: '/drift/history', query: { stage, limit: 'many' } });
    expect(isClientError(status), `${request} with limit=many returned HTTP ${status} instead of 4xx`);
  },
};

export const removal: Requirement = {
  name: 'remove samples',
  needs: ['samples'],
  async verify(subject) {
    for (const set of SETS) {
      const { request, status } = await removeSamples(subject, set);
      expect(isSuccess(status), `${request} returned HTTP ${status}`);
    }
    await expectUnknownStage(subject);
  },
};

export const removeSamples = ({ probe, stage }: Subject, set: SampleSet) =>
  probe.send({ method: 'DELETE', path: '/samples', query: { set, stage } });
