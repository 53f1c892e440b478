import type { Exchange } from './exchange.ts';
import { healthHandler } from './health-endpoint.ts';
import { createListener, type HttpServer } from './http-listener.ts';
import type { ProbeOptions } from './http-server-options.ts';
import { handleMethod, type MethodHandlers } from './method-handlers.ts';
import { metricsHandler } from './metrics-endpoint.ts';
import { noSuchPath } from './response/routing-errors.ts';

/** Creates a server for metrics and health only (contract 2, `METRICS_PORT`). */
export function createProbeServer(options: ProbeOptions & { host: string; port: number }): HttpServer {
  return createListener({ ...options, dispatch: createProbeDispatch(options) });
}

function createProbeDispatch(options: ProbeOptions): (exchange: Exchange) => Promise<void> {
  const paths = new Map(probePaths(options));
  return async (exchange) => {
    const handlers = paths.get(exchange.path);
    if (!handlers) throw noSuchPath();
    return handleMethod(exchange, handlers);
  };
}

/** Returns the handlers of health and metrics. */
export function probePaths({ services, config, metrics }: ProbeOptions): [string, MethodHandlers][] {
  const paths: [string, MethodHandlers][] = [['/api/health', { GET: healthHandler(services.health) }]];
  if (metrics) paths.push(['/metrics', { GET: metricsHandler(metrics, config) }]);
  return paths;
}
