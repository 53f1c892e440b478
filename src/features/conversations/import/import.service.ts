import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../errors/app-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import { holdLease, type Lease } from '../../../platform/leases/lease.ts';
import type { Line } from '../../../platform/read-lines.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import type { Suppressions } from '../../privacy/suppression.service.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { ConversationStore } from '../conversations.store.ts';
import type { Conversions } from '../conversions.ts';
import type { ImportStore } from './import.store.ts';
import { batchesOf, type ImportReport, MAX_WEIGHT } from './import-batches.ts';
import { IMPORT_LEASE_TTL_MS, type ImportLeaseStore } from './import-lease.store.ts';
import { createImportWriter } from './import-writer.ts';

/** Batches stored concurrently: one waits for the disk while the other is written. */
const MAX_BATCHES_IN_FLIGHT = 2;

interface Options {
  /** True to deliver the events of imported conversations to the tenant's endpoints. */
  emit: boolean;
  /** Called after each stored batch with the number of bytes of the file processed so far. */
  progress: (doneBytes: number, report: ImportReport) => void;
  /** Called with the conversations of each stored batch, including conversations that the tenant already had. */
  onStored?: (conversations: ImportedId[]) => void;
}

/** A conversation of an imported line. */
export interface ImportedId {
  /** `id` of the line. */
  importId: string;
  /** Id of the conversation in the service. */
  id: string;
}

interface Deps {
  conversations: ConversationStore;
  conversions: Conversions;
  imports: ImportStore;
  leases: ImportLeaseStore;
  outbox: Outbox;
  suppressions: Suppressions;
  clock: Clock;
}

/**
 * Imports conversations from other systems. However an import ends, each conversation is stored completely or not at all,
 * and the next run continues.
 */
export function importService(deps: Deps) {
  const writer = createImportWriter(deps);
  const now = () => deps.clock.now();

  return {
    /**
     * Stores one conversation per line, in the format of `GET /v1/conversations/:id`. Each `id` is stored once per tenant.
     * A conversation keeps its id and nested ids if they are unused object ids; otherwise it gets new ones. Malformed
     * lines are reported and skipped.
     *
     * @throws AppError `CONFLICT` while another import of the tenant is running
     * @throws errors of the file and of the database; conversations imported until then are kept
     */
    importLines: (
      tenant: Tenant,
      lines: AsyncIterable<Line>,
      { emit, progress, onStored }: Options,
    ): Promise<ImportReport> =>
      withImportLease(deps.leases, tenant, async (requireLease) => {
        const report: ImportReport = {
          lines: 0,
          imported: 0,
          known: 0,
          suppressed: 0,
          rejected: 0,
          errors: [],
          reasons: [],
        };
        const pending = new Set<string>();
        /** Weights by batch in progress. */
        const inFlight = new Map<Promise<void>, number>();
        const isRoomFor = (weight: number): boolean => {
          const total = [...inFlight.values()].reduce((sum, one) => sum + one, weight);
          return inFlight.size === 0 || (inFlight.size < MAX_BATCHES_IN_FLIGHT && total <= MAX_WEIGHT);
        };
        const completed = await writer.discardLeftovers(tenant);
        try {
          for await (const { conversations, weight, end } of batchesOf(lines, { report, pending, now })) {
            while (!isRoomFor(weight)) await Promise.race(inFlight.keys());
            requireLease();
            const storing = writer
              .storeAll(tenant, conversations, { emit, requireLease, completed })
              .then(({ stored, suppressed, ids }) => {
                report.imported += stored;
                report.suppressed += suppressed;
                report.known += conversations.length - stored;
                onStored?.(conversations.map(({ id }) => ({ importId: id, id: ids.get(id) ?? '' })));
                for (const { id } of conversations) pending.delete(id);
                inFlight.delete(storing);
                progress(end, report);
              });
            // Handled where the promise is awaited.
            storing.catch(() => {});
            inFlight.set(storing, weight);
          }
          await Promise.all(inFlight.keys());
        } finally {
          await Promise.allSettled(inFlight.keys());
        }
        return report;
      }),
  };
}

export type ImportService = ReturnType<typeof importService>;

/** Longer than the TTL, so that the lease of a killed import expires in time. */
const ACQUIRE_TIMEOUT_MS = IMPORT_LEASE_TTL_MS + 1_000;
const ACQUIRE_INTERVAL_MS = 250;

/** @throws AppError `CONFLICT` if another import holds the lease for longer than `ACQUIRE_TIMEOUT_MS` */
async function acquire(leases: ImportLeaseStore, tenant: Tenant): Promise<Lease> {
  const deadline = performance.now() + ACQUIRE_TIMEOUT_MS;
  for (;;) {
    const lease = await leases.acquire(tenant);
    if (lease) return lease;
    if (performance.now() > deadline)
      throw new AppError(
        'CONFLICT',
        'Another import for this customer is running. Run this import after it has ended.',
      );
    await sleep(ACQUIRE_INTERVAL_MS);
  }
}

/**
 * Runs `work` as the tenant's only import.
 *
 * @param work calls `requireLease` before each step that needs the lease; it throws once the lease is lost
 * @throws AppError `CONFLICT` if another import is running, or the lease was lost
 */
async function withImportLease<T>(
  leases: ImportLeaseStore,
  tenant: Tenant,
  work: (requireLease: () => void) => Promise<T>,
): Promise<T> {
  const lease = await acquire(leases, tenant);
  using held = holdLease({
    ttlMs: IMPORT_LEASE_TTL_MS,
    renew: () => leases.renew(tenant, lease),
    // If the database is unreachable, the import's own writes report it.
    onError: () => {},
  });
  const requireLease = (): void => {
    if (!held.isHeld())
      throw new AppError(
        'CONFLICT',
        'The import lost its lease, and another import may be running. Run this import again to continue.',
      );
  };
  try {
    return await work(requireLease);
  } finally {
    await leases.release(tenant, lease).catch(() => {});
  }
}
