import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';

/** A request to the fake sidecar: its parameters, and its body if it has one. */
export interface SidecarRequest {
  query: Record<string, string>;
  body: Record<string, unknown>;
}

/** JSON, or a function that returns it, now or later; `undefined` is HTTP 404 in the format of the reference sidecar. */
export type SidecarAnswers = Record<string, unknown | ((request: SidecarRequest) => unknown)>;

/** Responses by path, and their status, by default 200. */
interface ServedAnswers {
  answers: SidecarAnswers;
  successStatus?: number;
}

/** Response of the fake sidecar: JSON by path, a status, text that is not JSON, or no response. */
export type SidecarBehaviour =
  | 'well'
  | 'hang'
  | 'reset'
  | { status: number }
  | { text: string }
  | ServedAnswers;

/** A real HTTP server that plays an ML sidecar, well or badly. */
export interface FakeSidecar {
  url: string;
  /** Method and path of every request, in order. */
  requests: string[];
  behave(behaviour: SidecarBehaviour): void;
  stop(): Promise<void>;
}

const AT = '2026-11-20T12:00:00.000Z';

const ROWS = { reference: 900, current: 300 };
const DETAIL = {
  ...{ noise: 0.09, significant: true, noData: false, rowsNeeded: 0 },
  coverage: { reference: 1, current: 0.9 },
};
const COMPONENT_DETAILS = { features: DETAIL, prediction: { ...DETAIL, significant: false }, outcome: null };
const COMPONENTS = { features: 0.31, prediction: 0.02, outcome: null };

/** Drift of a categorical feature, with every field. */
const VISITS = {
  feature: 'visits',
  score: 1.7,
  drifted: true,
  insufficientData: false,
  type: 'categorical',
  weight: 2,
  threshold: 0.5,
  rows: ROWS,
  missing: { reference: 0, current: 0.25 },
  noise: 0.12,
  significant: true,
  rowsNeeded: 0,
  coverage: { reference: 1, current: 0.75 },
  jensenShannon: 0.4,
  noData: false,
  newCategoryShare: 0.3,
  newCategories: { count: 12, names: ['daily'] },
  vanishedCategories: { count: 0, names: [] },
};

export const STATUS = {
  stage: null,
  isDrifted: true,
  driftScore: 0.31,
  threshold: 0.2,
  method: 'psi',
  lastChecked: AT,
  components: COMPONENTS,
  componentDetails: COMPONENT_DETAILS,
  insufficientData: false,
  rows: ROWS,
  reference: 'fixed',
  featureDrifts: [
    VISITS,
    {
      ...VISITS,
      feature: 'prediction',
      score: 0.02,
      drifted: false,
      significant: false,
      type: 'numeric',
      weight: null,
    },
  ],
};

export const HISTORY = [
  { id: 'c2', driftScore: 0.31, isDrifted: true, stage: null },
  { id: 'c1', driftScore: 0.1, isDrifted: false, stage: 'trial' },
].map((check) => ({
  ...check,
  method: 'psi',
  checkedAt: AT,
  components: COMPONENTS,
  componentDetails: COMPONENT_DETAILS,
  insufficientData: false,
  rows: ROWS,
  reference: 'fixed',
  featureScore: null,
}));

export const FEATURE = {
  ...VISITS,
  bins: [
    {
      lower: null,
      upper: null,
      category: 'daily',
      missing: false,
      reference: { count: 0, share: 0 },
      current: { count: 75, share: 0.25 },
      contribution: 1.6,
    },
  ],
  otherCategories: { count: 11, contribution: 0.1 },
  wasserstein: null,
  outOfRange: null,
};

export const CHECK = {
  success: true,
  driftScore: 0.31,
  isDrifted: true,
  threshold: 0.2,
  components: COMPONENTS,
  componentDetails: COMPONENT_DETAILS,
  insufficientData: false,
  rows: ROWS,
  reference: 'fixed',
  at: null,
};

export const STAGES = [{ stage: 'trial', rows: ROWS }];

export const PERFORMANCE = {
  isProbabilistic: true,
  weeks: [
    {
      ...{ week: '2026-11-16T00:00:00.000Z', rows: 300, outcomes: 0, calibrationError: null },
      ...{ auc: null, accuracy: null, estimatedAccuracy: 0.8 },
    },
  ],
};

export const SETTINGS = [{ feature: 'visits', weight: 2, threshold: 0.5 }];

const hasSamples = (stage: unknown): boolean => stage === undefined || stage === 'trial';

/** Responses of a healthy sidecar whose only stage is `trial`. */
export const WELL: SidecarAnswers = {
  '/health': { status: 'ok', modelVersion: 'm-7' },
  '/drift/status': ({ query: { stage } }: SidecarRequest) =>
    hasSamples(stage) ? { ...STATUS, stage: stage ?? null } : undefined,
  '/drift/history': HISTORY,
  '/drift/check': ({ body: { stage } }: SidecarRequest) =>
    hasSamples(stage)
      ? { ...CHECK, id: 'c3', checkedAt: AT, stage: stage ?? null, featureDrifts: [] }
      : undefined,
  '/drift/feature': ({ query: { feature, stage } }: SidecarRequest) =>
    hasSamples(stage) && feature !== 'nope' ? { ...FEATURE, feature } : undefined,
  '/drift/performance': ({ query: { stage } }: SidecarRequest) =>
    hasSamples(stage) ? PERFORMANCE : undefined,
  '/drift/stages': STAGES,
  '/drift/features': ({ body }: SidecarRequest) => ({ features: body.features ?? SETTINGS }),
};

export const NOT_FOUND = { error: { code: 'NOT_FOUND', message: 'No samples for stage `nope`.' } };

export async function startFakeSidecar(): Promise<FakeSidecar> {
  let behaviour: SidecarBehaviour = 'well';
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (behaviour === 'hang') return void request.resume();
    if (behaviour === 'reset') return void response.socket?.resetAndDestroy();
    const json = { 'content-type': 'application/json' };
    const { pathname: path, searchParams } = new URL(request.url ?? '', 'http://sidecar');
    const sent = await readText(request);
    if (typeof behaviour === 'object' && 'status' in behaviour)
      return void response.writeHead(behaviour.status, json).end('{}');
    if (typeof behaviour === 'object' && 'text' in behaviour)
      return void response.writeHead(200, { 'content-type': 'text/html' }).end(behaviour.text);
    const { answers, successStatus = 200 }: ServedAnswers =
      behaviour === 'well' ? { answers: WELL } : (behaviour as ServedAnswers);
    const answer = answers[path];
    const content =
      typeof answer === 'function'
        ? await answer({ query: Object.fromEntries(searchParams), body: sent === '' ? {} : JSON.parse(sent) })
        : answer;
    if (content !== undefined)
      return void response.writeHead(successStatus, json).end(JSON.stringify(content));
    response.writeHead(404, json).end(JSON.stringify(NOT_FOUND));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    behave(next) {
      behaviour = next;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
