import type { HealthService } from '../features/health/health.service.ts';
import type { Exchange } from './exchange.ts';
import { sendJson } from './response/send-response.ts';

/** `GET /api/health` (contract 9): requires no key; HTTP 503 only if the database is down. */
export const healthHandler = (health: HealthService) => async (exchange: Exchange) => {
  const report = await health.check();
  sendJson(exchange, { status: report.database.status === 'up' ? 200 : 503, json: JSON.stringify(report) });
};
