import type { FastifyReply, FastifyRequest } from 'fastify';
import { OUTAGE_SECONDS } from '../errors/app-error.ts';
import type { HealthService } from '../features/health/health.service.ts';
import { respondJson } from './response/send-response.ts';

/** `GET /api/health` (contract 9): requires no key; HTTP 503 only if the database does not respond. */
export const healthHandler =
  (health: HealthService) => async (_request: FastifyRequest, reply: FastifyReply) => {
    const report = await health.check();
    const json = JSON.stringify(report);
    return report.status === 'down'
      ? respondJson(reply, { status: 503, json, headers: { 'retry-after': String(OUTAGE_SECONDS) } })
      : respondJson(reply, { status: 200, json });
  };
