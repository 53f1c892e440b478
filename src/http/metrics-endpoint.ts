import type { Config } from '../config/config.ts';
import { AppError } from '../errors/app-error.ts';
import { bearerTokenCheck } from '../platform/http/bearer-token.ts';
import { isLoopbackHostHeader } from '../platform/http/loopback-host.ts';
import type { RequestScope } from './request-scope.ts';
import { noSuchPath } from './response/routing-errors.ts';
import { DATA_HEADERS } from './response/security-headers.ts';
import { sendResponse } from './response/send-response.ts';

/** Renders all metrics in the Prometheus text format, with its content type (prom-client's `Registry`). */
export type RenderMetrics = () => Promise<{ contentType: string; text: string }>;

/**
 * `GET /metrics` (contract 2): requires the metrics token if one is set. Without one, it is public on loopback under a
 * name of this machine, and a 404 elsewhere: a page of another site can let its own name refer to loopback.
 */
export function metricsHandler(
  render: RenderMetrics,
  { metricsToken, loopback }: Pick<Config, 'metricsToken' | 'loopback'>,
) {
  const isAuthorized = metricsToken === null ? null : bearerTokenCheck(metricsToken);
  return async (scope: RequestScope): Promise<void> => {
    const { authorization, host } = scope.req.headers;
    if (!isAuthorized && !(loopback && isLoopbackHostHeader(host))) throw noSuchPath();
    if (isAuthorized && !isAuthorized(authorization))
      throw new AppError(
        'UNAUTHENTICATED',
        'A valid metrics token is required: Authorization: Bearer <METRICS_TOKEN>.',
      );
    const { contentType, text } = await render();
    sendResponse(scope, {
      status: 200,
      headers: [...DATA_HEADERS, 'Content-Type', contentType],
      body: text,
    });
  };
}
