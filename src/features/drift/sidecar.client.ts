import { BrokenCircuitError, ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel';
import type { z } from 'zod';
import { AppError } from '../../errors/app-error.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import type { Logger } from '../../platform/logger.ts';
import { type SidecarAddress, sidecarAuthorization } from '../../platform/sidecar-address.ts';
import type { StageFilter } from './drift.types.ts';
import { checkResponse, healthResponse, historyResponse, statusResponse } from './sidecar.responses.ts';

interface Deps {
  /** Null if no sidecar is configured; all calls then fail. */
  address: SidecarAddress | null;
  /** Time limit of a call, including its retry. */
  timeoutMs: number;
  /** Outbound client that allows private addresses. */
  outbound: OutboundClient;
  log: Logger;
}

/** Number of consecutive failures that open the circuit breaker. */
const MAX_FAILURES = 5;
/** Time for which the circuit breaker stays open, before a trial call. */
const OPEN_MS = 5_000;
/** Maximum response size, for the history and features of a large model. */
const MAX_RESPONSE_BYTES = 4_000_000;

interface SidecarRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
}

/**
 * Creates a client of the ML sidecar. Every failure, including an invalid response, is `SERVICE_UNAVAILABLE` within
 * the timeout, with the cause in the log. Responses are not cached. After repeated failures a circuit breaker opens,
 * and calls fail immediately.
 */
export function createSidecarClient({ address, timeoutMs, outbound, log }: Deps) {
  const circuit = circuitBreaker(handleAll, {
    halfOpenAfter: OPEN_MS,
    breaker: new ConsecutiveBreaker(MAX_FAILURES),
  });
  circuit.onBreak(() => log.warn('the ML sidecar failed repeatedly; circuit breaker opened'));
  circuit.onReset(() => log.info('the ML sidecar is available again; circuit breaker closed'));

  function requireAddress(): SidecarAddress {
    if (address === null) throw new Error('ML_SIDECAR_URL is not set');
    return address;
  }

  async function send({ method, path, body }: SidecarRequest, limitMs: number): Promise<unknown> {
    const target = requireAddress();
    const result = await outbound.send({
      url: target.url + path,
      method,
      headers: {
        accept: 'application/json',
        ...sidecarAuthorization(target),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs: limitMs,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      keepResponseBytes: MAX_RESPONSE_BYTES,
    });
    if (!result.ok) throw new Error(`${method} ${path}: ${result.error}`, { cause: result.cause });
    if (result.status !== 200) throw new Error(`${method} ${path}: HTTP ${result.status}`);
    if (result.truncated)
      throw new Error(`${method} ${path}: the response exceeds ${MAX_RESPONSE_BYTES} bytes`);
    return JSON.parse(result.body);
  }

  /** Sends a request, with one retry of a GET within the time limit. */
  async function sendWithRetry(request: SidecarRequest): Promise<unknown> {
    const deadline = performance.now() + timeoutMs;
    try {
      return await send(request, timeoutMs);
    } catch (error) {
      const remainingMs = Math.floor(deadline - performance.now());
      if (request.method !== 'GET' || remainingMs < 1) throw error;
      return send(request, remainingMs);
    }
  }

  /** True after a failed call. The health probe then checks `/drift/status` too, because `/health` alone may work. */
  let lastCallFailed = false;

  async function call<S extends z.ZodType>(schema: S, request: SidecarRequest): Promise<z.infer<S>> {
    try {
      requireAddress();
      const response = await circuit.execute(async () => schema.parse(await sendWithRetry(request)));
      lastCallFailed = false;
      return response;
    } catch (error) {
      lastCallFailed = true;
      if (!(error instanceof BrokenCircuitError))
        log.warn({ err: error, path: request.path }, 'request to the ML sidecar failed');
      throw new AppError('SERVICE_UNAVAILABLE', 'The ML sidecar is not available; try again later.', {
        cause: error,
      });
    }
  }

  return {
    status: () => call(statusResponse, { method: 'GET', path: '/drift/status' }),
    history: ({ stage, limit }: StageFilter & { limit: number }) => {
      const query = new URLSearchParams({ ...(stage != null && { stage }), limit: String(limit) });
      return call(historyResponse, { method: 'GET', path: `/drift/history?${query}` });
    },
    check: ({ stage }: StageFilter) =>
      call(checkResponse, { method: 'POST', path: '/drift/check', body: stage == null ? {} : { stage } }),

    /** Probes the sidecar, even while the circuit breaker is open. Rejects if it does not respond in time. */
    async health(limitMs: number): Promise<{ modelVersion: string | null }> {
      const { modelVersion = null } = healthResponse.parse(
        await send({ method: 'GET', path: '/health' }, limitMs),
      );
      if (lastCallFailed) {
        statusResponse.parse(await send({ method: 'GET', path: '/drift/status' }, limitMs));
        lastCallFailed = false;
      }
      return { modelVersion };
    },
  };
}

export type SidecarClient = ReturnType<typeof createSidecarClient>;
