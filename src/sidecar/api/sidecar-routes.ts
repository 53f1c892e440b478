import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { invalid } from '../../errors/app-error.ts';
import { parseJsonBody, requireJsonType } from '../../platform/http/parse-json-body.ts';
import { readBody, requireContentLength } from '../../platform/http/read-body.ts';
import type { DriftEngine } from '../drift-engine.ts';
import { COLUMNS_TYPE, PREFER_PROCESSING } from '../samples/columns-body.ts';
import type { SamplesFormat } from '../samples/samples-body.ts';
import {
  MAX_BODY_BYTES,
  MAX_BUFFERED_BODY_BYTES,
  MAX_SAMPLES_BODY_BYTES,
  MAX_SETTINGS_BODY_BYTES,
} from '../sidecar-limits.ts';
import {
  CheckInput,
  FeatureQuery,
  FeatureSettingsInput,
  HistoryQuery,
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

type Handler = (request: SidecarRequest) => unknown;

/** Handlers by path and method (contract 9). */
export function createRoutes(drift: DriftEngine): Record<string, Record<string, Handler>> {
  const withBodyMemory = weightedSemaphore(MAX_BUFFERED_BODY_BYTES);
  return {
    '/health': {
      GET: ({ query }) => {
        parseQuery(NoInput, query);
        return { status: 'ok', modelVersion: MODEL_VERSION, uptimeSeconds: Math.floor(process.uptime()) };
      },
    },
    '/drift/status': {
      GET: ({ query }) => drift.status(parseQuery(StatusQuery, query).stage),
    },
    '/drift/feature': {
      GET: ({ query }) => {
        const { feature, stage } = parseQuery(FeatureQuery, query);
        return drift.feature(feature, stage);
      },
    },
    '/drift/stages': {
      GET: ({ query }) => {
        parseQuery(NoInput, query);
        return drift.stages();
      },
    },
    '/drift/history': {
      GET: ({ query }) => drift.history(parseQuery(HistoryQuery, query)),
    },
    '/drift/features': {
      GET: ({ query }) => {
        parseQuery(NoInput, query);
        return drift.featureSettings();
      },
      PUT: async ({ req, res, query }) => {
        parseQuery(NoInput, query);
        requireJsonType(req.headers);
        const body = await readBody({ req, res, maxBytes: MAX_SETTINGS_BODY_BYTES });
        const { features } = parseInput(FeatureSettingsInput, parseJsonBody(req.headers, body));
        return drift.setFeatureSettings(features);
      },
    },
    '/drift/check': {
      POST: async ({ req, res, query }) => {
        parseQuery(NoInput, query);
        requireJsonType(req.headers);
        const body = await readBody({ req, res, maxBytes: MAX_BODY_BYTES });
        const input = parseJsonBody(req.headers, body);
        const { stage } = parseInput(CheckInput, input === undefined ? {} : input);
        return drift.check(stage ?? undefined);
      },
    },
    '/samples': {
      POST: async ({ req, res, query }) => {
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
      DELETE: ({ query }) => {
        const { set, stage } = parseQuery(RemovalQuery, query);
        return drift.removeSamples(set, stage);
      },
    },
  };
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
