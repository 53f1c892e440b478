import type { z } from 'zod';
import { AppError } from '../errors.ts';
import { checkResponse, historyResponse, statusResponse } from '../features/drift/sidecar.responses.ts';
import type { Logger } from '../platform/logger.ts';
import { systemWait } from '../platform/wait.ts';
import { PREDICTION, RESIDUAL } from '../sidecar/samples/samples.types.ts';
import {
  DEMO_FEATURES,
  DEMO_STAGES,
  type DemoSamples,
  demoReference,
  demoRounds,
  SHIFTED_STAGE,
} from './drift-samples.ts';

/** A request that takes longer has no hope. Milliseconds. */
const TIMEOUT_MS = 30_000;
/** How long a sidecar that has just been started may take to answer, and between two questions. Milliseconds. */
const START_MS = 30_000;
const POLL_MS = 200;
/** A score of the shifted stage that only the last round brings about. */
const SHIFTED_SCORE = 0.15;

/** What a seeding came to: samples were loaded, all of them were there, or others are and stay alone. */
export type DriftSeeding = 'loaded' | 'there' | 'own_samples';

/** A sidecar by its public contract (contract 9). */
function sidecarAt(url: string, signal: AbortSignal | undefined) {
  async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url + path, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    }).catch((error: unknown) => {
      throw new AppError('SERVICE_UNAVAILABLE', `The sidecar at ${url} cannot be reached.`, { cause: error });
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The sidecar answered ${response.status} to ${method} ${path}.`,
    );
  }
  const read = async <S extends z.ZodType>(schema: S, ...request: Parameters<typeof ask>) =>
    schema.parse(await ask(...request));

  return {
    health: () => ask('GET', '/health'),
    status: () => read(statusResponse, 'GET', '/drift/status'),
    history: (stage?: string) =>
      read(historyResponse, 'GET', `/drift/history?limit=200${stage === undefined ? '' : `&stage=${stage}`}`),
    check: (stage?: string) => read(checkResponse, 'POST', '/drift/check', { stage }),
    add: (samples: DemoSamples) => ask('POST', '/samples', samples),
    remove: (set: string, stage: string) => ask('DELETE', `/samples?set=${set}&stage=${stage}`),
  };
}

type Sidecar = ReturnType<typeof sidecarAt>;

/** What the samples name that the sidecar has at this moment. A status is of the latest check, whatever came since. */
async function presentFeatures(sidecar: Sidecar): Promise<string[]> {
  const checked = (await sidecar.history()).some(({ stage }) => stage === null);
  const { featureDrifts } = checked ? await sidecar.check() : await sidecar.status();
  return featureDrifts.map(({ feature }) => feature);
}

/**
 * Gives a sidecar scored people of the demo's funnel, and lets it check them as they come, so that status and history
 * have something to say. Once: what was loaded in part, because a start was cut off, is loaded anew, and samples that
 * are not the demo's are left alone.
 * @throws AppError SERVICE_UNAVAILABLE
 */
export async function seedDrift(url: string, signal?: AbortSignal): Promise<DriftSeeding> {
  const sidecar = sidecarAt(url, signal);
  const past = await sidecar.history(SHIFTED_STAGE);
  // The last of all checks that are made here.
  if (past.some(({ driftScore }) => driftScore > SHIFTED_SCORE)) return 'there';

  const present = await presentFeatures(sidecar);
  const ours = [...DEMO_FEATURES, PREDICTION, RESIDUAL];
  if (present.some((feature) => !ours.includes(feature))) return 'own_samples';
  if (present.length > 0) {
    for (const set of ['reference', 'current'])
      for (const stage of DEMO_STAGES) await sidecar.remove(set, stage);
  }

  for (const samples of demoReference()) await sidecar.add(samples);
  const others = DEMO_STAGES.filter((stage) => stage !== SHIFTED_STAGE);
  for (const round of demoRounds()) {
    for (const samples of round) await sidecar.add(samples);
    for (const stage of [undefined, ...others, SHIFTED_STAGE]) await sidecar.check(stage);
  }
  return 'loaded';
}

/**
 * Does so beside everything else, as soon as a sidecar that was just started answers. A failure is logged, and the
 * next start tries again.
 */
export function seedDriftInBackground(url: string, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const done = untilUp(url, signal)
    .then(() => seedDrift(url, signal))
    .then((outcome) => log.info({ outcome }, 'demo samples for the drift monitoring'))
    .catch((error: unknown) => {
      if (!signal.aborted) log.warn({ err: error }, 'the demo samples could not be loaded into the sidecar');
    });
  return {
    stop() {
      stopping.abort();
      return done;
    },
  };
}

async function untilUp(url: string, signal: AbortSignal): Promise<void> {
  const sidecar = sidecarAt(url, signal);
  const deadline = performance.now() + START_MS;
  for (;;) {
    try {
      await sidecar.health();
      return;
    } catch (error) {
      if (signal.aborted || performance.now() > deadline) throw error;
      await systemWait(POLL_MS, signal);
    }
  }
}
