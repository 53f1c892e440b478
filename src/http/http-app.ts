import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import fastify, { type FastifyInstance } from 'fastify';
import { addressOf, type CorsOrigins } from '../config/config.ts';
import { limitConnections } from '../limits/connection-limits.ts';
import type { UnsentResponses } from '../limits/unsent-responses.ts';
import { parseAddress, withinRanges } from '../platform/address-ranges.ts';
import { networkOf } from './access/client-address.ts';
import { firstChecks } from './checks.ts';
import type { HttpServerOptions, ProbeOptions } from './http-server-options.ts';
import { logResponse } from './request-log.ts';
import { RequestScope, routedTarget } from './request-scope.ts';
import { collectResources } from './resources.ts';
import { JSON_HEADERS } from './response/security-headers.ts';
import { completeResponse, sendError } from './response/send-response.ts';
import { closeStalledWrites, WRITE_TIMEOUT_MS } from './stalled-writes.ts';

export interface HttpServer {
  /** Starts to accept connections. @returns the base URL, such as `http://127.0.0.1:4000`, and the port */
  listen(): Promise<{ url: string; port: number }>;
  /**
   * Stops accepting connections, ends server-sent events and idle connections, completes requests in flight.
   * @param graceMs milliseconds after which remaining connections are closed
   */
  close(graceMs: number): Promise<void>;
}

/** Maximum size of a request body (contract 4). */
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 16_384;

/** Limits on slow headers, slow bodies and idle connections, in milliseconds, and on header size, in bytes. */
const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the usual 60 s of load balancers, so that the server does not close a connection they are about to reuse.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: MAX_HEADER_BYTES,
  // Checked by `hasValidHeaders`, so that the error has the same format as all others.
  requireHostHeader: false,
};

interface AppOptions
  extends Pick<
    HttpServerOptions,
    'log' | 'onResponse' | 'onConnectionRefused' | 'onStalledConnection' | 'writeTimeoutMs' | 'tracing'
  > {
  config: ProbeOptions['config'];
  /** Budget of the responses; null for a server whose responses are all small. */
  unsent: UnsentResponses | null;
  corsOrigins: CorsOrigins;
}

/**
 * Creates a Fastify instance under the limits of `config`, without routes. Each request has a scope, passes the checks
 * that every request has, and is logged and counted when its response ends.
 */
export function createApp(options: AppOptions): FastifyInstance {
  const { log, onResponse, tracing, unsent, corsOrigins } = options;
  const live = new Set<RequestScope>();
  let isStopping = false;

  const app = fastify({
    // One server has all bounds: Fastify itself would listen to a second one for the name `localhost`.
    serverFactory: (handler) => createBoundedServer(handler, options),
    bodyLimit: MAX_BODY_BYTES,
    // Requests on open connections are still served while the server stops.
    return503OnClosing: false,
    genReqId: requestIdOf,
    rewriteUrl: routedTarget,
    routerOptions: {
      // No identifier is rejected for its length alone.
      maxParamLength: MAX_HEADER_BYTES,
      // The strict readers of REST and GraphQL parse the query.
      querystringParser: () => ({}),
    },
    clientErrorHandler(error, socket) {
      const hasBegun = live.values().some(({ res }) => res.socket === socket && res.headersSent);
      if (hasBegun) socket.destroy();
      else rejectMalformedRequest(error, socket);
    },
  });

  app.removeAllContentTypeParsers();
  // JSON is parsed by the checks, after the size is known to be within the limit.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // Declared, so that all requests have one shape.
  for (const property of ['scope', 'caller', 'tenant', 'variables', 'connection'])
    app.decorateRequest(property);
  app.addHook('onRequest', (request, reply, done) => {
    const scope = new RequestScope(request, reply, unsent);
    request.scope = scope;
    live.add(scope);
    if (isStopping) scope.stop();
    const span = tracing?.request(request.headers);
    scope.onClose(() => {
      live.delete(scope);
      // The connection may have been kept alive for another request.
      if (isStopping) setImmediate(() => app.server.closeIdleConnections());
      const summary = logResponse(scope, log);
      onResponse?.(summary);
      span?.end(summary);
    });
    if (span) span.run(done);
    else done();
  });
  // A script of another origin reads errors as well.
  if (corsOrigins.length > 0) app.register(cors, corsOptions(corsOrigins));
  const checks = firstChecks(collectResources(app));
  for (const check of checks.onRequest) app.addHook('onRequest', check);
  for (const check of checks.preParsing) app.addHook('preParsing', check);
  app.addHook('onSend', completeResponse);
  app.setErrorHandler((error, request, reply) => sendError(request.scope, reply, { error, log }));
  app.addHook('preClose', async () => {
    isStopping = true;
    for (const scope of live) scope.stop();
  });
  return app;
}

