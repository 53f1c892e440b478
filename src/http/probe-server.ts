import { healthHandler } from './health-endpoint.ts';
import { createListener, type HttpServer } from './http-listener.ts';
import type { ProbeOptions } from './http-server-options.ts';
import { handleMethod, type MethodHandlers } from './method-handlers.ts';
import { metricsHandler } from './metrics-endpoint.ts';
import type { RequestScope } from './request-scope.ts';
import { noSuchPath } from './response/routing-errors.ts';

/** Creates a server for metrics and health only (contract 2, `METRICS_PORT`). */
export function createProbeServer(options: ProbeOptions & { host: string; port: number }): HttpServer {
  return createListener({ ...options, dispatch: createProbeDispatch(options) });
}

function createProbeDispatch(options: ProbeOptions): (scope: RequestScope) => Promise<void> {
  const paths = probePaths(options);
  return async (scope) => {
    const handlers = paths.get(scope.spelledPath);
    if (!handlers) throw noSuchPath();
    return handleMethod(scope, handlers);
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
