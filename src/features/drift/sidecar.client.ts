import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel';
import type { z } from 'zod';
import { AppError } from '../../errors/app-error.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import { isObject } from '../../platform/is-object.ts';
import { parseJsonText } from '../../platform/json-text.ts';
import type { Logger } from '../../platform/logger.ts';
import { DEFAULT_MODEL, type SidecarAddress, sidecarAuthorization } from '../../platform/sidecar-address.ts';
import { HISTORY_MAX } from '../../shared/drift-limits.ts';
import type {
  CheckOptions,
  CompletedCheck,
  DriftCheck,
  DriftFeature,
  DriftPerformance,
  DriftStage,
  DriftStatus,
  FeatureSetting,
  HistoryOptions,
  ModelFilter,
  StageFilter,
} from './drift.types.ts';
import {
  checkResponse,
  featureResponse,
  healthResponse,
  historyResponse,
  modelsResponse,
  notFoundResponse,
  performanceResponse,
  settingsResponse,
  stagesResponse,
  statusResponse,
} from './sidecar.responses.ts';

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
/** How long the circuit breaker stays open before a trial call. */
const OPEN_MS = 5_000;
/** Maximum response size, for the history and features of a large model. */
export const MAX_RESPONSE_BYTES = 4_000_000;

interface SidecarRequest {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  query?: Record<string, string>;
  body?: unknown;
}

/** HTTP 404, or any 2xx. */
interface SidecarResponse {
  status: number;
  body: string;
  truncated: boolean;
}

/** Parses a response, or throws because it is not the requested one. */
type Reader<T> = (content: unknown) => T;

/** HTTP statuses of `RefusedBySidecar`. */
const REFUSALS: readonly number[] = [400, 405, 422];

/**
 * Refusal of a request that the sidecar does not support or accept. It does not count towards the circuit breaker: the
 * sidecar works, and a client must not be able to interrupt the requests of the others.
 */
class RefusedBySidecar extends Error {}

function requireStage(reported: string | null, requested: string | null): void {
  if (reported !== requested)
    throw new Error(
      `the response is for the stage ${JSON.stringify(reported)} instead of ${JSON.stringify(requested)}`,
    );
}

const inStage = (stage: string | null | undefined): Record<string, string> =>
  stage == null ? {} : { stage };

/** Returns the query parameters of a request; the default model is not named, so that every sidecar accepts them. */
const inModel = ({ model }: ModelFilter): Record<string, string> => (hasName(model) ? { model } : {});

/** True for a model other than the default one. */
const hasName = (model: string | null | undefined): model is string =>
  model != null && model !== DEFAULT_MODEL;

/** Requires that a response is of the requested model: a sidecar that knows no models ignores the parameter. */
function requireModel(content: unknown, model: string | null | undefined): void {
  if (!hasName(model)) return;
  const parts: unknown[] = Array.isArray(content) ? content : [content];
  if (!parts.every((part) => isObject(part) && part.model === model))
    throw new RefusedBySidecar('the sidecar does not report the requested model');
}

/**
 * Creates a client of the ML sidecar. A stage or feature without samples is `NOT_FOUND`. Every other failure, including
 * an invalid response, is `SERVICE_UNAVAILABLE` within the timeout, with the cause in the log. Responses are not cached.
 * While the sidecar does not respond, a circuit breaker opens, and calls fail immediately. Invalid responses do not count
 * towards it: one path must not interrupt the others.
 */
