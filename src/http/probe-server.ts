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
  const paths = probePaths(options);
  return async (exchange) => {
    const handlers = paths.get(exchange.spelledPath);
    if (!handlers) throw noSuchPath();
    return handleMethod(exchange, handlers);
  };
}

/**
 * Returns the handlers of health and metrics by path. No other spelling of a path is valid, so that the filter of a proxy
 * matches every request that reaches them.
 */
export function probePaths({ services, config, metrics }: ProbeOptions): ReadonlyMap<string, MethodHandlers> {
  const paths = new Map<string, MethodHandlers>([['/api/health', { GET: healthHandler(services.health) }]]);
  if (metrics) paths.set('/metrics', { GET: metricsHandler(metrics, config) });
  return paths;
}
