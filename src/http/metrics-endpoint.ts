import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors/app-error.ts';
import { bearerTokenCheck } from '../platform/http/bearer-token.ts';
import { isLoopbackHostHeader } from '../platform/http/loopback-host.ts';
import { noSuchPath } from './response/routing-errors.ts';
import { DATA_HEADERS } from './response/security-headers.ts';

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
  return async ({ headers }: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const { authorization, host } = headers;
    if (!isAuthorized && !(loopback && isLoopbackHostHeader(host))) throw noSuchPath();
    if (isAuthorized && !isAuthorized(authorization))
      throw new AppError(
        'UNAUTHENTICATED',
        'A valid metrics token is required: Authorization: Bearer <METRICS_TOKEN>.',
      );
    const { contentType, text } = await render();
    reply.headers(DATA_HEADERS).header('content-type', contentType);
    return text;
  };
}
