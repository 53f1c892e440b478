import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CurrentWindow, DriftThreshold, OutcomeDelay, ReferenceSetting } from '../../config/values.ts';
import { AppError } from '../../errors/app-error.ts';
import { bearerTokenCheck } from '../../platform/http/bearer-token.ts';
import { isLoopbackHost, isLoopbackHostHeader } from '../../platform/http/loopback-host.ts';
import type { Logger } from '../../platform/logger.ts';
import { DEFAULT_PORT } from '../default-address.ts';
import { startDriftThread } from '../thread/drift-thread-client.ts';
import { sendError, sendJson } from './sidecar-responses.ts';
import { createRoutes } from './sidecar-routes.ts';

/** Bounds for slow and idle clients, in milliseconds and bytes. */
const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
};

export interface SidecarOptions {
  /** Connection string of the service's database; the sidecar uses one of the same name with the suffix `_ml`. */
  mongodbUri: string;
  /** Address to bind; loopback by default. */
  host?: string;
  /** 0 for any free port. */
  port?: number;
  /** Bearer token that every path except `/health` requires; null for none. */
  token?: string | null;
  /** `DRIFT_THRESHOLD`. */
  threshold: DriftThreshold;
  /** `DRIFT_CURRENT_WINDOW`; null if all current samples count. */
  currentWindow: CurrentWindow | null;
  /** `DRIFT_OUTCOME_DELAY`; null if an unknown outcome counts as missing at once. */
  outcomeDelay: OutcomeDelay | null;
  /** `DRIFT_REFERENCE`. */
  reference: ReferenceSetting;
  log: Logger;
}

export interface Sidecar {
  /** Base URL, for example `http://127.0.0.1:4001`. */
  url: string;
  /** Resolves when the drift thread has exited, so that no request can be served. */
  failed: Promise<void>;
  /**
   * Stops accepting connections, waits for requests in progress, and saves the counts.
   * @param graceMs time after which open connections are closed
   */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Starts the reference sidecar (contract 9).
 * @throws AppError SERVICE_UNAVAILABLE if the database is unreachable
 */
export async function startSidecar(options: SidecarOptions): Promise<Sidecar> {
  const { mongodbUri, host = '127.0.0.1', port = DEFAULT_PORT, token = null } = options;
  const { threshold, currentWindow, outcomeDelay, reference, log } = options;
  const drift = await startDriftThread(
    { mongodbUri, threshold, currentWindow, outcomeDelay, reference },
    log,
  );
  const routes = createRoutes(drift);

  const local = isLoopbackHost(host);
  const isAuthorized = token === null ? () => true : bearerTokenCheck(token);

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
    // Without a token, only the name tells a page that resolves its own name to this machine (DNS rebinding).
    if (local && !isLoopbackHostHeader(req.headers.host)) {
      throw new AppError('FORBIDDEN', 'The Host header must be a loopback name, such as localhost.');
    }
    const url = URL.parse(req.url ?? '', 'http://sidecar');
    if (url?.pathname !== '/health' && !isAuthorized(req.headers.authorization)) {
      throw new AppError(
        'UNAUTHENTICATED',
        'A valid sidecar token is required: Authorization: Bearer <ML_SIDECAR_TOKEN>.',
      );
    }
    const methods = url && Object.hasOwn(routes, url.pathname) ? routes[url.pathname] : undefined;
    if (!url || !methods) throw new AppError('NOT_FOUND', 'No such path.');
    const handler = Object.hasOwn(methods, req.method ?? '') ? methods[req.method ?? ''] : undefined;
    if (handler) return handler({ req, res, query: url.searchParams });
    throw new AppError('METHOD_NOT_ALLOWED', `Method ${req.method} is not allowed for this path.`, {
      allow: Object.keys(methods),
    });
  }

  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    respond(req, res).then(
      (value) => sendJson(res, { status: 200, value }),
      (error: unknown) => sendError({ req, res, log, error }),
    );
  };
  const server = createServer(SERVER_LIMITS, handle);
  server.on('checkContinue', handle);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  }).catch(async (error: unknown) => {
    await drift.close();
    throw error;
  });

  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    failed: drift.exited,
    async stop(graceMs = 10_000) {
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeIdleConnections();
      });
      clearTimeout(timer);
      await drift.close();
      await drift.exited;
    },
  };
}
