import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addressOf } from '../config/config.ts';
import { limitConnections } from '../limits/connection-limits.ts';
import { networkOf, parseAddress, trustedBy } from './access/client-address.ts';
import type { HttpServerOptions, ProbeOptions } from './http-server-options.ts';
import { trackRequests } from './live-requests.ts';
import { checkRequestHeaders } from './request-headers.ts';
import { logResponse } from './request-log.ts';
import { RequestScope } from './request-scope.ts';
import { rejectMalformedRequest } from './response/malformed-request.ts';
import { sendError } from './response/send-response.ts';
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

/** Limits on slow headers, slow bodies and idle connections, in milliseconds, and on header size, in bytes. */
const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the usual 60 s of load balancers, so that the server does not close a connection they are about to reuse.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
  // Checked in `checkRequestHeaders`, so that the error has the same format as all others.
  requireHostHeader: false,
};

interface ListenerOptions
  extends Pick<
    HttpServerOptions,
    'log' | 'onResponse' | 'onConnectionRefused' | 'onStalledConnection' | 'writeTimeoutMs' | 'tracing'
  > {
  config: ProbeOptions['config'];
  dispatch: (scope: RequestScope) => Promise<void>;
  host: string;
  port: number;
}

/** Creates a server that passes requests to `dispatch`, under the limits of `config`. */
export function createListener(options: ListenerOptions): HttpServer {
  const { dispatch, host, port, config, log, onResponse, tracing } = options;
  const server = createServer(SERVER_LIMITS);
  const requests = trackRequests(server);
  const isTrustedProxy = trustedBy(config.trustedProxies);
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

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const scope = new RequestScope(req, res);
    requests.add(scope);
    const span = tracing?.request(req.headers);
    scope.onClose(() => {
      req.socket.off('close', close);
      requests.remove(scope);
      const summary = logResponse(scope, log);
      onResponse?.(summary);
      span?.end(summary);
    });
    const close = () => scope.close();
    res.once('close', close);
    // The response to a pipelined request emits nothing if the connection is closed before its turn.
    if (!res.socket) req.socket.once('close', close);
    try {
      checkRequestHeaders(req);
      await (span ? span.run(() => dispatch(scope)) : dispatch(scope));
    } catch (error) {
      sendError(scope, error, log);
    }
  }
  // One listener per pipelined request.
  server.on('connection', (socket) => socket.setMaxListeners(0));
  server.on('request', handle);
  // `Expect: 100-continue`: the client sends the body only after the checks that precede reading it.
  server.on('checkContinue', handle);
  server.on('checkExpectation', handle);
  server.on('clientError', (error, socket) => {
    if (requests.hasBegun(socket)) socket.destroy();
    else rejectMalformedRequest(error, socket);
  });

  return {
    async listen() {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port }, () => {
          server.off('error', reject);
          resolve();
        });
      });
      const { port: listeningPort } = server.address() as AddressInfo;
      return { url: addressOf(host, listeningPort), port: listeningPort };
    },
    close: requests.stop,
  };
}
