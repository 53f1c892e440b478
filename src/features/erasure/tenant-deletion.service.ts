import { AppError, invalid } from '../../errors/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { GetTenant } from '../tenants/tenants.types.ts';
import type { DeliveryPolicy, ErasureStatus } from './erasure.types.ts';
import { type ErasureJobs, newJob } from './erasure-jobs.ts';
import { type ErasureDoc, TENANT_SUBJECT } from './erasures.model.ts';
import type { ErasureStore } from './erasures.store.ts';
import { deletionStateOf, type TenantRemoval } from './tenant-removal.ts';

/** Longest wait for a dry run, so that the answer has the counts. Milliseconds. */
const DRY_RUN_WAIT_MS = 3_000;

export interface TenantDeletionInput {
  /** Repeats the organization id of the tenant, against a slip. */
  orgId: string;
  /** True to count only. */
  dryRun?: boolean | null;
  deliveries?: DeliveryPolicy | null;
}

/** The deletion of a tenant, as clients see it: the progress of the job, and its receipt. */
export interface TenantDeletion {
  id: string;
  customerId: number;
  status: ErasureStatus;
  dryRun: boolean;
  deliveries: DeliveryPolicy;
  /** Removed documents by collection, without those with none. */
  counts: { collection: string; count: number }[];
  createdBy: string | null;
  startedAt: Date;
  finishedAt: Date | null;
  error: string | null;
}

const toDeletion = (doc: ErasureDoc): TenantDeletion => ({
  id: doc._id.toHexString(),
  customerId: doc.customerId,
  status: doc.status,
  dryRun: doc.dryRun,
  deliveries: doc.deliveries,
  counts: Object.entries(doc.counts)
    .map(([collection, count = 0]) => ({ collection, count }))
    .toSorted((a, b) => a.collection.localeCompare(b.collection)),
  createdBy: doc.createdBy,
  startedAt: doc.startedAt,
  finishedAt: doc.finishedAt,
  error: doc.error,
});

interface Deps {
  erasures: ErasureStore;
  jobs: ErasureJobs;
  getTenant: GetTenant;
  startDeletion: TenantRemoval['startDeletion'];
  clock: Clock;
}

/** Deletes tenants with everything that belongs to them. */
export function tenantDeletionService({ erasures, jobs, getTenant, startDeletion, clock }: Deps) {
  /** Starts the deletion, and waits for a dry run. */
  async function begin(
    customerId: number,
    { orgId, ...policy }: TenantDeletionInput,
    createdBy: string | null,
    signal?: AbortSignal,
  ): Promise<ErasureDoc> {
    const tenant = await getTenant(customerId);
    if (tenant.orgId !== orgId)
      throw invalid('orgId', `Must be the organization id of customer ${customerId}.`);
    const [stored] = await jobs.start([
      {
        ...newJob({ customerId, createdBy, startedAt: clock.now(), policy }),
        target: 'tenant',
        suppress: false,
        subject: TENANT_SUBJECT,
        isResolved: true,
      },
    ]);
    if (stored.dryRun) return jobs.untilEnded(stored, DRY_RUN_WAIT_MS, signal);
    await startDeletion(customerId, deletionStateOf(stored, clock.now()));
    // The deletion waits behind them otherwise: a tenant has thousands at most, and few run at a time.
    await erasures.abortOfPeople({ customerId }, clock.now());
    return stored;
  }

  return {
    /**
     * Starts to delete a tenant; once this resolves, every process refuses its requests. Returns the running deletion if
     * there is one.
     *
     * @param signal aborts when the client no longer waits for a dry run
     * @throws AppError `NOT_FOUND`; `VALIDATION_FAILED` if the organization id is not the tenant's
     */
    start: async (
      customerId: number,
      input: TenantDeletionInput,
      createdBy: string | null,
      signal?: AbortSignal,
    ): Promise<TenantDeletion> => toDeletion(await begin(customerId, input, createdBy, signal)),

    /** Returns the deletion of a tenant, or else its latest dry run. @throws AppError `NOT_FOUND` */
    async get(customerId: number): Promise<TenantDeletion> {
      const found = await erasures.deletionOf({ customerId });
      if (!found) throw new AppError('NOT_FOUND', `Customer ${customerId} has not been deleted.`);
      return toDeletion(found);
    },

    /** Waits for the end of a deletion, for a command. @throws AppError `NOT_FOUND` */
    async complete({ customerId, id }: TenantDeletion): Promise<TenantDeletion> {
      const found = await erasures.findById({ customerId }, id);
      if (!found) throw new AppError('NOT_FOUND', 'The deletion does not exist.');
      return toDeletion(await jobs.complete(found));
    },
  };
}

export type TenantDeletionService = ReturnType<typeof tenantDeletionService>;
