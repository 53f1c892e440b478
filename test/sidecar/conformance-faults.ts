import type { Body, SidecarCall, SidecarFault } from '../support/faulty-sidecar.ts';

/** A fault, and the only requirement that it violates. */
export interface FaultCase {
  requirement: string;
  problem: string;
  /** Text in the reason. */
  reason: string;
  fault(): SidecarFault;
}

const isInStage = ({ query, body }: SidecarCall): boolean =>
  query.has('stage') || body.includes('"stage":"conformance-');

type Selector = (call: SidecarCall) => boolean;

const to =
  (path: string, method = 'GET'): Selector =>
  (call) =>
    call.path === path && call.method === method;
const inStage =
  (selector: Selector): Selector =>
  (call) =>
    selector(call) && isInStage(call);
const ofAll =
  (selector: Selector): Selector =>
  (call) =>
    selector(call) && !isInStage(call);

/** Replaces the status and the body of the selected responses. */
const answers = (selector: Selector, status: number, body: Body): SidecarFault => ({
  respond: (call, response) => (selector(call) ? { status, body } : response),
});

/** Changes the body of the selected successful responses. */
const changes = (selector: Selector, change: (body: Body) => Body): SidecarFault => ({
  respond: (call, response) =>
    selector(call) && response.status === 200 ? { status: 200, body: change(response.body) } : response,
});

const last = (body: Body, change: (feature: Body) => object): Body => ({
  ...body,
  featureDrifts: body.featureDrifts.map((feature: Body, index: number, all: Body[]) =>
    index === all.length - 1 ? { ...feature, ...change(feature) } : feature,
  ),
});

const STATUS = to('/drift/status');
const CHECK = to('/drift/check', 'POST');
const SAMPLES = to('/samples', 'POST');
const HISTORY = to('/drift/history');
const FEATURE = to('/drift/feature');
const STAGES = to('/drift/stages');

export const FAULTS: FaultCase[] = [
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
    fault() {
      let hasSamples = false;
      return {
        respond(call, response) {
          hasSamples ||= SAMPLES(call) && response.status === 200;
          const body = { success: true, driftScore: 0, isDrifted: false, featureDrifts: [] };
          return CHECK(call) && response.status === 404 && !hasSamples ? { status: 200, body } : response;
        },
      };
    },
  },
  {
    requirement: 'unknown stage',
    problem: 'is an error without a message',
    reason: 'GET /drift/status: error',
    fault() {
      let hasSamples = false;
      return {
        respond(call, response) {
          hasSamples ||= SAMPLES(call) && response.status === 200;
          const isUnknown = STATUS(call) && response.status === 404 && !hasSamples;
          return isUnknown ? { status: 404, body: { detail: 'Not Found' } } : response;
        },
      };
    },
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
    reason: '10 + 10 rows instead of 40 + 40',
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
    reason: 'rows of feature residual are not 40 + 40',
    fault: () =>
      changes(inStage(STATUS), (body) => last(body, () => ({ rows: { reference: 41, current: 40 } }))),
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
