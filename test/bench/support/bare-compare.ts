import { answerCalls } from '../../support/child-process.ts';
import { FEATURES, fillRow, NAMES, type SampleSet } from './samples.ts';

/*
 * Baseline of the sidecar's check: all values as columns in memory, a sort, counts, the formula. Nothing is
 * received, checked, stored or kept for the next time.
 */

let reference: Float64Array[] = [];
let current: Float64Array[] = [];

/** Columns of the features, the prediction and the residual. */
function columnsOf(set: SampleSet, rows: number): Float64Array[] {
  const columns = Array.from({ length: FEATURES + 2 }, () => new Float64Array(rows));
  const values = new Float64Array(FEATURES + 2);
  for (let row = 0; row < rows; row += 1) {
    fillRow(values, set, row);
    values[FEATURES + 1] = (values[FEATURES] ?? 0) - (values[FEATURES + 1] ?? 0);
    for (const [index, column] of columns.entries()) column[row] = values[index] ?? 0;
  }
  return columns;
}

function prepare({ rows }: { rows: number }): void {
  reference = columnsOf('reference', rows);
  current = columnsOf('current', rows);
}

function edgesOf(column: Float64Array): number[] {
  const sorted = column.filter((value) => !Number.isNaN(value)).sort();
  const edges = Array.from({ length: 9 }, (_, index) => {
    const position = ((sorted.length - 1) * (index + 1)) / 10;
    const below = sorted[Math.floor(position)] ?? 0;
    return below + ((sorted[Math.ceil(position)] ?? 0) - below) * (position % 1);
  });
  return [...new Set(edges)];
}

/** Shares of the bins and, at the end, of missing values. */
function sharesOf(column: Float64Array, edges: readonly number[]): number[] {
  const counts = new Float64Array(edges.length + 2);
  for (const value of column) {
    let bin = 0;
    if (Number.isNaN(value)) bin = edges.length + 1;
    else while (bin < edges.length && value > (edges[bin] ?? 0)) bin += 1;
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return [...counts].map((count) => count / column.length || 1e-4);
}

/** Compares the sets. @returns milliseconds, and the score of each feature */
function compare(): { ms: number; scores: Record<string, number> } {
  const startedAt = performance.now();
  const scores = reference.map((column, index) => {
    const edges = edgesOf(column);
    const before = sharesOf(column, edges);
    const now = sharesOf(current[index] ?? column, edges);
    return before.reduce((sum, p, bin) => sum + (p - (now[bin] ?? p)) * Math.log(p / (now[bin] ?? p)), 0);
  });
  const ms = performance.now() - startedAt;
  const names = [...NAMES, 'prediction', 'residual'];
  return { ms, scores: Object.fromEntries(names.map((name, index) => [name, scores[index] ?? Number.NaN])) };
}

const handlers = { prepare, compare: (_nothing: undefined) => compare() };
export type BareCompareCalls = typeof handlers;
answerCalls(handlers);
