import type { ErrorDetail } from '../../errors/app-error.ts';
import { MAX_BLOCK_BYTES } from '../sidecar-limits.ts';
import { ColumnBuilder, emptyColumnBytes, type ReserveBytes } from './column-builder.ts';
import {
  type Block,
  type Column,
  PREDICTION,
  RESIDUAL,
  type SampleColumns,
  type SampleRow,
} from './samples.types.ts';
import { nameProblem, rowProblem } from './validate-row.ts';

/** Maximum number of invalid rows that an error lists. */
export const MAX_REPORTED_PROBLEMS = 20;

/** Reports invalid rows; `details` lists them by position. */
export class RowsError extends Error {
  readonly details: ErrorDetail[];

  constructor(details: ErrorDetail[]) {
    super('The rows are not valid.');
    this.details = details;
  }
}

/** Rows as columns, the raw outcomes (`NaN` if unknown), and the times of the rows. */
export interface EncodedRows {
  block: Block;
  outcomes: Float64Array;
  /** Milliseconds since 1970, `NaN` for a row without a time; null if no row has one. */
  times: Float64Array | null;
}

/**
 * Validates rows and converts them to columns.
 * @throws RowsError
 */
export function encodeRows(rows: readonly unknown[]): EncodedRows {
  requireRows(rows);
  const builder = new BlockBuilder(rows.length);
  const outcomes = new Float64Array(rows.length);
  const predictions = new Float64Array(rows.length);
  let times: Float64Array | null = null;
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as SampleRow;
    predictions[index] = row.prediction;
    outcomes[index] = row.outcome ?? Number.NaN;
    if (row.occurredAt != null) {
      times ??= new Float64Array(rows.length).fill(Number.NaN);
      times[index] = Date.parse(row.occurredAt);
    }
    for (const name in row.features) builder.set(index, name, row.features[name] ?? null);
  }
  const encoded = withResiduals({ rows: rows.length, predictions, outcomes, features: builder.columns() });
  return { ...encoded, times };
}

/** Adds the columns of the prediction and the residual to those of the features. */
export function withResiduals({ rows, predictions, outcomes, features }: SampleColumns): EncodedRows {
  const residuals = predictions.map((prediction, row) => prediction - (outcomes[row] as number));
  features.set(PREDICTION, { numbers: predictions, words: [], codes: null });
  features.set(RESIDUAL, { numbers: residuals, words: [], codes: null });
  return { block: { rows, columns: features }, outcomes, times: null };
}

function requireRows(rows: readonly unknown[]): void {
  const details: ErrorDetail[] = [];
  for (let index = 0; index < rows.length && details.length < MAX_REPORTED_PROBLEMS; index += 1) {
    const problem = rowProblem(rows[index]);
    if (!problem) continue;
    const path = problem.path === '' ? `rows.${index}` : `rows.${index}.${problem.path}`;
    details.push({ path, message: problem.message });
  }
  if (details.length > 0) throw new RowsError(details);
}

class BlockBuilder {
  readonly #rows: number;
  readonly #builders = new Map<string, ColumnBuilder>();
  readonly #reserve: ReserveBytes;

  constructor(rows: number) {
    this.#rows = rows;
    this.#reserve = limitBytes(rows);
  }

  set(row: number, name: string, value: number | string | null): void {
    const builder = this.#builders.get(name) ?? this.#addColumn(row, name);
    if (typeof value === 'number') builder.setNumber(row, value);
    else if (value !== null) builder.setWord(row, value);
  }

  columns(): Map<string, Column> {
    return new Map([...this.#builders].map(([name, builder]) => [name, builder.column(this.#rows)]));
  }

  #addColumn(row: number, name: string): ColumnBuilder {
    const problem = nameProblem(name);
    if (problem) {
      throw new RowsError([{ path: `rows.${row}.features.${name.slice(0, 100)}`, message: problem }]);
    }
    this.#reserve(0, emptyColumnBytes(name));
    const builder = new ColumnBuilder({ capacity: this.#rows, reserve: this.#reserve });
    this.#builders.set(name, builder);
    return builder;
  }
}

/**
 * Bounds the stored size of a block, which starts with predictions, residuals, outcomes and times.
 * @returns a function that throws a `RowsError` if the block becomes too large
 */
export function limitBytes(rows: number): ReserveBytes {
  let bytes = rows * Float64Array.BYTES_PER_ELEMENT * 4;
  return (bytesPerRow, fixedBytes) => {
    bytes += bytesPerRow * rows + fixedBytes;
    if (bytes <= MAX_BLOCK_BYTES) return;
    throw new RowsError([
      {
        path: 'rows',
        message: `Must not exceed ${MAX_BLOCK_BYTES} bytes when stored; send fewer rows per request.`,
      },
    ]);
  };
}
