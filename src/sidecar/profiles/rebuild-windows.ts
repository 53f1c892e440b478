import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { releaseBuffer } from '../../platform/release-buffer.ts';
import { quantileRanks } from '../psi/psi.ts';
import { valuesAtRanks } from '../psi/rank-selection.ts';
import { type Partition, type SampleStore, SamplesChangedError } from '../samples/sample.store.ts';
import { ALL_VALUES, mergeOverlapping, type Windows } from './value-windows.ts';

/** Maximum number of values in memory at a time (16 MB); more features are read in several passes. */
const MAX_NUMBERS_IN_MEMORY = 2_000_000;

interface FindWindowsOptions {
  store: SampleStore;
  reference: readonly Partition[];
  /** Names of the features. */
  names: readonly string[];
  /** Number of reference values inside the windows on either side of an edge. */
  keep: number;
}

/**
 * Computes windows around the edges of features from the raw values of the reference.
 * @throws SamplesChangedError
 */
export async function findWindows({
  store,
  reference,
  names,
  keep,
}: FindWindowsOptions): Promise<Map<string, Windows>> {
  const rows = reference.reduce((sum, partition) => sum + partition.rows, 0);
  const passSize = Math.max(1, Math.min(names.length, Math.floor(MAX_NUMBERS_IN_MEMORY / Math.max(1, rows))));
  const columns = Array.from({ length: passSize }, () => new Float64Array(rows));
  const windows = new Map<string, Windows>();
  for (let first = 0; first < names.length; first += passSize) {
    const group = names.slice(first, first + passSize);
    const filled = await readNumbers({ store, partitions: reference, names: group, columns });
    for (const [index, name] of group.entries()) {
      windows.set(name, windowsOf((columns[index] as Float64Array).subarray(0, filled[index]), keep));
      await yieldToEventLoop();
    }
  }
  for (const column of columns) releaseBuffer(column.buffer);
  return windows;
}

function windowsOf(values: Float64Array, keep: number): Windows {
  if (values.length === 0) return ALL_VALUES;
  const last = values.length - 1;
  const ranges = quantileRanks(values.length).map(({ below, above }) => ({
    low: Math.max(0, below - keep),
    high: Math.min(last, above + keep),
  }));
  const at = valuesAtRanks(
    values,
    ranges.flatMap(({ low, high }) => [low, high]),
  );
  const valueAt = (rank: number): number => at.get(rank) ?? Number.NaN;
  return mergeOverlapping(ranges.map(({ low, high }) => ({ low: valueAt(low), high: valueAt(high) })));
}

interface ReadNumbersOptions {
  store: SampleStore;
  partitions: readonly Partition[];
  names: readonly string[];
  /** Destination of each feature's numbers. */
  columns: readonly Float64Array[];
}

/** Reads the numbers of features into columns and returns how many each has. */
async function readNumbers({ store, partitions, names, columns }: ReadNumbersOptions): Promise<number[]> {
  const filled = names.map(() => 0);
  let missing = 0;
  for (const partition of partitions) {
    missing += partition.rows;
    for await (const { block } of store.blocks(partition, { from: 1, features: names })) {
      missing -= block.rows;
      for (const [index, name] of names.entries()) {
        const numbers = block.columns.get(name)?.numbers;
        if (numbers) filled[index] = append(columns[index] as Float64Array, filled[index] ?? 0, numbers);
      }
    }
  }
  if (missing !== 0) throw new SamplesChangedError();
  return filled;
}

function append(column: Float64Array, from: number, numbers: Float64Array): number {
  let at = from;
  for (let index = 0; index < numbers.length; index += 1) {
    const value = numbers[index] as number;
    if (Number.isNaN(value)) continue;
    column[at] = value;
    at += 1;
  }
  return at;
}
