import type { ErrorDetail } from '../../errors/app-error.ts';
import { MAX_BLOCK_BYTES } from '../sidecar-limits.ts';
import { ColumnBuilder, emptyColumnBytes, type ReserveBytes, wordBytes } from './column-builder.ts';
import {
  type Block,
  type Column,
  PREDICTION,
  RESIDUAL,
  type RowDetails,
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

/** Rows as columns, the raw outcomes (`NaN` if unknown), and what else the rows have. */
export interface EncodedRows extends RowDetails {
  block: Block;
  outcomes: Float64Array;
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
  let ids: (string | null)[] | null = null;
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as SampleRow;
    predictions[index] = row.prediction;
    outcomes[index] = row.outcome ?? Number.NaN;
    if (row.occurredAt != null) {
      times ??= new Float64Array(rows.length).fill(Number.NaN);
      times[index] = Date.parse(row.occurredAt);
    }
    if (row.id != null) {
      builder.reserve(wordBytes(row.id));
      ids ??= new Array<string | null>(rows.length).fill(null);
      ids[index] = row.id;
    }
    for (const name in row.features) builder.set(index, name, row.features[name] ?? null);
  }
  const features = builder.columns();
  return withResiduals({ rows: rows.length, predictions, outcomes, features, times, ids });
}

/** Adds the columns of the prediction and the residual to the feature columns. */
export function withResiduals(columns: SampleColumns): EncodedRows {
  const { rows, predictions, outcomes, features, times, ids } = columns;
  const residuals = predictions.map((prediction, row) => prediction - (outcomes[row] as number));
  features.set(PREDICTION, { numbers: predictions, words: [], codes: null });
  features.set(RESIDUAL, { numbers: residuals, words: [], codes: null });
  return { block: { rows, columns: features }, outcomes, times, ids };
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

  /** Counts bytes besides the columns. @throws RowsError if the block becomes too large */
  reserve(bytes: number): void {
    this.#reserve(0, bytes);
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