export function createSidecarClient({ address, timeoutMs, outbound, log }: Deps) {
  const reportReset = (): void => log.info('the ML sidecar is available again; circuit breaker closed');

  function newCircuit() {
    const created = circuitBreaker(
      handleWhen((error) => !(error instanceof RefusedBySidecar)),
      {
        halfOpenAfter: OPEN_MS,
        breaker: new ConsecutiveBreaker(MAX_FAILURES),
      },
    );
    created.onBreak(() => {
      // Calls that began before a reset end in the former circuit.
      if (created !== circuit) return;
      log.warn('the ML sidecar failed repeatedly; circuit breaker opened');
      // While one path exceeds the time limit, the others may still respond.
      health(timeoutMs).catch(() => {});
    });
    created.onReset(() => {
      if (created === circuit) reportReset();
    });
    return created;
  }

  let circuit = newCircuit();

  /** Closes the circuit breaker, and forgets the failures so far. */
  function resetCircuit(): void {
    if (circuit.state !== CircuitState.Closed) reportReset();
    circuit = newCircuit();
  }

  function requireAddress(): SidecarAddress {
    if (address === null) throw new Error('ML_SIDECAR_URL is not set');
    return address;
  }

  async function send(
    { method, path, query = {}, body }: SidecarRequest,
    limitMs: number,
  ): Promise<SidecarResponse> {
    const target = requireAddress();
    const search = new URLSearchParams(query).toString();
    const result = await outbound.send({
      url: `${target.url}${path}${search && `?${search}`}`,
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
    const { status } = result;
    if (REFUSALS.includes(status)) throw new RefusedBySidecar(`${method} ${path}: HTTP ${status}`);
    const isSuccess = status >= 200 && status < 300;
    if (!isSuccess && status !== 404) throw new Error(`${method} ${path}: HTTP ${status}`);
    return { status, body: result.body, truncated: result.truncated };
  }

  /** Sends a request, with one retry of a GET within the time limit. */
  async function sendWithRetry(request: SidecarRequest): Promise<SidecarResponse> {
    const deadline = performance.now() + timeoutMs;
    try {
      return await send(request, timeoutMs);
    } catch (error) {
      const remainingMs = Math.floor(deadline - performance.now());
      const isFinal = request.method !== 'GET' || error instanceof RefusedBySidecar;
      if (isFinal || remainingMs < 1) throw error;
      return send(request, remainingMs);
    }
  }

  /** True after a failed call. The health probe then checks `/drift/status` too, because `/health` alone may work. */
  let lastCallFailed = false;

  /**
   * Probes the sidecar, even while the circuit breaker is open, which it closes if `/drift/status` responds as well.
   * Rejects if the sidecar does not respond in time.
   */
  async function health(limitMs: number): Promise<{ modelVersion: string | null }> {
    const probe = async <S extends z.ZodType>(schema: S, path: string): Promise<z.output<S>> => {
      const response = await send({ method: 'GET', path }, limitMs);
      if (response.status === 404) throw new Error(`GET ${path}: HTTP 404`);
      return schema.parse(contentOf(response));
    };
    const { modelVersion = null } = await probe(healthResponse, '/health');
    if (lastCallFailed || circuit.state !== CircuitState.Closed) {
      await probe(statusResponse, '/drift/status');
      lastCallFailed = false;
      resetCircuit();
    }
    return { modelVersion };
  }

  /**
   * Calls the sidecar.
   *
   * @param onNotFound returns the result or the error for HTTP 404; if it throws, as by default, the call has failed
   */
  async function call<T>(
    request: SidecarRequest,
    read: Reader<T>,
    onNotFound: (content: unknown) => T | AppError = () => {
      throw new Error(`${request.method} ${request.path}: HTTP 404`);
    },
  ): Promise<T> {
    let result: T | AppError;
    try {
      requireAddress();
      const response = await circuit.execute(() => sendWithRetry(request));
      const content = contentOf(response);
      result = response.status === 404 ? onNotFound(content) : read(content);
      lastCallFailed = false;
    } catch (error) {
      lastCallFailed ||= !(error instanceof RefusedBySidecar);
      if (!(error instanceof BrokenCircuitError))
        log.warn({ err: error, path: request.path }, 'request to the ML sidecar failed');
      throw new AppError('SERVICE_UNAVAILABLE', 'The ML sidecar is not available; try again later.', {
        cause: error,
      });
    }
    if (result instanceof AppError) throw result;
    return result;
  }

  /** Calls the sidecar for a model; one without samples is `NOT_FOUND`. @param onNotFound of the default model */
  const callInModel = <T>(
    { model }: ModelFilter,
    request: SidecarRequest,
    read: Reader<T>,
    onNotFound?: (content: unknown) => T | AppError,
  ): Promise<T> => {
    const inQuery = { ...request, query: { ...request.query, ...inModel({ model }) } };
    const readOfModel = (content: unknown): T => {
      requireModel(content, model);
      return read(content);
    };
    return hasName(model) ? callForPart(inQuery, readOfModel) : call(inQuery, readOfModel, onNotFound);
  };

  /** Calls a path that a sidecar need not have. */
  const callOptional = <T>(filter: ModelFilter, request: SidecarRequest, read: Reader<T>): Promise<T> =>
    callInModel(filter, request, read, () => refuseUnknownPath(request));

  /** Calls the sidecar for a stage or feature, which it may not know. */
  const callForPart = <T>(request: SidecarRequest, read: Reader<T>): Promise<T> =>
    call(request, read, (content) => notFound(request, content));

  const notFound = (request: SidecarRequest, content: unknown): AppError => {
    const { data } = notFoundResponse.safeParse(content);
    return data ? new AppError('NOT_FOUND', data.error.message) : refuseUnknownPath(request);
  };

  /** Calls the sidecar for a stage, or for all samples, of a model. */
  const callForScope = <T>(filter: StageFilter, request: SidecarRequest, read: Reader<T>): Promise<T> =>
    callInModel(
      filter,
      request,
      read,
      filter.stage == null ? undefined : (content) => notFound(request, content),
    );

  return {
    status({ stage = null, model }: StageFilter = {}): Promise<DriftStatus> {
      const request = { method: 'GET', path: '/drift/status', query: inStage(stage) } as const;
      return callForScope({ stage, model }, request, (content) => {
        const status = statusResponse.parse(content);
        // A sidecar that does not know the parameter reports all samples, and no stage.
        if (stage !== null && status.stage === null)
          throw new RefusedBySidecar('the sidecar does not report the status of stages');
        requireStage(status.stage, stage);
        return status;
      });
    },

    feature({ feature, stage, model }: StageFilter & { feature: string }): Promise<DriftFeature> {
      const request = {
        method: 'GET',
        path: '/drift/feature',
        query: { feature, ...inStage(stage) },
      } as const;
      const onNotFound = (content: unknown): AppError => notFound(request, content);
      const readFeature = (content: unknown): DriftFeature => {
        const response = featureResponse.parse(content);
        if (response.feature !== feature) throw new Error('the response is for another feature');
        return response;
      };
      return callInModel({ model }, request, readFeature, onNotFound);
    },

    /** Performance of the model by week; null if the sidecar does not report it. */
    performance({ stage, model }: StageFilter): Promise<DriftPerformance | null> {
      const request = { method: 'GET', path: '/drift/performance', query: inStage(stage) } as const;
      return callInModel<DriftPerformance | null>(
        { model },
        request,
        (content) => performanceResponse.parse(content),
        (content) => (stage == null ? null : notFoundOr(null, content)),
      );
    },

    /** Names of the models; null if the sidecar does not list them. */
    models: (): Promise<string[] | null> =>
      call<string[] | null>(
        { method: 'GET', path: '/drift/models' },
        (content) => modelsResponse.parse(content).map(({ model }) => model),
        () => null,
      ),

    /** Stages that have samples; null if the sidecar does not list them. */
    stages: (filter: ModelFilter): Promise<DriftStage[] | null> =>
      callInModel<DriftStage[] | null>(
        filter,
        { method: 'GET', path: '/drift/stages' },
        (content) => stagesResponse.parse(content),
        () => null,
      ),

    async history({ stage, model, overall = false, feature, limit }: HistoryOptions): Promise<DriftCheck[]> {
      const latest = (count: number): Promise<DriftCheck[]> => {
        const query = {
          ...inStage(stage),
          ...(overall && { overall: 'true' }),
          limit: String(count),
          ...(feature != null && { feature }),
        };
        return callInModel({ model }, { method: 'GET', path: '/drift/history', query }, (content) =>
          historyResponse.parse(content),
        );
      };
      const isWanted = (check: DriftCheck): boolean =>
        overall ? check.stage === null : stage == null || check.stage === stage;
      const checks = await latest(limit);
      // A sidecar that does not know a parameter lists other checks too, which count towards the limit.
      const isCut = checks.length >= limit && !checks.every(isWanted);
      const candidates = isCut && limit < HISTORY_MAX ? await latest(HISTORY_MAX) : checks;
      return candidates
        .filter(isWanted)
        .sort((a, b) => b.checkedAt.getTime() - a.checkedAt.getTime())
        .slice(0, limit);
    },

    check({ stage = null, model, reference, at }: CheckOptions): Promise<CompletedCheck> {
      const body = {
        ...inStage(stage),
        ...(reference != null && { reference }),
        ...(at != null && { at: at.toISOString() }),
      };
      const request = { method: 'POST', path: '/drift/check', body } as const;
      return callForScope({ stage, model }, request, (content) => {
        const { stage: checked = stage, ...check } = checkResponse.parse(content);
        requireStage(checked, stage);
        // A sidecar that does not know them ignores them, and reports neither.
        if (reference != null && check.reference !== reference)
          throw new RefusedBySidecar('the sidecar does not report the requested reference');
        if (check.at?.getTime() !== at?.getTime())
          throw new RefusedBySidecar('the sidecar does not report the requested time');
        return check;
      });
    },

    featureSettings: (filter: ModelFilter): Promise<FeatureSetting[]> =>
      callOptional(filter, { method: 'GET', path: '/drift/features' }, readSettings),

    /** Replaces all settings. */
    setFeatureSettings: (
      filter: ModelFilter,
      features: readonly FeatureSetting[],
    ): Promise<FeatureSetting[]> =>
      callOptional(filter, { method: 'PUT', path: '/drift/features', body: { features } }, readSettings),

    health,
  };
}

const readSettings = (content: unknown): FeatureSetting[] => settingsResponse.parse(content).features;

/** Returns the error of a stage without samples; `fallback` for a path that the sidecar does not have. */
function notFoundOr<T>(fallback: T, content: unknown): T | AppError {
  const { data } = notFoundResponse.safeParse(content);
  return data ? new AppError('NOT_FOUND', data.error.message) : fallback;
}

function refuseUnknownPath({ method, path }: SidecarRequest): never {
  throw new RefusedBySidecar(`${method} ${path}: HTTP 404`);
}

/** Parses the body of a response; an error need not be JSON. */
function contentOf({ status, body, truncated }: SidecarResponse): unknown {
  if (truncated) throw new Error(`the response exceeds ${MAX_RESPONSE_BYTES} bytes`);
  return status === 404 ? jsonOrNull(body) : parseJsonText(body);
}

function jsonOrNull(body: string): unknown {
  try {
    return parseJsonText(body);
  } catch {
    return null;
  }
}

export type SidecarClient = ReturnType<typeof createSidecarClient>;
