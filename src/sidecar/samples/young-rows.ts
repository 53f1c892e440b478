import mongoose from 'mongoose';
import { namedValue, type OutcomeDelay } from '../../config/values.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ModelDb } from '../model-db.ts';
import { batchesOf, type Partition, readAhead } from './sample.store.ts';
import { RESIDUAL } from './samples.types.ts';
import { fieldOf, storedNumbers } from './stored-block.ts';

/** Current rows whose outcome may still arrive. */
export interface YoungRows {
  /** Number of the last block that was read. */
  batches: number;
  rows: number;
  /** Their residuals; a row without an outcome has none. */
  residuals: number[];
}

interface Deps {
  db: ModelDb;
  /** Null if there are no young rows. */
  delay: OutcomeDelay | null;
  clock: Clock;
}

/**
 * Creates the reader of the current rows that are younger than the outcome delay. The age of a row counts from its
 * `occurredAt` or, without one, from the time at which the sidecar received it.
 */
export function createYoungRows({ db, delay, clock }: Deps) {
  const batches = batchesOf(db);

  return async (partition: Partition): Promise<YoungRows> => {
    const young: YoungRows = { batches: partition.batches, rows: 0, residuals: [] };
    const { set, stage, firstBatch, skippedRows } = partition;
    if (delay === null) return young;
    const ms = namedValue(delay.stageMs, stage) ?? delay.defaultMs;
    if (set === 'reference' || ms === 0) return young;
    const oldest = clock.now().getTime() - ms;
    const received = mongoose.mongo.ObjectId.createFromTime(Math.max(0, Math.floor(oldest / 1_000)));
    const column = `columns.${fieldOf(RESIDUAL)}.numbers`;
    const cursor = batches.find(
      {
        partition: partition._id,
        n: { $gte: firstBatch, $lte: partition.batches },
        $or: [
          { newestAt: { $gt: new Date(oldest) } },
          { newestAt: { $exists: false }, _id: { $gt: received } },
        ],
      },
      { projection: { n: 1, rows: 1, times: 1, [column]: 1 }, batchSize: readAhead(partition) },
    );
    for await (const { _id, n, rows, times, columns } of cursor) {
      const receivedAt = _id.getTimestamp().getTime();
      const rowTimes = times ? storedNumbers(times) : null;
      const stored = columns[fieldOf(RESIDUAL)]?.numbers;
      const residuals = stored ? storedNumbers(stored) : null;
      for (let row = n === firstBatch ? skippedRows : 0; row < rows; row += 1) {
        const time = rowTimes?.[row] ?? Number.NaN;
        if ((Number.isNaN(time) ? receivedAt : time) <= oldest) continue;
        young.rows += 1;
        const residual = residuals?.[row] ?? Number.NaN;
        if (!Number.isNaN(residual)) young.residuals.push(residual);
      }
    }
    return young;
  };
}

export type ReadYoungRows = ReturnType<typeof createYoungRows>;
