import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { SampleSet } from '../samples/samples.types.ts';

/** A request that takes longer has no hope. Milliseconds. */
const TIMEOUT_MS = 60_000;

const Refusal = z.object({
  error: z.object({
    message: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
});

interface Samples {
  set: SampleSet;
  stage: string | null;
  /** Each a row as JSON. */
  rows: readonly string[];
}

/**
 * Sends rows to a sidecar, which stores all of them or none.
 * @throws AppError SERVICE_UNAVAILABLE when it cannot be reached; VALIDATION_FAILED when it refuses them
 */
export async function sendSamples(url: string, { set, stage, rows }: Samples): Promise<void> {
  const envelope = JSON.stringify({ set, stage }).slice(0, -1);
  const body = `${envelope},"rows":[${rows.join(',')}]}`;
  const response = await fetch(`${url}/samples`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new AppError('SERVICE_UNAVAILABLE', `The sidecar at ${url} cannot be reached.`, { cause: error });
  });
  if (response.ok) {
    await response.body?.cancel();
    return;
  }
  const refusal = Refusal.safeParse(await response.json().catch(() => null));
  const code = response.status < 500 ? 'VALIDATION_FAILED' : 'SERVICE_UNAVAILABLE';
  throw new AppError(
    code,
    `The sidecar answered ${response.status}: ${refusal.data?.error.message ?? 'no reason given.'}`,
    {
      details: refusal.data?.error.details,
    },
  );
}
