import { OUTAGE_SECONDS } from '../errors/app-error.ts';
import type { HealthService } from '../features/health/health.service.ts';
import type { RequestScope } from './request-scope.ts';
import { sendJson } from './response/send-response.ts';

/** `GET /api/health` (contract 9): requires no key; HTTP 503 only if the database does not respond. */
export const healthHandler = (health: HealthService) => async (scope: RequestScope) => {
  const report = await health.check();
  const json = JSON.stringify(report);
  if (report.status === 'down')
    sendJson(scope, { status: 503, json, headers: ['Retry-After', String(OUTAGE_SECONDS)] });
  else sendJson(scope, { status: 200, json });
};
