import { BrokenCircuitError, ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel';
import type { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import type { Logger } from '../../platform/logger.ts';
import { checkResponse, healthResponse, historyResponse, statusResponse } from './sidecar.responses.ts';

interface Deps {
  /** Null: none is configured. */
  baseUrl: string | null;
  /** Milliseconds that one call may take, a retry included. */
  timeoutMs: number;
  /** A way out for the operator's own addresses. */
  outbound: OutboundClient;
  log: Logger;
}

/** Failures in a row after which the sidecar is left alone … */
const FAILURES = 5;
/** … for so long, in milliseconds, before one call tries again. */
const OPEN_MS = 5_000;
/** History and features of a large model; more is not an answer of a sidecar. */
const MAX_BYTES = 4_000_000;

/**
 * Calls the ML sidecar. Whatever goes wrong, an answer of the wrong shape included, is `SERVICE_UNAVAILABLE`
 * within the timeout, with the cause in the log; nothing is cached. After repeated failures the circuit opens and
 * the error comes at once.
 */
export function createSidecarClient({ baseUrl, timeoutMs, outbound, log }: Deps) {
  const circuit = circuitBreaker(handleAll, {
    halfOpenAfter: OPEN_MS,
    breaker: new ConsecutiveBreaker(FAILURES),
  });
  circuit.onBreak(() => log.warn('the ML sidecar keeps failing; it is left alone for a while'));
  circuit.onReset(() => log.info('the ML sidecar answers again'));

  async function request(
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
    timeout: number,
  ): Promise<unknown> {
    const answer = await outbound.send({
      url: baseUrl + path,
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs: timeout,
      maxResponseBytes: MAX_BYTES,
      keepResponseBytes: MAX_BYTES,
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.error}`, { cause: answer.cause });
    if (answer.status !== 200) throw new Error(`${method} ${path}: status ${answer.status}`);
    if (answer.truncated) throw new Error(`${method} ${path}: an answer of more than ${MAX_BYTES} bytes`);
    return JSON.parse(answer.body);
  }

  /** One retry for what may be repeated, in what is left of the time. */
  async function patiently(method: 'GET' | 'POST', path: string, body: unknown): Promise<unknown> {
    const deadline = performance.now() + timeoutMs;
    try {
      return await request(method, path, body, timeoutMs);
    } catch (error) {
      const left = Math.floor(deadline - performance.now());
      if (method !== 'GET' || left < 1) throw error;
      return request(method, path, body, left);
    }
  }

  /** The last procedure failed: then health asks for more than `/health`, which may be all that works. */
  let failing = false;

  async function call<S extends z.ZodType>(
    schema: S,
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
  ): Promise<z.infer<S>> {
    try {
      if (baseUrl === null) throw new Error('ML_SIDECAR_URL is not set');
      const answer = await circuit.execute(async () => schema.parse(await patiently(method, path, body)));
      failing = false;
      return answer;
    } catch (error) {
      failing = true;
      if (!(error instanceof BrokenCircuitError)) log.warn({ err: error, path }, 'the ML sidecar failed');
      throw new AppError('SERVICE_UNAVAILABLE', 'The ML sidecar is not available; try again later.', {
        cause: error,
      });
    }
  }

  return {
    status: () => call(statusResponse, 'GET', '/drift/status'),
    history: (stage: string | null, limit: number) =>
      call(
        historyResponse,
        'GET',
        `/drift/history?${new URLSearchParams({ ...(stage !== null && { stage }), limit: String(limit) })}`,
      ),
    check: (stage: string | null) =>
      call(checkResponse, 'POST', '/drift/check', stage === null ? {} : { stage }),

    /** Whether it answers now, the circuit aside. Rejects when it does not. */
    async health(withinMs: number): Promise<{ modelVersion: string | null }> {
      if (baseUrl === null) throw new Error('ML_SIDECAR_URL is not set');
      const { modelVersion = null } = healthResponse.parse(
        await request('GET', '/health', undefined, withinMs),
      );
      if (failing) {
        statusResponse.parse(await request('GET', '/drift/status', undefined, withinMs));
        failing = false;
      }
      return { modelVersion };
    },
  };
}

export type SidecarClient = ReturnType<typeof createSidecarClient>;
