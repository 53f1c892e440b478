import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalid } from '../../errors.ts';
import { parseJsonBody, requireJsonType } from '../../platform/http/parse-json-body.ts';
import { readBody, requireContentLength } from '../../platform/http/read-body.ts';
import type { Drift } from '../drift-engine.ts';
import { MAX_BODIES, MAX_BODY, MAX_SAMPLES_BODY } from '../sidecar-limits.ts';
import { CheckInput, HistoryQuery, Nothing, parsed, RemovalQuery } from './sidecar-input.ts';
import { weightedSemaphore } from './weighted-semaphore.ts';

/** Returned by `GET /health`. The sidecar scores nothing itself, so it has no version of a scoring model. */
const MODEL_VERSION = 'reference-1';

export interface SidecarRequest {
  req: IncomingMessage;
  res: ServerResponse;
  query: URLSearchParams;
}

type Handler = (request: SidecarRequest) => unknown;

/** Handlers by path and method (contract 9). */
export function createRoutes(drift: Drift): Record<string, Record<string, Handler>> {
  const withBodyMemory = weightedSemaphore(MAX_BODIES);
  return {
    '/health': {
      GET: ({ query }) => {
        parsedQuery(Nothing, query);
        return { status: 'ok', modelVersion: MODEL_VERSION, uptimeSeconds: Math.floor(process.uptime()) };
      },
    },
    '/drift/status': {
      GET: ({ query }) => {
        parsedQuery(Nothing, query);
        return drift.status();
      },
    },
    '/drift/history': {
      GET: ({ query }) => {
        const { stage, limit } = parsedQuery(HistoryQuery, query);
        return drift.history(stage, limit);
      },
    },
    '/drift/check': {
      POST: async ({ req, res, query }) => {
        parsedQuery(Nothing, query);
        const body = await readBody({ req, res, maxBytes: MAX_BODY });
        const input = parseJsonBody(req.headers, body);
        const { stage } = parsed(CheckInput, input === undefined ? {} : input);
        return drift.check(stage ?? undefined);
      },
    },
    '/samples': {
      POST: async ({ req, res, query }) => {
        parsedQuery(Nothing, query);
        requireJsonType(req.headers);
        requireContentLength(req.headers, MAX_SAMPLES_BODY);
        const bytes = Number(req.headers['content-length'] ?? MAX_SAMPLES_BODY);
        return withBodyMemory(bytes, async () =>
          drift.addSamples(await readBody({ req, res, maxBytes: MAX_SAMPLES_BODY })),
        );
      },
      DELETE: ({ query }) => {
        const { set, stage } = parsedQuery(RemovalQuery, query);
        return drift.removeSamples(set, stage);
      },
    },
  };
}

/** @throws AppError VALIDATION_FAILED, also for a parameter that is given more than once */
function parsedQuery<T extends Parameters<typeof parsed>[0]>(schema: T, query: URLSearchParams) {
  const duplicate = [...query.keys()].find((name) => query.getAll(name).length > 1);
  if (duplicate !== undefined) throw invalid(duplicate, 'is given more than once');
  return parsed(schema, Object.fromEntries(query));
}
