import type { ErrorDetail } from '../../errors.ts';
import { MAX_BLOCK } from '../sidecar-limits.ts';
import { type Block, type Column, PREDICTION, RESIDUAL, type SampleRow } from './samples.types.ts';
import { nameProblem, rowProblem } from './validate-row.ts';

/** Wrong rows that are named before the rest is left alone. */
const MAX_PROBLEMS = 20;

/** Rows that cannot be taken: `details` says which, and why. */
export class RowsError extends Error {
  readonly details: ErrorDetail[];

  constructor(details: ErrorDetail[]) {
    super('The rows are not valid.');
    this.details = details;
  }
}

/** Rows by columns, and the outcomes as they came (`NaN`: not known). */
export interface EncodedRows {
  block: Block;
  outcomes: Float64Array;
}

/**
 * Checks rows and turns them into columns.
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
  for (let index = 0; index < rows.length && details.length < MAX_PROBLEMS; index += 1) {
    const problem = rowProblem(rows[index]);
    if (!problem) continue;
    const path = problem.path === '' ? `rows.${index}` : `rows.${index}.${problem.path}`;
    details.push({ path, message: problem.message });
  }
  if (details.length > 0) throw new RowsError(details);
}

interface Draft extends Column {
  places: Map<string, number>;
}

class BlockBuilder {
  readonly #rows: number;
  readonly #drafts = new Map<string, Draft>();
  /** What the block takes when it is stored; prediction, residual and outcome to begin with. */
  #bytes: number;

  constructor(rows: number) {
    this.#rows = rows;
    this.#bytes = rows * Float64Array.BYTES_PER_ELEMENT * 3;
  }

  set(row: number, name: string, value: number | string | null): void {
    const draft = this.#drafts.get(name) ?? this.#begin(row, name);
    if (typeof value === 'number') {
      draft.numbers ??= this.#numbers();
      draft.numbers[row] = value;
    } else if (value !== null) {
      draft.codes ??= this.#codes();
      draft.codes[row] = this.#place(draft, value);
    }
  }

  columns(): Map<string, Column> {
    return new Map(
      [...this.#drafts].map(([name, { numbers, words, codes }]) => [name, { numbers, words, codes }]),
    );
  }

  #begin(row: number, name: string): Draft {
    const problem = nameProblem(name);
    if (problem) {
      throw new RowsError([
        { path: `rows.${row}.features.${name.slice(0, 100)}`, message: `name ${problem}` },
      ]);
    }
    this.#take(Buffer.byteLength(name) + 100);
    const draft: Draft = { numbers: null, words: [], codes: null, places: new Map() };
    this.#drafts.set(name, draft);
    return draft;
  }

  #numbers(): Float64Array {
    this.#take(this.#rows * Float64Array.BYTES_PER_ELEMENT);
    return new Float64Array(this.#rows).fill(Number.NaN);
  }

  #codes(): Uint32Array {
    this.#take(this.#rows * Uint32Array.BYTES_PER_ELEMENT);
    return new Uint32Array(this.#rows);
  }

  #place(draft: Draft, word: string): number {
    const known = draft.places.get(word);
    if (known !== undefined) return known;
    this.#take(Buffer.byteLength(word) + 20);
    draft.words.push(word);
    draft.places.set(word, draft.words.length);
    return draft.words.length;
  }

  #take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= MAX_BLOCK) return;
    throw new RowsError([
      { path: 'rows', message: 'take too much room in one request; send fewer at a time' },
    ]);
  }
}
