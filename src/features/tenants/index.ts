import type { Models } from '../../database.ts';
import type { RecurringJob } from '../../jobs/recurring-job.ts';
import type { Clock } from '../../platform/clock.ts';
import { keyService } from './keys.service.ts';
import { tenantService } from './tenants.service.ts';
import { apiKeyStore, tenantStore } from './tenants.store.ts';

/** How often it is written down when keys were last used. Milliseconds. */
const FLUSH_USE_MS = 30_000;

/** Tenants and their API keys. */
export function createTenants({ models, clock }: { models: Models; clock: Clock }) {
  const tenants = tenantStore(models);
  const keys = keyService({ keys: apiKeyStore(models), tenants, clock });
  const timer = setInterval(() => void keys.flushUse().catch(() => {}), FLUSH_USE_MS).unref();

  return {
    services: { tenants: tenantService({ tenants, clock }), keys },
    jobs: [] as RecurringJob[],
    async close(): Promise<void> {
      clearInterval(timer);
      await keys.flushUse();
    },
  };
}
