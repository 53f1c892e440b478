import type { FastifyInstance } from 'fastify';
import { AppError, OUTAGE_SECONDS } from '../errors/app-error.ts';
import { bearerTokenCheck } from '../platform/http/bearer-token.ts';
import { isLoopbackHostHeader } from '../platform/http/loopback-host.ts';
import type { ProbeOptions } from './http-server-options.ts';
import { noSuchPath } from './response/routing-errors.ts';
import { DATA_HEADERS } from './response/security-headers.ts';
import { respondJson } from './response/send-response.ts';

/**
 * Adds health and metrics. No other spelling of their paths is valid, so that the filter of a proxy matches every request
 * that reaches them.
 *
 * - `GET /api/health` (contract 9) requires no key; HTTP 503 only if the database does not respond.
 * - `GET /metrics` (contract 2) requires the metrics token if one is set. Without one, it is public on loopback for a
 *   `Host` that names this machine, and a 404 otherwise: DNS rebinding lets a page of another site reach loopback under
 *   the name of that site.
 */
export function addProbes(app: FastifyInstance, { services, config, metrics }: ProbeOptions): void {
  app.get('/api/health', { config: { isExact: true } }, async (_request, reply) => {
    const report = await services.health.check();
    const json = JSON.stringify(report);
    return report.status === 'down'
      ? respondJson(reply, { status: 503, json, headers: { 'retry-after': String(OUTAGE_SECONDS) } })
      : respondJson(reply, { status: 200, json });
  });

  if (!metrics) return;
  const { metricsToken, loopback } = config;
  const isAuthorized = metricsToken === null ? null : bearerTokenCheck(metricsToken);
  app.get('/metrics', { config: { isExact: true, cors: false } }, async ({ headers }, reply) => {
    if (!isAuthorized && !(loopback && isLoopbackHostHeader(headers.host))) throw noSuchPath();
    if (isAuthorized && !isAuthorized(headers.authorization))
      throw new AppError(
        'UNAUTHENTICATED',
        'A valid metrics token is required: Authorization: Bearer <METRICS_TOKEN>.',
      );
    const { contentType, text } = await metrics();
    reply.headers(DATA_HEADERS).header('content-type', contentType);
    return text;
  });
}
