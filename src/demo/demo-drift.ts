import type { z } from 'zod';
import { AppError } from '../errors/app-error.ts';
import { checkResponse, historyResponse, statusResponse } from '../features/drift/sidecar.responses.ts';
import { systemWait } from '../platform/abortable-wait.ts';
import type { Logger } from '../platform/logger.ts';
import { type SidecarAddress, sidecarAuthorization } from '../platform/sidecar-address.ts';
import { PREDICTION, RESIDUAL } from '../sidecar/samples/samples.types.ts';
import {
  DEMO_FEATURES,
  DEMO_STAGES,
  type DemoSamples,
  demoReference,
  demoRounds,
  SHIFTED_STAGE,
} from './drift-samples.ts';

/** Timeout of a request to the sidecar. */
const TIMEOUT_MS = 30_000;
/** Maximum time until a sidecar that was just started responds. */
const START_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 200;
/** Drift score of the shifted stage that only the last round exceeds. */
const SHIFTED_SCORE = 0.15;

/**
 * Result of a seeding: the samples were loaded, all of them existed already (`already_loaded`), or the sidecar contains other
 * samples and was not changed (`other_samples`).
 */
export type DriftSeeding = 'loaded' | 'already_loaded' | 'other_samples';

/** Creates a client of the sidecar's public API (contract 9). */
function sidecarAt({ url, token }: SidecarAddress, signal: AbortSignal | undefined) {
  async function request(method: string, path: string, body?: unknown): Promise<unknown> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url + path, {
      method,
      headers: {
        ...sidecarAuthorization({ token }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    }).catch((error: unknown) => {
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `The sidecar at ${url} is unreachable; check that it is running.`,
        { cause: error },
      );
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The sidecar returned HTTP ${response.status} for ${method} ${path}.`,
    );
  }
  const read = async <S extends z.ZodType>(schema: S, ...args: Parameters<typeof request>) =>
    schema.parse(await request(...args));

  return {
    health: () => request('GET', '/health'),
    status: () => read(statusResponse, 'GET', '/drift/status'),
    history: (stage?: string) =>
      read(historyResponse, 'GET', `/drift/history?limit=200${stage === undefined ? '' : `&stage=${stage}`}`),
    check: (stage?: string) => read(checkResponse, 'POST', '/drift/check', { stage }),
    add: (samples: DemoSamples) => request('POST', '/samples', samples),
    remove: (set: string, stage: string) => request('DELETE', `/samples?set=${set}&stage=${stage}`),
  };
}

type Sidecar = ReturnType<typeof sidecarAt>;

/** Returns the features of the sidecar's samples. A new check is needed because the status is that of the latest one. */
async function presentFeatures(sidecar: Sidecar): Promise<string[]> {
  const checked = (await sidecar.history()).some(({ stage }) => stage === null);
  const { featureDrifts } = checked ? await sidecar.check() : await sidecar.status();
  return featureDrifts.map(({ feature }) => feature);
}

/**
 * Loads the demo samples into a sidecar and runs a check after each round, so that status and history have content.
 * Replaces the samples of an interrupted seeding, and changes nothing if all demo samples or other samples exist.
 *
 * @throws AppError SERVICE_UNAVAILABLE
 */
export async function seedDrift(address: SidecarAddress, signal?: AbortSignal): Promise<DriftSeeding> {
  const sidecar = sidecarAt(address, signal);
  const past = await sidecar.history(SHIFTED_STAGE);
  // Only the final check of a complete seeding has this score.
  if (past.some(({ driftScore }) => driftScore > SHIFTED_SCORE)) return 'already_loaded';

  const present = await presentFeatures(sidecar);
  const demoFeatures = [...DEMO_FEATURES, PREDICTION, RESIDUAL];
  if (present.some((feature) => !demoFeatures.includes(feature))) return 'other_samples';
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

/** Runs `seedDrift` in the background once the sidecar responds. A failure is logged; the next start retries. */
export function seedDriftInBackground(address: SidecarAddress, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const done = waitUntilUp(address, signal)
    .then(() => seedDrift(address, signal))
    .then((outcome) => log.info({ outcome }, 'seeded the drift samples'))
    .catch((error: unknown) => {
      if (!signal.aborted)
        log.warn({ err: error }, 'failed to load the demo samples into the sidecar; the next start retries');
    });
  return {
    stop() {
      stopping.abort();
      return done;
    },
  };
}

async function waitUntilUp(address: SidecarAddress, signal: AbortSignal): Promise<void> {
  const sidecar = sidecarAt(address, signal);
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await sidecar.health();
      return;
    } catch (error) {
      if (signal.aborted || performance.now() > deadline) throw error;
      await systemWait(POLL_INTERVAL_MS, signal);
    }
  }
}
