import { type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { AppError } from '../../errors/app-error.ts';
import { DEFAULT_MODEL, type SidecarAddress, sidecarAuthorization } from '../../platform/sidecar-address.ts';
import { COLUMNS_TYPE, PREFER_PROCESSING, writeColumnsBody } from '../samples/columns-body.ts';
import type { SampleColumns, SampleSet } from '../samples/samples.types.ts';
import { jsonBodies } from './json-bodies.ts';

const TIMEOUT_MS = 60_000;
const JSON_TYPE = 'application/json';
/** Responses of a sidecar that does not know the columns: rejected as a media type, or as JSON. */
const COLUMNS_REJECTED = [400, 415, 422];

/** Error codes of a connection that broke during a request. */
const INTERRUPTED = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT'];

/** Informational response of the reference sidecar: it has read the rows and queued them. */
const PROCESSING = 102;

const ErrorResponse = z.object({
  error: z.object({
    message: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
});

type Response = Dispatcher.ResponseData;

/** A request in progress. */
interface Sending {
  /** Resolves once the sidecar has queued the rows, so that it stores later requests after them; at the latest with `stored`. */
  queued: Promise<void>;
  stored: Promise<void>;
}

/** A request that has ended. */
export const SENT: Sending = { queued: Promise.resolve(), stored: Promise.resolve() };

/** Format of the request bodies: `COLUMNS_TYPE`, or JSON for a sidecar that does not accept it. */
export type SentFormat = 'columns' | 'json';

interface SenderOptions {
  sidecar: SidecarAddress;
  set: SampleSet;
  model: string;
}

/** Creates a sender of rows to a sidecar, which stores all rows of a request or none. */
export function createSampleSender({ sidecar, set, model }: SenderOptions) {
  // The default model is not named, so that every sidecar accepts the request.
  const query = model === DEFAULT_MODEL ? '' : `?${new URLSearchParams({ model })}`;
  let format: SentFormat | null = null;
  let stored = 0;
  let requests = 0;
  const stages: Record<string, number> = Object.create(null);

  /** @param onQueued called if the sidecar has queued the rows and accepts the next request */
  async function post(type: string, body: string | Uint8Array, onQueued = () => {}): Promise<Response> {
    requests += 1;
    return request(`${sidecar.url}/samples${query}`, {
      method: 'POST',
      headers: {
        'content-type': type,
        ...(type === COLUMNS_TYPE ? { prefer: PREFER_PROCESSING } : {}),
        ...sidecarAuthorization(sidecar),
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      onInfo: ({ statusCode }) => {
        if (statusCode === PROCESSING) onQueued();
      },
    }).catch((error: unknown) => {
      throw connectionError(sidecar.url, error);
    });
  }

  function addStored(stage: string | null, rows: number): void {
    stored += rows;
    stages[stage ?? ''] = (stages[stage ?? ''] ?? 0) + rows;
  }

  async function sendJson(stage: string | null, columns: SampleColumns): Promise<void> {
    for (const { rows, body } of jsonBodies({ set, stage }, columns)) {
      await requireSuccess(await post(JSON_TYPE, body));
      addStored(stage, rows);
    }
  }

  /** Sends columns or, if the sidecar rejects the first such request, JSON. */
  async function store(stage: string | null, columns: SampleColumns, onQueued: () => void): Promise<void> {
    if (format !== 'json') {
      const response = await post(COLUMNS_TYPE, writeColumnsBody({ set, stage }, columns), onQueued);
      if (format === 'columns' || !COLUMNS_REJECTED.includes(response.statusCode)) {
        await requireSuccess(response);
        format = 'columns';
        addStored(stage, columns.rows);
        return;
      }
      await response.body.dump();
      format = 'json';
    }
    await sendJson(stage, columns);
  }

  return {
    /**
     * Sends the rows of a stage.
     * @returns `stored` rejects with an AppError: SERVICE_UNAVAILABLE if the sidecar is unreachable or fails,
     *   VALIDATION_FAILED if it rejects the rows
     */
    send(stage: string | null, columns: SampleColumns): Sending {
      const queued = Promise.withResolvers<void>();
      const stored = store(stage, columns, queued.resolve);
      stored.then(queued.resolve, queued.resolve); // a failure is handled where `stored` is awaited
      return { queued: queued.promise, stored };
    },

    /** Returns the number of stored rows. */
    stored: (): number => stored,
    /** Returns the number of stored rows by stage; '' for rows without one. */
    storedByStage: (): Record<string, number> => stages,
    requests: (): number => requests,
    /** Returns null before the first request. */
    format: (): SentFormat | null => format,
  };
}

/** @throws AppError */
async function requireSuccess(response: Response): Promise<void> {
  const { statusCode, body } = response;
  if (statusCode >= 200 && statusCode < 300) {
    await body.dump();
    return;
  }
  const error = ErrorResponse.safeParse(await body.json().catch(() => null)).data?.error;
  const code = statusCode < 500 ? 'VALIDATION_FAILED' : 'SERVICE_UNAVAILABLE';
  throw new AppError(
    code,
    `The sidecar responded with HTTP ${statusCode}: ${error?.message ?? 'no error message.'}`,
    { details: error?.details },
  );
}

/** Describes a failed request. If the connection broke or timed out, the sidecar may have stored the rows. */
function connectionError(url: string, error: unknown): AppError {
  const { name, code = '' } = error as Error & { code?: string };
  const interrupted = name === 'TimeoutError' || INTERRUPTED.includes(code);
  const message = interrupted
    ? `The sidecar at ${url} did not respond to a request; it may have stored the rows of that request.`
    : `The sidecar at ${url} is unreachable.`;
  return new AppError('SERVICE_UNAVAILABLE', message, { cause: error });
}