/** Returns the server of an app that has its routes. */
export function httpServer(app: FastifyInstance, { host, port }: { host: string; port: number }): HttpServer {
  return {
    async listen() {
      await app.listen({ host, port });
      const { port: listeningPort } = app.server.address() as AddressInfo;
      return { url: addressOf(host, listeningPort), port: listeningPort };
    },
    async close(graceMs) {
      const deadline = setTimeout(() => app.server.closeAllConnections(), graceMs);
      await app.close();
      clearTimeout(deadline);
    },
  };
}

function createBoundedServer(handler: RequestListener, options: AppOptions): Server {
  const { config } = options;
  const server = createServer(SERVER_LIMITS, handler);
  const isTrustedProxy = withinRanges(config.trustedProxies);
  // `Expect: 100-continue`: the client sends the body only after the checks that precede reading it.
  server.on('checkContinue', handler);
  server.on('checkExpectation', handler);
  // One listener per pipelined request.
  server.on('connection', (socket) => socket.setMaxListeners(0));
  limitConnections(server, {
    limits: config,
    networkOf({ remoteAddress }) {
      const address = parseAddress(remoteAddress);
      return address && isTrustedProxy(address) ? null : networkOf(address);
    },
    onRefused: (limit) => options.onConnectionRefused?.(limit),
  });
  closeStalledWrites(server, {
    timeoutMs: options.writeTimeoutMs ?? WRITE_TIMEOUT_MS,
    onStalled: () => options.onStalledConnection?.(),
  });
  return server;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
}

const STATUS_LINES: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/**
 * Responds to bytes that are not a valid HTTP request, in the format of all other errors, and closes the connection.
 * Written to the socket, since Node creates no response object for such a request.
 */
function rejectMalformedRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const body = JSON.stringify({
    error: { code: 'BAD_REQUEST', message: 'The HTTP request is malformed or incomplete.', requestId },
  });
  const headers = Object.entries({
    ...JSON_HEADERS,
    'x-request-id': requestId,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${STATUS_LINES[error.code ?? ''] ?? '400 Bad Request'}\r\n${lines}\r\n${body}`);
}

/** Response headers that a script may read in addition to the safelisted headers (Fetch standard). */
const EXPOSED = [
  'Allow',
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Location',
  'RateLimit',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id',
];

/** How long a browser may cache the response to a preflight, in seconds; the maximum of Chromium. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * Permits scripts of other origins to call the APIs (contract 4). Never with credentials: their requests are
 * authenticated with an API key that the script itself must have, not with the session that the browser has stored.
 */
const corsOptions = (origins: CorsOrigins): FastifyCorsOptions => ({
  // Not an array: the plugin would add the other headers for origins that are not in it, too.
  origin:
    origins === '*'
      ? '*'
      : (origin, respond) => respond(null, origin && origins.includes(origin) ? origin : false),
  exposedHeaders: EXPOSED,
  // The wildcard does not include Authorization.
  allowedHeaders: 'Authorization, *',
  maxAge: PREFLIGHT_SECONDS,
  // `hasRoute` responds, with the methods of the path.
  preflightContinue: true,
  strictPreflight: false,
});
