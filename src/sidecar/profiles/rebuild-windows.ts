import { setImmediate as breathe } from 'node:timers/promises';
import { releaseBuffer } from '../../platform/release-buffer.ts';
import { quantilePlaces } from '../psi/psi.ts';
import { valuesAtRanks } from '../psi/rank-selection.ts';
import type { Partition, SampleStore } from '../samples/sample.store.ts';
import { EVERYTHING, joined, type Windows } from './windows.ts';

/** Numbers that are in memory at a time (16 MB): the features are read in as many passes as that takes. */
const NUMBERS_AT_ONCE = 2_000_000;

/** The samples were emptied while they were read: what was worked out from them is worth nothing. */
export class SamplesChanged extends Error {}

/**
 * Windows around the edges of features, from the raw values of the reference.
 * @param keep numbers of the reference that they hold on either side of an edge
 * @throws SamplesChanged
 */
export async function findWindows(
  store: SampleStore,
  reference: readonly Partition[],
  names: readonly string[],
  keep: number,
): Promise<Map<string, Windows>> {
  const rows = reference.reduce((sum, partition) => sum + partition.rows, 0);
  const atOnce = Math.max(1, Math.min(names.length, Math.floor(NUMBERS_AT_ONCE / Math.max(1, rows))));
  const columns = Array.from({ length: atOnce }, () => new Float64Array(rows));
  const windows = new Map<string, Windows>();
  for (let first = 0; first < names.length; first += atOnce) {
    const group = names.slice(first, first + atOnce);
    const filled = await readNumbers(store, reference, group, columns);
    for (const [index, name] of group.entries()) {
      windows.set(name, windowsOf((columns[index] as Float64Array).subarray(0, filled[index]), keep));
      await breathe(); // requests come first
    }
  }
  for (const column of columns) releaseBuffer(column.buffer);
  return windows;
}

function windowsOf(values: Float64Array, keep: number): Windows {
  if (values.length === 0) return EVERYTHING;
  const last = values.length - 1;
  const spans = quantilePlaces(values.length).map(({ below, above }) => ({
    low: Math.max(0, below - keep),
    high: Math.min(last, above + keep),
  }));
  const at = valuesAtRanks(
    values,
    spans.flatMap(({ low, high }) => [low, high]),
  );
  const valueAt = (rank: number): number => at.get(rank) ?? Number.NaN;
  return joined(spans.map(({ low, high }) => ({ low: valueAt(low), high: valueAt(high) })));
}

/** Fills a column for each feature with its numbers. @returns how many there are in each */
async function readNumbers(
  store: SampleStore,
  partitions: readonly Partition[],
  names: readonly string[],
  columns: readonly Float64Array[],
): Promise<number[]> {
  const filled = names.map(() => 0);
  let missing = 0;
  for (const partition of partitions) {
    missing += partition.rows;
    for await (const { block } of store.blocks(partition, 1, names)) {
      missing -= block.rows;
      for (const [index, name] of names.entries()) {
        const numbers = block.columns.get(name)?.numbers;
        if (numbers) filled[index] = append(columns[index] as Float64Array, filled[index] ?? 0, numbers);
      }
    }
  }
  if (missing !== 0) throw new SamplesChanged();
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
