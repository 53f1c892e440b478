import type { Models } from '../../database/models.ts';
import type { Clock } from '../../platform/clock.ts';
import { tenantLeaseStore } from '../../platform/leases/tenant-lease.store.ts';
import type { AuditService } from '../audit/audit.service.ts';
import type { ExportSource } from '../privacy/export-source.ts';
import type { PersonFinder } from '../privacy/person-finder.ts';
import type { PrivacyKeyStore } from '../privacy/privacy-keys.store.ts';
import { exportService } from './export.service.ts';

interface Deps {
  models: Models;
  /** Sources of all features. */
  sources: readonly ExportSource[];
  findPerson: PersonFinder;
  privacyKeys: PrivacyKeyStore;
  audit: Pick<AuditService, 'perform'>;
  clock: Clock;
}

/** Exports of everything that the service stores of a tenant or about a person. */
export const createExports = ({ models, clock, ...deps }: Deps) => ({
  services: {
    exports: exportService({ ...deps, leases: tenantLeaseStore(models.ExportLease, clock) }),
  },
});
