import type { Clock } from '../../platform/clock.ts';
import type { Line } from '../../platform/read-lines.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { ConversationStore } from './conversations.store.ts';
import type { Conversions } from './conversions.ts';
import { batchesOf, type ImportReport, MAX_WEIGHT } from './import.batches.ts';
import { withImportLease } from './import.lease.ts';
import type { ImportStore } from './import.store.ts';
import { importWriter } from './import.writer.ts';

/** Batches that are stored at once: while one waits for the disk, the other one is written. */
const MAX_UNDER_WAY = 2;

interface Options {
  /** Whether the tenant's endpoints hear of what is imported. */
  emit: boolean;
  /** Called as lines are dealt with, with the bytes of the file that are done. */
  progress: (doneBytes: number, report: ImportReport) => void;
}

interface Deps {
  conversations: ConversationStore;
  conversions: Conversions;
  imports: ImportStore;
  outbox: Outbox;
  clock: Clock;
}

/**
 * Takes over conversations from elsewhere. One is there with all of its transcript or not at all, however an import
 * ends, and running it again goes on where it stopped.
 */
export function importService(deps: Deps) {
  const writer = importWriter(deps);
  const now = () => deps.clock.now();

  return {
    /**
     * Stores one conversation a line, in the shape that `GET /v1/conversations/:id` answers. Its `id` is the key
     * against doubles: a tenant has it once, however often it comes. A conversation keeps its id, and those inside
     * it, where they are object ids that nobody uses; else it gets new ones.
     *
     * A line that is wrong is reported, and the rest goes on.
     *
     * @throws AppError `CONFLICT` while another import of the tenant is running
     * @throws whatever the file or the database fails with; what was imported until then stays
     */
    importLines: (
      tenant: Tenant,
      lines: AsyncIterable<Line>,
      { emit, progress }: Options,
    ): Promise<ImportReport> =>
      withImportLease(deps.imports, tenant, async (check) => {
        const report: ImportReport = { lines: 0, imported: 0, known: 0, rejected: 0, errors: [] };
        const pending = new Set<string>();
        /** Batches that are being stored, with their weights. */
        const underWay = new Map<Promise<void>, number>();
        const isRoomFor = (weight: number): boolean => {
          const total = [...underWay.values()].reduce((sum, one) => sum + one, weight);
          return underWay.size === 0 || (underWay.size < MAX_UNDER_WAY && total <= MAX_WEIGHT);
        };
        await writer.clear(tenant);
        try {
          for await (const { conversations, weight, end } of batchesOf(lines, { report, pending, now })) {
            while (!isRoomFor(weight)) await Promise.race(underWay.keys());
            check();
            const storing = writer.storeAll(tenant, conversations, emit).then((imported) => {
              report.imported += imported;
              report.known += conversations.length - imported;
              for (const { id } of conversations) pending.delete(id);
              underWay.delete(storing);
              progress(end, report);
            });
            // Its failure is thrown where it is waited for, which may be later.
            storing.catch(() => {});
            underWay.set(storing, weight);
          }
          await Promise.all(underWay.keys());
        } finally {
          await Promise.allSettled(underWay.keys());
        }
        return report;
      }),
  };
}

export type ImportService = ReturnType<typeof importService>;
