import type { z } from 'zod';
import { AppError } from '../errors/app-error.ts';
import { checkResponse, historyResponse, statusResponse } from '../features/drift/sidecar.responses.ts';
import { type SidecarAddress, sidecarAuthorization } from '../platform/sidecar-address.ts';
import { PREDICTION, RESIDUAL } from '../sidecar/samples/samples.types.ts';
import {
  DEMO_FEATURES,
  DEMO_STAGES,
  type DemoSamples,
  demoCurrent,
  demoReference,
  SHIFTED_STAGE,
} from './drift-samples.ts';

const TIMEOUT_MS = 30_000;

/**
 * Result of a seeding: the samples were loaded, all of them existed already (`already_loaded`), or the sidecar has other
 * samples and was not changed (`other_samples`).
 */
export type DriftSeeding = 'loaded' | 'already_loaded' | 'other_samples';

/** Creates a client of the sidecar's public API (contract 9). */
function sidecarAt({ url, token }: SidecarAddress) {
  async function request(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...sidecarAuthorization({ token }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
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
    status: () => read(statusResponse, 'GET', '/drift/status'),
    history: (stage?: string) =>
      read(historyResponse, 'GET', `/drift/history?limit=200${stage === undefined ? '' : `&stage=${stage}`}`),
    check: (stage?: string) => read(checkResponse, 'POST', '/drift/check', { stage }),
    add: (samples: DemoSamples) => request('POST', '/samples', samples),
    remove: (set: string, stage: string) => request('DELETE', `/samples?set=${set}&stage=${stage}`),
  };
}

type Sidecar = ReturnType<typeof sidecarAt>;

/** Returns the features of the sidecar's samples. Runs a check first: the status is a snapshot of the latest check. */
async function presentFeatures(sidecar: Sidecar): Promise<string[]> {
  const checked = (await sidecar.history()).some(({ stage }) => stage === null);
  const { featureDrifts } = checked ? await sidecar.check() : await sidecar.status();
  return featureDrifts.map(({ feature }) => feature);
}

/**
 * Loads the demo samples into a sidecar, and checks all samples and every stage, so that status and history have
 * content. Replaces the samples of an interrupted seeding, and changes nothing if all demo samples or other samples
 * exist.
 *
 * @throws AppError SERVICE_UNAVAILABLE
 */
export async function seedDrift(address: SidecarAddress): Promise<DriftSeeding> {
  const sidecar = sidecarAt(address);
  // The last step of a seeding: a history of this stage means that the seeding is complete.
  if ((await sidecar.history(SHIFTED_STAGE)).length > 0) return 'already_loaded';

  const present = await presentFeatures(sidecar);
  const demoFeatures = [...DEMO_FEATURES, PREDICTION, RESIDUAL];
  if (present.some((feature) => !demoFeatures.includes(feature))) return 'other_samples';
  if (present.length > 0) {
    for (const set of ['reference', 'current'])
      for (const stage of DEMO_STAGES) await sidecar.remove(set, stage);
  }

  for (const samples of [...demoReference(), ...demoCurrent()]) await sidecar.add(samples);
  const others = DEMO_STAGES.filter((stage) => stage !== SHIFTED_STAGE);
  for (const stage of [undefined, ...others, SHIFTED_STAGE]) await sidecar.check(stage);
  return 'loaded';
}
