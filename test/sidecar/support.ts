import mongoose from 'mongoose';
import type { CurrentWindow, OutcomeDelay, ReferenceSetting } from '../../src/config/values.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { sidecarAuthorization } from '../../src/platform/sidecar-address.ts';
import { startSidecar } from '../../src/sidecar/api/sidecar-server.ts';
import { type SampleRow as Row, type SampleSet, SETS } from '../../src/sidecar/samples/samples.types.ts';
import { sidecarDatabaseName } from '../../src/sidecar/sidecar-database-name.ts';
import type { Answer, Json } from '../support/app.ts';
import { type Running, startCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';

/** A sidecar over a real database and real sockets. */
export interface TestSidecar {
  url: string;
  token: string | null;
  mongodbUri: string;
  /** Sends JSON, or bytes as they are. */
  request<T = Json>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>;
  /** Adds rows, which must be taken. */
  add(set: SampleSet, stage: string | null, rows: readonly Row[]): Promise<void>;
  check(stage?: string): Promise<CheckAnswer>;
  /** Removes all samples. */
  clear(): Promise<void>;
  /** Its own database. */
  db: mongoose.mongo.Db;
  /** Stops it; the data stay. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export type { FeatureBins } from '../../src/sidecar/psi/feature-bins.ts';
export type { ValueComparison } from '../../src/sidecar/psi/value-comparison.ts';
export type { Row };

export interface Feature {
  feature: string;
  score: number;
  drifted: boolean;
  insufficientData?: boolean;
  type: 'numeric' | 'categorical';
  weight?: number;
  threshold: number;
  rows: { reference: number; current: number };
  missing: { reference: number; current: number };
  noise: number;
  significant: boolean;
  jensenShannon: number;
  noData: boolean;
  newCategoryShare: number;
  rowsNeeded: number;
  coverage: { reference: number; current: number };
  newCategories: { count: number; names: string[] };
  vanishedCategories: { count: number; names: string[] };
}

export interface Report {
  driftScore: number;
  isDrifted: boolean;
  threshold: number;
  components: { features: number | null; prediction: number | null; outcome: number | null };
  componentDetails: Record<
    'features' | 'prediction' | 'outcome',
    Pick<Feature, 'noise' | 'significant' | 'noData' | 'rowsNeeded' | 'coverage'> | null
  >;
  insufficientData: boolean;
  rows: { reference: number; current: number };
  featureDrifts: Feature[];
  stage: string | null;
}

export interface CheckAnswer extends Report {
  success: boolean;
  id: string;
  checkedAt: string;
}

export interface TestSidecarOptions {
  mongodbUri?: string;
  threshold?: number;
  /** Thresholds of single models. */
  modelThresholds?: Record<string, number>;
  /** Token that it requires; none by default. */
  token?: string;
  currentWindow?: CurrentWindow;
  outcomeDelay?: OutcomeDelay;
  reference?: ReferenceSetting;
  /** Where to listen; without it, wherever is free. */
  port?: number;
  /** Loopback unless specified. */
  host?: string;
}

/** Starts a sidecar; with the connection string of another one, on its data. */
export async function startTestSidecar(options: TestSidecarOptions = {}): Promise<TestSidecar> {
  const { mongodbUri = freshDatabase(), port = 0, host, token = null } = options;
  const {
    threshold: general = 0.2,
    modelThresholds: models = {},
    currentWindow = null,
    outcomeDelay = null,
    reference = { general: 'fixed', named: {} },
  } = options;
  const log = createLogger('silent');
  const settings = { threshold: { general, models }, currentWindow, outcomeDelay, reference };
  const sidecar = await startSidecar({ mongodbUri, port, host, token, ...settings, log });
  const client = new mongoose.mongo.MongoClient(mongodbUri);
  const db = client.db(sidecarDatabaseName(new URL(mongodbUri).pathname.slice(1)));

  async function request<T = Json>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(sidecar.url + path, {
      method,
      headers: {
        ...sidecarAuthorization({ token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as T };
  }

  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= sidecar.stop().then(() => client.close());
    return stopped;
  };
  return {
    url: sidecar.url,
    token,
    mongodbUri,
    request,
    async add(set, stage, rows) {
      const { status, body } = await request('POST', '/samples', { set, stage, rows });
      if (status !== 200) throw new Error(JSON.stringify(body));
    },
    async check(stage) {
      const { status, body } = await request<CheckAnswer>(
        'POST',
        '/drift/check',
        stage === undefined ? {} : { stage },
      );
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body;
    },
    async clear() {
      for (const set of SETS) await request('DELETE', `/samples?set=${set}`);
    },
    db,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Starts the command `sidecar` on a free port, and waits for its address. */
export async function startSidecarCommand(
  env: Record<string, string>,
): Promise<{ command: Running; url: string }> {
  const command = startCommand(['sidecar', '--port', '0', '--json'], env);
  const [, url = ''] = await command.printed(/"url": "(.*)"/);
  return { command, url };
}

/** Numbers that are the same at every run. */
export function* random(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    yield state / 4_294_967_296;
  }
}

/** Rows with two features, a prediction around one half, and an outcome in most of them. */
export function someRows(count: number, seed: number, shift = 0): Row[] {
  const numbers = random(seed);
  const next = () => numbers.next().value;
  return Array.from({ length: count }, () => ({
    features: {
      age: Math.round(20 + 40 * next() + shift),
      source: next() < 0.5 + shift / 100 ? 'ads' : 'mail',
    },
    prediction: next(),
    outcome: next() < 0.1 ? null : Math.round(next()),
  }));
}
