import type { Models } from '../../database/models.ts';
import type { Cipher } from '../../platform/cipher.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Coherence } from '../../platform/coherence/coherence.ts';
import { apiKeyStore } from './api-key.store.ts';
import { createConsoleSessions } from './console-sessions.ts';
import { keyService } from './keys.service.ts';
import { createSuspensions } from './suspensions.ts';
import { tenantService } from './tenants.service.ts';
import { tenantStore } from './tenants.store.ts';

/** How often `lastUsedAt` is written. */
const FLUSH_INTERVAL_MS = 30_000;

interface TenantsDeps {
  models: Models;
  coherence: Coherence;
  cipher: Cipher;
  clock: Clock;
  /** Validity of a key that is created without an expiry time; null if it does not expire. */
  keyExpiryMs: number | null;
  /** Durations before the expiry of a key at which its reminders are due; empty for none. */
  remindersMs: readonly number[];
  /** Returns true for the id of a deleted customer. */
  wasDeleted: (customerId: number) => Promise<boolean>;
}

/** Tenants, their API keys and console sign-in. */
export function createTenants(deps: TenantsDeps) {
  const { models, coherence, cipher, clock, keyExpiryMs, remindersMs, wasDeleted } = deps;
  const tenants = tenantStore(models);
  const suspensions = createSuspensions(tenants, coherence);
  const storedKeys = apiKeyStore(models, coherence);
  const keys = keyService({ storedKeys, tenants, suspensions, clock, keyExpiryMs, remindersMs });
  const timer = setInterval(() => void keys.flushLastUsed().catch(() => {}), FLUSH_INTERVAL_MS).unref();

  return {
    suspensions,
    storedKeys,
    /** Also returns a tenant that is being deleted, for work in the background. @throws AppError `NOT_FOUND` */
    getTenant: tenants.get,
    /** As `getTenant`; returns null for a tenant that does not exist, such as a deleted one. */
    findTenant: tenants.find,
    services: {
      tenants: tenantService({ tenants, suspensions, wasDeleted, clock }),
      keys,
      consoleSessions: createConsoleSessions({ cipher, storedKeys, keys, clock }),
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await keys.flushLastUsed();
    },
  };
}
