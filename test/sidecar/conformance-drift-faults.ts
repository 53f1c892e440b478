import type { Body } from '../support/faulty-sidecar.ts';
import {
  answers,
  CHECK,
  changes,
  type FaultCase,
  inStage,
  last,
  ofAll,
  STATUS,
  to,
} from './conformance-fault.ts';

const HISTORY = to('/drift/history');
const FEATURE = to('/drift/feature');
const STAGES = to('/drift/stages');

/** Faults of the status of a stage, of checks, of the history and of optional paths. */
export const DRIFT_FAULTS: FaultCase[] = [
  {
    requirement: 'status of a stage',
    problem: 'is that of all samples',
    reason: 'has stage null',
    fault: () => changes(inStage(STATUS), (body) => ({ ...body, stage: null })),
  },
  {
    requirement: 'psi',
    problem: 'differs by 1e-8',
    reason: 'the score of residual is',
    fault: () =>
      changes(
        (call) => inStage(STATUS)(call) || CHECK(call),
        (body) => last(body, ({ score }) => ({ score: score + 1e-8 })),
      ),
  },
  {
    requirement: 'components',
    problem: 'are all below the score',
    reason: 'driftScore is 1, but must be 0.5',
    fault: () =>
      changes(inStage(STATUS), (body) => ({
        ...body,
        components: { features: 0.1, prediction: 0.5, outcome: null },
      })),
  },
  {
    requirement: 'optional fields',
    problem: 'have wrong row counts',
    reason: 'rows of feature residual are not 400 + 400',
    fault: () =>
      changes(inStage(STATUS), (body) => last(body, () => ({ rows: { reference: 401, current: 400 } }))),
  },
  {
    requirement: 'noise floor',
    problem: 'is above a significant score',
    reason: 'significant of feature residual is true with score 1.268',
    fault: () => changes(inStage(STATUS), (body) => last(body, () => ({ noise: 2 }))),
  },
  {
    requirement: 'check',
    problem: 'fails',
    reason: 'success of a check is false',
    fault: () => changes(CHECK, (body) => ({ ...body, success: false })),
  },
  {
    requirement: 'check equals status',
    problem: 'is not stored',
    reason: 'the score of residual in the status is',
    fault() {
      let checks = 0;
      return {
        respond(call, response) {
          if (CHECK(call) && response.status === 200) checks += 1;
          const stale = inStage(STATUS)(call) && response.status === 200 && checks === 2;
          return stale
            ? { status: 200, body: last(response.body, ({ score }) => ({ score: score / 2 })) }
            : response;
        },
      };
    },
  },
  {
    requirement: 'history',
    problem: 'has the oldest check first',
    reason: 'the newest check is not the first',
    fault: () => changes(HISTORY, (body) => body.toReversed()),
  },
  {
    requirement: 'history',
    problem: 'ignores its limit',
    reason: 'limit=2 returned 4 checks',
    fault: () => ({
      rewrite: (call) => {
        if (HISTORY(call) && call.query.get('limit') === '2') call.query.delete('limit');
        return call;
      },
    }),
  },
  {
    requirement: 'history',
    problem: 'has the checks of all stages',
    reason: 'checks of another stage, or of all samples',
    fault: () => changes(inStage(HISTORY), (body) => body.map((check: Body) => ({ ...check, stage: null }))),
  },
  {
    requirement: 'history of all samples',
    problem: 'is invalid',
    reason: 'GET /drift/history: 0.driftScore',
    fault: () =>
      changes(ofAll(HISTORY), (body) => body.map((check: Body) => ({ ...check, driftScore: 'high' }))),
  },
  {
    requirement: 'history of a feature',
    problem: 'has another score',
    reason: 'featureScore of conformance_source is',
    fault: () =>
      changes(
        (call) => call.query.has('feature') && HISTORY(call),
        (body) => body.map((check: Body) => ({ ...check, featureScore: check.featureScore + 0.1 })),
      ),
  },
  {
    requirement: 'feature details',
    problem: 'have other contributions',
    reason: 'the sum of the contributions is',
    fault: () => changes(FEATURE, (body) => ({ ...body, bins: body.bins.slice(1) })),
  },
  {
    requirement: 'feature details',
    problem: 'are not sorted',
    reason: 'not sorted by contribution',
    fault: () => changes(FEATURE, (body) => ({ ...body, bins: body.bins.toReversed() })),
  },
  {
    requirement: 'feature details',
    problem: 'exist for an unknown feature',
    reason: 'an unknown feature returned HTTP 200 instead of 404',
    fault: () =>
      answers((call) => FEATURE(call) && call.query.get('feature') === 'conformance_unknown', 200, {}),
  },
  {
    requirement: 'feature settings',
    problem: 'have a negative weight',
    reason: 'GET /drift/features: features.0.weight',
    fault: () =>
      answers(to('/drift/features'), 200, { features: [{ feature: 'a', weight: -1, threshold: null }] }),
  },
  {
    requirement: 'stages',
    problem: 'are not sorted',
    reason: 'not sorted by name',
    fault: () => changes(STAGES, (body) => body.toReversed()),
  },
  {
    requirement: 'stages',
    problem: 'lack one with samples',
    reason: 'a stage with samples is not listed',
    fault: () => changes(STAGES, (body) => body.slice(1)),
  },
  {
    requirement: 'remove samples',
    problem: 'removes nothing',
    reason: 'GET /drift/status for a stage without samples returned HTTP 200 instead of 404',
    fault: () => ({ rewrite: (call) => (call.method === 'DELETE' ? null : call) }),
  },
];
