import type { Body, SidecarFault } from '../support/faulty-sidecar.ts';
import {
  answers,
  CHECK,
  changes,
  type FaultCase,
  inStage,
  ofAll,
  type Selector,
  STATUS,
  to,
} from './conformance-fault.ts';

const SAMPLES = to('/samples', 'POST');

/** Replaces HTTP 404 of the selected calls until samples are stored. */
function beforeSamples(selector: Selector, status: number, body: Body): SidecarFault {
  let hasSamples = false;
  return {
    respond(call, response) {
      hasSamples ||= SAMPLES(call) && response.status === 200;
      return selector(call) && response.status === 404 && !hasSamples ? { status, body } : response;
    },
  };
}

/** Faults of access, of the status of all samples, and of samples. */
export const SAMPLE_FAULTS: FaultCase[] = [
  {
    requirement: 'health',
    problem: 'fails',
    reason: 'GET /health returned HTTP 500',
    fault: () => answers(to('/health'), 500, {}),
  },
  {
    requirement: 'health',
    problem: 'is not JSON',
    reason: 'not JSON',
    fault: () => answers(to('/health'), 200, 'OK'),
  },
  {
    requirement: 'token',
    problem: 'is not required',
    reason: 'GET /drift/status without a token returned HTTP 200',
    fault: () => answers((call) => STATUS(call) && !call.authorization, 200, {}),
  },
  {
    requirement: 'token',
    problem: 'is not compared',
    reason: 'POST /samples with a wrong token returned HTTP 422',
    fault: () => ({
      respond: (call, response) =>
        SAMPLES(call) && response.status === 401 && call.authorization ? { status: 422, body: {} } : response,
    }),
  },
  {
    requirement: 'status',
    problem: 'has no threshold',
    reason: 'GET /drift/status: threshold',
    fault: () => changes(ofAll(STATUS), ({ threshold, ...body }) => body),
  },
  {
    requirement: 'status',
    problem: 'has a score above 1',
    reason: 'GET /drift/status: driftScore',
    fault: () => changes(STATUS, (body) => ({ ...body, driftScore: 1.7 })),
  },
  {
    requirement: 'status',
    problem: 'contradicts its threshold',
    reason: 'isDrifted is',
    fault: () => changes(ofAll(STATUS), (body) => ({ ...body, isDrifted: !body.isDrifted })),
  },
  {
    requirement: 'status',
    problem: 'is too large',
    reason: 'GET /drift/status: the response exceeds 4000000 bytes',
    fault: () => changes(ofAll(STATUS), (body) => ({ ...body, padding: 'x'.repeat(4_000_000) })),
  },
  {
    requirement: 'unknown stage',
    problem: 'is not drifted',
    reason: 'POST /drift/check for a stage without samples returned HTTP 200 instead of 404',
    fault: () =>
      beforeSamples(CHECK, 200, { success: true, driftScore: 0, isDrifted: false, featureDrifts: [] }),
  },
  {
    requirement: 'unknown stage',
    problem: 'is an error without a message',
    reason: 'GET /drift/status: error',
    fault: () => beforeSamples(STATUS, 404, { detail: 'Not Found' }),
  },
  {
    requirement: 'samples',
    problem: 'are rejected',
    reason: 'POST /samples with valid rows returned HTTP 422',
    fault: () => ({
      respond: (call, response) =>
        SAMPLES(call) && response.status === 200 ? { status: 422, body: {} } : response,
    }),
  },
  {
    requirement: 'insufficient data',
    problem: 'counts as drift',
    reason: '10 rows per set have a drift score of 0.9',
    fault() {
      let requests = 0;
      return {
        respond(call, response) {
          if (SAMPLES(call) && response.status === 200) requests += 1;
          const body = { ...response.body, driftScore: 0.9, isDrifted: true };
          return inStage(STATUS)(call) && requests === 2 ? { status: 200, body } : response;
        },
      };
    },
  },
  {
    requirement: 'append samples',
    problem: 'does not append',
    reason: '10 + 10 rows instead of 400 + 400',
    fault() {
      let requests = 0;
      return {
        rewrite(call) {
          if (SAMPLES(call) && call.body.includes('"rows"')) requests += 1;
          return SAMPLES(call) && requests > 2 ? null : call;
        },
      };
    },
  },
  {
    requirement: 'all or none',
    problem: 'stores the valid rows',
    reason: 'stored the other rows',
    fault: () => ({
      rewrite: (call) => ({ ...call, body: call.body.replace(',{"prediction":"high"}', '') }),
      respond: (call, response) =>
        call.body.includes('"high"') ? { status: 422, body: { error: {} } } : response,
    }),
  },
  {
    requirement: 'all or none',
    problem: 'accepts the invalid row',
    reason: 'with an invalid last row returned HTTP 200 instead of 4xx',
    fault: () => answers((call) => call.body.includes('"high"'), 200, {}),
  },
  {
    requirement: 'invalid input',
    problem: 'is a server error',
    reason: 'POST /drift/check with a body that is not JSON returned HTTP 500 instead of 4xx',
    fault: () => answers((call) => call.body === '{"stage":', 500, {}),
  },
  {
    requirement: 'invalid input',
    problem: 'is accepted',
    reason: 'GET /drift/history with limit=many returned HTTP 200 instead of 4xx',
    fault: () => answers((call) => call.query.get('limit') === 'many', 200, []),
  },
];
