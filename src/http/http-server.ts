import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Schemas } from '../../schema/index.ts';
import { addressOf, type Config } from '../config.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../platform/logger.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import type { Services } from '../services.ts';
import { type AnswerSummary, logAnswer } from './access-log.ts';
import { Exchange } from './exchange.ts';
import { refuseMalformed, trackExchanges } from './live-exchanges.ts';
import type { RenderMetrics } from './metrics-endpoint.ts';
import { createDispatch } from './request-dispatch.ts';
import { sendError } from './response/send-response.ts';

export interface HttpServerOptions {
  services: Services;
  schemas: Schemas;
  log: Logger;
  config: Pick<Config, 'host' | 'port' | 'loopback' | 'rateLimit' | 'metricsToken'>;
  /** Filled into GraphiQL; embedded mode on loopback only (contract 1). */
  demoReadKey?: string | null;
  /** Renders `GET /metrics`; absent: `METRICS=off`. */
  metrics?: RenderMetrics;
  /** Told of every answer, for the metrics. */
  onAnswer?(summary: AnswerSummary): void;
  /** Absent or null: nobody asks for traces. */
  tracing?: Tracing | null;
}

export interface HttpServer {
  /** Starts to accept. @returns where, as `http://127.0.0.1:4000` */
  listen(): Promise<{ url: string; port: number }>;
  /**
   * Stops accepting, ends server-sent events and idle connections, finishes what is running.
   * @param graceMs milliseconds after which whatever still runs is cut off
   */
  close(graceMs: number): Promise<void>;
}

/** Bounds on what a client may take: slow headers, slow bodies and idle connections all end. Milliseconds and bytes. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the 60 s after which load balancers usually let go, so that it is never us who close first.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
  // Checked here, to be answered as every other error is.
  requireHostHeader: false,
};

/** The one HTTP server: REST, GraphQL, their documents and the health. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { log, config, onAnswer, tracing } = options;
  const dispatch = createDispatch(options);
  const server = createServer(LIMITS);
  const exchanges = trackExchanges(server);

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const x = new Exchange(req, res);
    exchanges.add(x);
    const span = tracing?.request(req.headers);
    res.once('close', () => {
      exchanges.remove(x);
      const summary = logAnswer(x, log);
      onAnswer?.(summary);
      span?.end(summary);
    });
    try {
      if (req.headers.host === undefined && req.httpVersionMinor > 0) {
        throw new AppError('BAD_REQUEST', 'The Host header is missing.');
      }
      await (span ? span.run(() => dispatch(x)) : dispatch(x));
    } catch (error) {
      sendError(x, error, log);
    }
  }
  server.on('request', handle);
  // `Expect: 100-continue`: the body is asked for once it is known to be wanted.
  server.on('checkContinue', handle);
  server.on('checkExpectation', handle);
  server.on('clientError', (error, socket) => {
    if (exchanges.hasBegun(socket)) socket.destroy();
    else refuseMalformed(error, socket);
  });

  return {
    async listen() {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host: config.host, port: config.port }, () => {
          server.off('error', reject);
          resolve();
        });
      });
      const { port } = server.address() as AddressInfo;
      return { url: addressOf(config.host, port), port };
    },
    close: exchanges.stop,
  };
}
