import { z } from 'zod';
import { AppError } from '../../errors/app-error.ts';
import { COLUMNS_TYPE, type SampleColumns, writeColumnsBody } from '../samples/columns-body.ts';
import type { SampleSet } from '../samples/samples.types.ts';
import { jsonBodies } from './json-bodies.ts';

const TIMEOUT_MS = 60_000;
const JSON_TYPE = 'application/json';
/** Responses of a sidecar that does not know the columns: rejected as a media type, or as JSON. */
const COLUMNS_REJECTED = [400, 415, 422];

/** Error codes of a connection that broke during a request. */
const INTERRUPTED = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT'];

const ErrorResponse = z.object({
  error: z.object({
    message: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
});

/** Format of the request bodies: `COLUMNS_TYPE`, or JSON for a sidecar that does not accept it. */
export type SentFormat = 'columns' | 'json';

interface SenderOptions {
  /** Base URL of the sidecar. */
  url: string;
  set: SampleSet;
}

/** Creates a sender of rows to a sidecar, which stores all rows of a request or none. */
export function createSampleSender({ url, set }: SenderOptions) {
  let format: SentFormat | null = null;
  let stored = 0;
  let requests = 0;

  async function post(type: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> {
    requests += 1;
    return fetch(`${url}/samples`, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw connectionError(url, error);
    });
  }

  async function sendJson(stage: string | null, columns: SampleColumns): Promise<void> {
    for (const { rows, body } of jsonBodies({ set, stage }, columns)) {
      await requireSuccess(await post(JSON_TYPE, body));
      stored += rows;
    }
  }

  return {
    /**
     * Sends the rows of a stage: as columns or, if the sidecar rejects the first such request, in JSON.
     * @throws AppError SERVICE_UNAVAILABLE if the sidecar is unreachable or fails; VALIDATION_FAILED if it rejects the
     *   rows
     */
    async send(stage: string | null, columns: SampleColumns): Promise<void> {
      if (format !== 'json') {
        const response = await post(COLUMNS_TYPE, writeColumnsBody({ set, stage }, columns));
        if (format === 'columns' || !COLUMNS_REJECTED.includes(response.status)) {
          await requireSuccess(response);
          format = 'columns';
          stored += columns.rows;
          return;
        }
        await response.body?.cancel();
        format = 'json';
      }
      await sendJson(stage, columns);
    },

    /** Returns the number of stored rows. */
    stored: (): number => stored,
    requests: (): number => requests,
    /** Returns null before the first request. */
    format: (): SentFormat | null => format,
  };
}

/** @throws AppError */
async function requireSuccess(response: Response): Promise<void> {
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

/** Describes a failed request. If the connection broke or timed out, the sidecar may have stored the rows. */
function connectionError(url: string, error: unknown): AppError {
  const { code = '' } = ((error as Error).cause ?? {}) as { code?: string };
  const interrupted = (error as Error).name === 'TimeoutError' || INTERRUPTED.includes(code);
  const message = interrupted
    ? `The sidecar at ${url} did not respond to a request; it may have stored the rows of that request.`
    : `The sidecar at ${url} is unreachable.`;
  return new AppError('SERVICE_UNAVAILABLE', message, { cause: error });
}
