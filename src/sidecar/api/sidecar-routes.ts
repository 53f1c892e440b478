import type { IncomingMessage } from 'node:http';
import { AppError } from '../../errors.ts';
import type { Drift } from '../drift-engine.ts';
import { parseJson } from '../json.ts';
import { MAX_BODIES, MAX_BODY, MAX_SAMPLES_BODY } from '../sidecar-limits.ts';
import { CheckInput, HistoryQuery, Nothing, parsed, RemovalQuery } from './sidecar-input.ts';
import { readBody, requireJson, requireSize } from './sidecar-responses.ts';
import { budget } from './weighted-semaphore.ts';

/** What `GET /health` says of the model: nothing is scored here, the samples' sender knows the model. */
const MODEL_VERSION = 'reference-1';

/** Answers one request. */
type Handler = (req: IncomingMessage, query: URLSearchParams) => unknown;

/** Paths, and what there is at each by method (contract 9). */
export function createRoutes(drift: Drift): Record<string, Record<string, Handler>> {
  const bodies = budget(MAX_BODIES);
  return {
    '/health': {
      GET: (_req, query) => {
        parsedQuery(Nothing, query);
        return { status: 'ok', modelVersion: MODEL_VERSION, uptimeSeconds: Math.floor(process.uptime()) };
      },
    },
    '/drift/status': {
      GET: (_req, query) => {
        parsedQuery(Nothing, query);
        return drift.status();
      },
    },
    '/drift/history': {
      GET: (_req, query) => {
        const { stage, limit } = parsedQuery(HistoryQuery, query);
        return drift.history(stage, limit);
      },
    },
    '/drift/check': {
      POST: async (req, query) => {
        parsedQuery(Nothing, query);
        const body = await readBody(req, MAX_BODY);
        if (body.length > 0) requireJson(req);
        const { stage } = parsed(CheckInput, body.length > 0 ? parseJson(body) : {});
        return drift.check(stage ?? undefined);
      },
    },
    '/samples': {
      POST: async (req, query) => {
        parsedQuery(Nothing, query);
        requireJson(req);
        requireSize(req, MAX_SAMPLES_BODY);
        const bytes = Number(req.headers['content-length'] ?? MAX_SAMPLES_BODY);
        return bodies(bytes, async () => drift.addSamples(await readBody(req, MAX_SAMPLES_BODY)));
      },
      DELETE: (_req, query) => {
        const { set, stage } = parsedQuery(RemovalQuery, query);
        return drift.removeSamples(set, stage);
      },
    },
  };
}

/**
 * The query of a request as its schema has it.
 * @throws AppError VALIDATION_FAILED, for a parameter that is there twice too
 */
function parsedQuery<T extends Parameters<typeof parsed>[0]>(schema: T, query: URLSearchParams) {
  const twice = [...query.keys()].find((name) => query.getAll(name).length > 1);
  if (twice !== undefined) {
    throw new AppError('VALIDATION_FAILED', 'The input is not valid.', {
      details: [{ path: twice, message: 'is given more than once' }],
    });
  }
  return parsed(schema, Object.fromEntries(query));
}
