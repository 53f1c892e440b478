import type { Clock } from '../../../platform/clock.ts';
import type { TenantLeaseStore } from '../../../platform/leases/tenant-lease.store.ts';
import type { Line } from '../../../platform/read-lines.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import type { Suppressions } from '../../privacy/suppression.service.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { ConversationStore } from '../conversations.store.ts';
import type { Conversions } from '../conversions.ts';
import type { ImportStore } from './import.store.ts';
import { batchesOf, type ImportReport, MAX_WEIGHT } from './import-batches.ts';
import { createImportWriter } from './import-writer.ts';

/** Batches stored concurrently: one waits for the disk while the other is written. */
const MAX_BATCHES_IN_FLIGHT = 2;
const MAX_WEIGHT_IN_FLIGHT = MAX_BATCHES_IN_FLIGHT * MAX_WEIGHT;

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
  leases: TenantLeaseStore;
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
    async importLines(
      tenant: Tenant,
      lines: AsyncIterable<Line>,
      { emit, progress, onStored }: Options,
    ): Promise<ImportReport> {
      await using lease = await deps.leases.hold(tenant, { messages: LEASE_MESSAGES });
      const requireLease = lease.requireHeld;
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
        return (
          inFlight.size === 0 || (inFlight.size < MAX_BATCHES_IN_FLIGHT && total <= MAX_WEIGHT_IN_FLIGHT)
        );
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
    },
  };
}

/** Why an import does not run, or does not continue. */
const LEASE_MESSAGES = {
  running: 'Another import for this customer is running. Run this import after it has ended.',
  lost: 'The import lost its lease, and another import may be running. Run this import again to continue.',
};

export type ImportService = ReturnType<typeof importService>;
