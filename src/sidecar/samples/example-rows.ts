import type { ModelDb } from '../model-db.ts';
import type { FeatureBin } from '../psi/feature-bins.ts';
import type { RowSelection } from './row-selection.ts';
import { batchesOf, type Partition } from './sample.store.ts';
import type { Column } from './samples.types.ts';
import { fieldOf, fromStored } from './stored-block.ts';

/** Maximum number of ids of a feature. */
const MAX_EXAMPLES = 5;
/** Number of newest blocks of a partition that are searched. */
const MAX_BLOCKS = 4;

/** Creates the reader of the ids of rows in a bin. */
export function createExampleRows(db: ModelDb) {
  const batches = batchesOf(db);

  /** Returns the ids of the newest rows of the partitions, or of the selected rows among them, in a bin of a feature. */
  return async (
    partitions: readonly Partition[],
    feature: string,
    bin: FeatureBin,
    selection: RowSelection | null,
  ): Promise<string[]> => {
    const found: string[] = [];
    for (const { _id, firstBatch, skippedRows, hasIds } of partitions) {
      if (!hasIds) continue;
      const cursor = batches.find(
        { partition: _id, n: { $gte: firstBatch } },
        {
          projection: { n: 1, rows: 1, ids: 1, [`columns.${fieldOf(feature)}`]: 1 },
          sort: { n: -1 },
          limit: MAX_BLOCKS,
          batchSize: 1,
        },
      );
      for await (const { n, rows, ids, columns = {} } of cursor) {
        const column = fromStored({ rows, columns }).columns.get(feature);
        const first = n === firstBatch ? skippedRows : 0;
        for (let row = rows - 1; row >= first && found.length < MAX_EXAMPLES; row -= 1) {
          const id = ids?.[row];
          if (id == null || !isIn(bin, column, row)) continue;
          if (selection === null || selection.isCurrent(_id, n, row)) found.push(id);
        }
        if (found.length === MAX_EXAMPLES) return found;
      }
    }
    return found;
  };
}

function isIn(
  { lower, upper, category, missing }: FeatureBin,
  column: Column | undefined,
  row: number,
): boolean {
  const code = column?.codes?.[row] ?? 0;
  const value = column?.numbers?.[row] ?? Number.NaN;
  if (missing) return code === 0 && Number.isNaN(value);
  if (category !== null) return code > 0 && column?.words[code - 1] === category;
  return !Number.isNaN(value) && (lower === null || value > lower) && (upper === null || value <= upper);
}
