import type { Models } from '../../database/models.ts';
import { type AuditDeps, auditService } from './audit.service.ts';
import { auditStore } from './audit.store.ts';

/** How often a process records the refusals that it has counted. Milliseconds. */
const REFUSAL_INTERVAL_MS = 60_000;

/** The audit log, its recurring jobs, and the count of refused requests of this process. */
export function createAudit({ models, ...deps }: Omit<AuditDeps, 'store'> & { models: Models }) {
  const { service, ...audit } = auditService({ store: auditStore(models), ...deps });
  const flush = () => service.flushRefusals().catch(() => {});
  const timer = setInterval(() => void flush(), REFUSAL_INTERVAL_MS).unref();
  return {
    ...audit,
    services: { audit: service },
    async close(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
}
