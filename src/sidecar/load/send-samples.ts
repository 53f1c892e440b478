import { z } from 'zod';
import { AppError } from '../../errors/app-error.ts';
import { type SidecarAddress, sidecarAuthorization } from '../../platform/sidecar-address.ts';
import type { SampleSet } from '../samples/samples.types.ts';

const TIMEOUT_MS = 60_000;

const ErrorResponse = z.object({
  error: z.object({
    message: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
});

interface Samples {
  set: SampleSet;
  stage: string | null;
  /** Rows as JSON texts. */
  rows: readonly string[];
}

/**
 * Sends rows to a sidecar, which stores all of them or none.
 * @throws AppError SERVICE_UNAVAILABLE if the sidecar is unreachable or fails; VALIDATION_FAILED if it rejects the rows
 */
export async function sendSamples(address: SidecarAddress, { set, stage, rows }: Samples): Promise<void> {
  const envelope = JSON.stringify({ set, stage }).slice(0, -1);
  const body = `${envelope},"rows":[${rows.join(',')}]}`;
  const response = await fetch(`${address.url}/samples`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...sidecarAuthorization(address) },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new AppError('SERVICE_UNAVAILABLE', `The sidecar at ${address.url} is unreachable.`, {
      cause: error,
    });
  });
  if (response.ok) {
    await response.body?.cancel();
    return;
  }
  const error = ErrorResponse.safeParse(await response.json().catch(() => null)).data?.error;
  const code = response.status < 500 ? 'VALIDATION_FAILED' : 'SERVICE_UNAVAILABLE';
  throw new AppError(
    code,
    `The sidecar responded with HTTP ${response.status}: ${error?.message ?? 'no error message.'}`,
    { details: error?.details },
  );
}
