import type { ErrorDetail } from '../../errors/app-error.ts';
import { MAX_BLOCK_BYTES } from '../sidecar-limits.ts';
import { type Block, type Column, PREDICTION, RESIDUAL, type SampleRow } from './samples.types.ts';
import { nameProblem, rowProblem } from './validate-row.ts';

/** Maximum number of invalid rows that an error lists. */
const MAX_REPORTED_PROBLEMS = 20;

/** Reports invalid rows; `details` lists them by position. */
export class RowsError extends Error {
  readonly details: ErrorDetail[];

  constructor(details: ErrorDetail[]) {
    super('The rows are not valid.');
    this.details = details;
  }
}

/** Rows as columns, and the raw outcomes (`NaN` if unknown). */
export interface EncodedRows {
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
  const outcomes = new Float64Array(rows.length).fill(Number.NaN);
  const predictions = new Float64Array(rows.length);
  const residuals = new Float64Array(rows.length);
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as SampleRow;
    const outcome = row.outcome ?? Number.NaN;
    predictions[index] = row.prediction;
    outcomes[index] = outcome;
    residuals[index] = row.prediction - outcome;
    for (const name in row.features) builder.set(index, name, row.features[name] ?? null);
  }
  const columns = builder.columns();
  columns.set(PREDICTION, { numbers: predictions, words: [], codes: null });
  columns.set(RESIDUAL, { numbers: residuals, words: [], codes: null });
  return { block: { rows: rows.length, columns }, outcomes };
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

interface DraftColumn extends Column {
  codeByWord: Map<string, number>;
}

class BlockBuilder {
  readonly #rows: number;
  readonly #drafts = new Map<string, DraftColumn>();
  /** Stored size of the block, which starts with predictions, residuals and outcomes. */
  #bytes: number;

  constructor(rows: number) {
    this.#rows = rows;
    this.#bytes = rows * Float64Array.BYTES_PER_ELEMENT * 3;
  }

  set(row: number, name: string, value: number | string | null): void {
    const draft = this.#drafts.get(name) ?? this.#addColumn(row, name);
    if (typeof value === 'number') {
      draft.numbers ??= this.#allocateNumbers();
      draft.numbers[row] = value;
    } else if (value !== null) {
      draft.codes ??= this.#allocateCodes();
      draft.codes[row] = this.#codeOf(draft, value);
    }
  }

  columns(): Map<string, Column> {
    return new Map(
      [...this.#drafts].map(([name, { numbers, words, codes }]) => [name, { numbers, words, codes }]),
    );
  }

  #addColumn(row: number, name: string): DraftColumn {
    const problem = nameProblem(name);
    if (problem) {
      throw new RowsError([{ path: `rows.${row}.features.${name.slice(0, 100)}`, message: problem }]);
    }
    this.#reserveBytes(Buffer.byteLength(name) + 100);
    const draft: DraftColumn = { numbers: null, words: [], codes: null, codeByWord: new Map() };
    this.#drafts.set(name, draft);
    return draft;
  }

  #allocateNumbers(): Float64Array {
    this.#reserveBytes(this.#rows * Float64Array.BYTES_PER_ELEMENT);
    return new Float64Array(this.#rows).fill(Number.NaN);
  }

  #allocateCodes(): Uint32Array {
    this.#reserveBytes(this.#rows * Uint32Array.BYTES_PER_ELEMENT);
    return new Uint32Array(this.#rows);
  }

  #codeOf(draft: DraftColumn, word: string): number {
    const known = draft.codeByWord.get(word);
    if (known !== undefined) return known;
    this.#reserveBytes(Buffer.byteLength(word) + 20);
    draft.words.push(word);
    draft.codeByWord.set(word, draft.words.length);
    return draft.words.length;
  }

  #reserveBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= MAX_BLOCK_BYTES) return;
    throw new RowsError([
      {
        path: 'rows',
        message: `Must not exceed ${MAX_BLOCK_BYTES} bytes when stored; send fewer rows per request.`,
      },
    ]);
  }
}
