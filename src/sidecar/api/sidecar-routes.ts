import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { invalid } from '../../errors/app-error.ts';
import { parseJsonBody, requireJsonType } from '../../platform/http/parse-json-body.ts';
import { readBody, requireContentLength } from '../../platform/http/read-body.ts';
import { DEFAULT_MODEL } from '../../platform/sidecar-address.ts';
import { COLUMNS_TYPE, PREFER_PROCESSING } from '../samples/columns-body.ts';
import type { SamplesFormat } from '../samples/samples-body.ts';
import {
  MAX_BODY_BYTES,
  MAX_BUFFERED_BODY_BYTES,
  MAX_SAMPLES_BODY_BYTES,
  MAX_SETTINGS_BODY_BYTES,
} from '../sidecar-limits.ts';
import type { DriftThread, ModelOperations } from '../thread/drift-thread-client.ts';
import {
  CheckInput,
  FeatureQuery,
  FeatureSettingsInput,
  HistoryQuery,
  ModelQuery,
  NoInput,
  parseInput,
  RemovalQuery,
  StatusQuery,
} from './sidecar-input.ts';
import { weightedSemaphore } from './weighted-semaphore.ts';

/** `modelVersion` of `GET /health`. A constant, since the reference sidecar has no scoring model. */
const MODEL_VERSION = 'reference-1';

/** Headers that a proxy adds. */
const PROXY_HEADERS = ['via', 'forwarded', 'x-forwarded-for', 'x-real-ip'];

export interface SidecarRequest {
  req: IncomingMessage;
  res: ServerResponse;
  query: URLSearchParams;
}

/** A request with its model, which is no longer part of the query. */
interface ModelRequest extends SidecarRequest {
  drift: ModelOperations;
}

type Handler = (request: ModelRequest) => unknown;

/** Handlers by path and method (contract 9). */
export function createRoutes(
  thread: Pick<DriftThread, 'ofModel' | 'models'>,
): Record<string, Record<string, (request: SidecarRequest) => Promise<unknown>>> {
  const withBodyMemory = weightedSemaphore(MAX_BUFFERED_BODY_BYTES);
  const routes: Record<string, Record<string, Handler>> = {
    '/health': {
      GET: ({ query }) => {
        parseQuery(NoInput, query);
        return { status: 'ok', modelVersion: MODEL_VERSION, uptimeSeconds: Math.floor(process.uptime()) };
      },
    },
    '/drift/status': {
      GET: ({ drift, query }) => drift.status(parseQuery(StatusQuery, query).stage),
    },
    '/drift/feature': {
      GET: ({ drift, query }) => {
        const { feature, stage } = parseQuery(FeatureQuery, query);
        return drift.feature(feature, stage);
      },
    },
    '/drift/performance': {
      GET: ({ drift, query }) => drift.performance(parseQuery(StatusQuery, query).stage),
    },
    '/drift/models': {
      GET: ({ query }) => {
        parseQuery(NoInput, query);
        return thread.models();
      },
    },
    '/drift/stages': {
      GET: ({ drift, query }) => {
        parseQuery(NoInput, query);
        return drift.stages();
      },
    },
    '/drift/history': {
      GET: ({ drift, query }) => drift.history(parseQuery(HistoryQuery, query)),
    },
    '/drift/features': {
      GET: ({ drift, query }) => {
        parseQuery(NoInput, query);
        return drift.featureSettings();
      },
      PUT: async ({ drift, req, res, query }) => {
        parseQuery(NoInput, query);
        requireJsonType(req.headers);
        const body = await readBody({ req, res, maxBytes: MAX_SETTINGS_BODY_BYTES });
        const { features } = parseInput(FeatureSettingsInput, parseJsonBody(req.headers, body));
        return drift.setFeatureSettings(features);
      },
    },
    '/drift/check': {
      POST: async ({ drift, req, res, query }) => {
        parseQuery(NoInput, query);
        requireJsonType(req.headers);
        const body = await readBody({ req, res, maxBytes: MAX_BODY_BYTES });
        const input = parseJsonBody(req.headers, body);
        const { stage, reference, at } = parseInput(CheckInput, input === undefined ? {} : input);
        return drift.check(stage ?? undefined, {
          reference: reference ?? undefined,
          at: at ?? undefined,
        });
      },
    },
    '/samples': {
      POST: async ({ drift, req, res, query }) => {
        parseQuery(NoInput, query);
        const format = samplesFormat(req.headers);
        requireContentLength(req.headers, MAX_SAMPLES_BODY_BYTES);
        const bytes = Number(req.headers['content-length'] ?? MAX_SAMPLES_BODY_BYTES);
        return withBodyMemory(bytes, async () => {
          const body = await readBody({ req, res, maxBytes: MAX_SAMPLES_BODY_BYTES });
          const added = drift.addSamples(body, format);
          if (format === 'columns' && expectsProcessing(req)) res.writeProcessing();
          return added;
        });
      },
      DELETE: ({ drift, query }) => {
        const { set, stage } = parseQuery(RemovalQuery, query);
        return drift.removeSamples(set, stage);
      },
    },
  };

  const inModel =
    (handler: Handler) =>
    async ({ query, ...request }: SidecarRequest): Promise<unknown> => {
      const { model = DEFAULT_MODEL } = parseQuery(
        ModelQuery,
        pick(query, (name) => name === 'model'),
      );
      const rest = pick(query, (name) => name !== 'model');
      const value = await handler({ ...request, query: rest, drift: thread.ofModel(model) });
      return model === DEFAULT_MODEL ? value : named(model, value);
    };
  return Object.fromEntries(
    Object.entries(routes).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, handler]) => [method, inModel(handler)])),
    ]),
  );
}

const pick = (query: URLSearchParams, wanted: (name: string) => boolean): URLSearchParams =>
  new URLSearchParams([...query].filter(([name]) => wanted(name)));

/** Adds the model to a response, or to each of its entries: it shows that the sidecar supports models. */
function named(model: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => named(model, entry));
  return { model, ...(value as object) };
}

/**
 * Returns true if the client asks for HTTP 102 and no proxy is known to be in between: some clients and proxies take
 * any informational response for the final one.
 */
const expectsProcessing = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.prefer === PREFER_PROCESSING &&
  httpVersion !== '1.0' &&
  PROXY_HEADERS.every((name) => headers[name] === undefined);

/** @throws AppError UNSUPPORTED_MEDIA_TYPE */
function samplesFormat(headers: IncomingHttpHeaders): SamplesFormat {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = headers;
  if (type === COLUMNS_TYPE && encoding === 'identity') return 'columns';
  requireJsonType(headers);
  return 'json';
}

/** @throws AppError VALIDATION_FAILED, also for a repeated parameter */
function parseQuery<T extends Parameters<typeof parseInput>[0]>(schema: T, query: URLSearchParams) {
  const duplicate = [...query.keys()].find((name) => query.getAll(name).length > 1);
  if (duplicate !== undefined) throw invalid(duplicate, 'Must not be repeated.');
  return parseInput(schema, Object.fromEntries(query));
}
