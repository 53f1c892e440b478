import type { Models } from '../../database/models.ts';
import type { RecurringJob, RequestRun } from '../../jobs/recurring-job.ts';
import type { Clock } from '../../platform/clock.ts';
import { createRunner } from '../../platform/leases/queue-runner.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { PersonalData } from '../privacy/erasure-step.ts';
import type { PersonFinder } from '../privacy/person-finder.ts';
import type { PrivacyKeyStore } from '../privacy/privacy-keys.store.ts';
import type { SuppressionService } from '../privacy/suppression.service.ts';
import type { GetTenant, Tenant } from '../tenants/tenants.types.ts';
import type { OperationalEvents } from '../webhooks/operational-events.ts';
import { erasureService } from './erasure.service.ts';
import { createErasureJobs } from './erasure-jobs.ts';
import { createErasureWork } from './erasure-work.ts';
import { erasureStore } from './erasures.store.ts';
import { type ObjectDeletionDeps, objectDeletionService } from './object-deletion.service.ts';
import { tenantDeletionService } from './tenant-deletion.service.ts';
import type { TenantRemoval } from './tenant-removal.ts';

const ERASURE_JOB = 'privacy.erase';
/** How often erasures are looked up that a crash has left, or that wait for deliveries. Milliseconds. */
const CLAIM_INTERVAL_MS = 1_000;
/** The interval while there are some, so that a list of people does not wait between small erasures. Milliseconds. */
const BUSY_CLAIM_INTERVAL_MS = 50;

/** Erasures in progress in a process: they are work of the database. */
const MAX_ACTIVE = 4;

interface Deps {
  models: Models;
  privacyKeys: PrivacyKeyStore;
  suppressions: SuppressionService;
  /** What each feature stores about people, in the order in which it is erased. */
  personalData: readonly PersonalData[];
  findPerson: PersonFinder;
  conversations: ObjectDeletionDeps['conversations'];
  conversationTraces: ObjectDeletionDeps['conversationTraces'];
  meetings: ObjectDeletionDeps['meetings'];
  outbox: Outbox;
  /** The removal of a tenant with everything that belongs to it. */
  tenantRemoval: TenantRemoval;
  getTenant: GetTenant;
  /** As `getTenant`; returns null for a deleted tenant. */
  findTenant: (customerId: number) => Promise<Tenant | null>;
  operationalEvents: OperationalEvents;
  requestRun: RequestRun;
  clock: Clock;
  log: Logger;
  /** True if this process runs erasures. */
  runsHere: boolean;
}

/** The erasure of people and the deletion of tenants, by jobs with receipts, and the deletion of single objects. */
export function createErasure(deps: Deps) {
  const { models, requestRun, clock, log, runsHere } = deps;
  const { getTenant, tenantRemoval } = deps;
  const erasures = erasureStore(models, clock);
  const runner = runsHere
    ? createRunner({
        queue: erasures,
        name: 'erasure',
        work: createErasureWork({ ...deps, erasures }),
        maxActive: MAX_ACTIVE,
        clock,
        log,
      })
    : null;
  const jobs = createErasureJobs({ erasures, runner, requestRun: () => requestRun(ERASURE_JOB) });
  return {
    services: {
      erasures: erasureService({ ...deps, erasures, jobs }),
      deletions: objectDeletionService(deps),
      tenantDeletions: tenantDeletionService({
        ...{ erasures, jobs, getTenant, clock },
        startDeletion: tenantRemoval.startDeletion,
      }),
    },
    jobs: (runner
      ? [
          {
            name: ERASURE_JOB,
            every: CLAIM_INTERVAL_MS,
            busyEvery: BUSY_CLAIM_INTERVAL_MS,
            run: runner.claimAll,
          },
        ]
      : []) satisfies RecurringJob[],

    /** Returns true if the deletion of a customer was started. */
    hasDeletion: (customerId: number): Promise<boolean> => erasures.hasDeletion({ customerId }),

    /** Aborts erasures in this process and releases their leases. */
    close: async (graceMs: number): Promise<void> => runner?.close(graceMs),
  };
}
