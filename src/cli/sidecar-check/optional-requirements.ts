import type { z } from 'zod';
import {
  featureResponse,
  notFoundResponse,
  settingsResponse,
  stagesResponse,
} from '../../features/drift/sidecar.responses.ts';
import { KNOWN_FEATURE, ROWS } from './known-samples.ts';
import { expect, expectEqual, type Requirement, Skipped, type Subject, statusOf } from './requirement.ts';
import { hasRows, parse, parseSuccess } from './sidecar-probe.ts';

/** Reads an optional path. @throws Skipped if the sidecar does not have it */
async function readOptional<S extends z.ZodType>(
  { probe }: Subject,
  schema: S,
  options: { path: string; query?: Record<string, string> },
): Promise<z.output<S>> {
  const response = await probe.send(options);
  if (response.status === 404) throw new Skipped(`${response.request} is not available`);
  return parseSuccess(schema, response);
}

/** Fields of a status that a sidecar may omit. */
const STATUS_FIELDS = ['components', 'rows'] as const;
/** Fields of a feature that a sidecar may omit. */
const FEATURE_FIELDS = [
  'type',
  'threshold',
  'rows',
  'missing',
  'newCategories',
  'vanishedCategories',
] as const;

export const optionalFields: Requirement = {
  name: 'optional fields',
  needs: ['status of a stage'],
  async verify(subject) {
    const status = await statusOf(subject);
    const absent: string[] = STATUS_FIELDS.filter((field) => status[field] === null);
    for (const field of FEATURE_FIELDS) {
      if (status.featureDrifts.some((feature) => feature[field] === null))
        absent.push(`featureDrifts.${field}`);
    }
    if (absent.length > 0) throw new Skipped(`absent: ${absent.join(', ')}`);
    for (const { feature, rows } of status.featureDrifts) {
      expect(hasRows(rows, ROWS), `rows of feature ${feature} are not ${ROWS} + ${ROWS}`);
    }
  },
};

/** Fields of a feature that belong to the noise floor. */
const NOISE_FIELDS = ['noise', 'significant', 'rowsNeeded', 'coverage'] as const;

export const noiseFloor: Requirement = {
  name: 'noise floor',
  needs: ['status of a stage'],
  async verify(subject) {
    const { featureDrifts } = await statusOf(subject);
    const absent = NOISE_FIELDS.filter((field) => featureDrifts.some((feature) => feature[field] === null));
    if (absent.length > 0) throw new Skipped(`absent: ${absent.join(', ')}`);
    for (const { feature, score, noise, significant, missing, coverage } of featureDrifts) {
      expect(
        significant === score > (noise ?? 0),
        `significant of feature ${feature} is ${significant} with score ${score} and noise ${noise}`,
      );
      if (missing && coverage)
        expectEqual(`the coverage of ${feature} in the current set`, coverage.current, 1 - missing.current);
    }
  },
};

export const stages: Requirement = {
  name: 'stages',
  needs: ['all or none'],
  async verify(subject) {
    const listed = await readOptional(subject, stagesResponse, { path: '/drift/stages' });
    const names = listed.map(({ stage }) => stage);
    expect(
      names.every((name, index) => index === 0 || (names[index - 1] ?? '') < name),
      'the stages are not sorted by name',
    );
    const own = listed.find(({ stage }) => stage === subject.stage);
    expect(own !== undefined, 'a stage with samples is not listed');
    expect(
      hasRows(own.rows, ROWS),
      `a stage with ${ROWS} + ${ROWS} rows has ${own.rows.reference} + ${own.rows.current}`,
    );
  },
};

export const featureDetails: Requirement = {
  name: 'feature details',
  needs: ['status of a stage'],
  async verify(subject) {
    const { probe, stage } = subject;
    const path = '/drift/feature';
    const query = { feature: KNOWN_FEATURE, stage };
    const details = await readOptional(subject, featureResponse, { path, query });
    expect(details.feature === KNOWN_FEATURE, `the response is for feature ${details.feature}`);
    const total = details.bins.reduce((sum, bin) => sum + bin.contribution, 0);
    expectEqual(
      'the sum of the contributions',
      total + (details.otherCategories?.contribution ?? 0),
      details.score,
    );
    const contributions = details.bins.map(({ contribution }) => contribution);
    expect(
      contributions.every((value, index) => value <= (contributions[index - 1] ?? value)),
      'the bins are not sorted by contribution, largest first',
    );
    const unknown = await probe.send({ path, query: { feature: 'conformance_unknown', stage } });
    expect(unknown.status === 404, `an unknown feature returned HTTP ${unknown.status} instead of 404`);
    parse(notFoundResponse, unknown);
  },
};

export const featureSettings: Requirement = {
  name: 'feature settings',
  needs: ['status'],
  async verify(subject) {
    await readOptional(subject, settingsResponse, { path: '/drift/features' });
  },
};
