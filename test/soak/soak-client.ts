import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConnectionError } from '../../packages/client/src/errors.ts';
import { retryDelayMs } from '../../packages/client/src/transport/retry-policy.ts';

const TIMEOUT_MS = 30_000;
/** Enough for a step-down and the restart of a process in a row. */
const MAX_RETRIES = 12;

export interface SoakRequest {
  path: string;
  key: string;
  body: unknown;
  /** Retries the request with the same `Idempotency-Key`; null: sends it once and without one. */
  idempotencyKey: string | null;
}

interface GraphqlErrors {
  errors?: { message: string; extensions: { code: string } }[];
}

interface Deps {
  /** Addresses of the service's processes, used in turns as a load balancer does. */
  urls: string[];
  onError(reason: string): void;
}

/** Creates a function that sends a request, and returns the body of a success; null if every attempt failed. */
export function createSoakClient({ urls, onError }: Deps) {
  let turn = 0;

  async function attempt({ path, key, body, idempotencyKey }: SoakRequest): Promise<unknown> {
    turn += 1;
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${urls[turn % urls.length]}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      text = await response.text();
    } catch (error) {
      throw new ConnectionError(reasonOf(error), { cause: error });
    }
    const { status, headers } = response;
    const parsed = jsonOf(text);
    // While the database is unavailable, GraphQL answers with HTTP 503 as well.
    const error = graphqlError(parsed);
    if (error)
      throw new ApiError({
        status: error.code === 'SERVICE_UNAVAILABLE' ? 503 : 409,
        headers,
        body: { error },
      });
    if (!response.ok) throw new ApiError({ status, headers, body: parsed });
    return parsed;
  }

  return async (request: SoakRequest): Promise<unknown> => {
    for (let retry = 0; ; retry += 1) {
      try {
        return await attempt(request);
      } catch (error) {
        onError(
          error instanceof ApiError ? `HTTP ${error.status} ${error.code}` : String((error as Error).message),
        );
        const canRetry = request.idempotencyKey !== null && retry < MAX_RETRIES;
        const delayMs = canRetry ? retryDelayMs(error, retry) : null;
        if (delayMs === null) return null;
        await sleep(delayMs);
      }
    }
  };
}

/** Returns the first error of a GraphQL response; null if it has none, or is none. */
function graphqlError(body: unknown): { code: string; message: string } | null {
  const [first] = (body as GraphqlErrors).errors ?? [];
  return first ? { code: first.extensions.code, message: first.message } : null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the code of a failed connection, such as `ECONNREFUSED`. */
function reasonOf(error: unknown): string {
  const { cause, name } = error as Error;
  const { code } = (cause ?? {}) as { code?: string };
  return code ?? name;
}
