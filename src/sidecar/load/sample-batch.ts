import { ColumnBuilder, emptyColumnBytes, INITIAL_CAPACITY, wordBytes } from '../samples/column-builder.ts';
import type { SampleColumns } from '../samples/samples.types.ts';

/** Bytes of a row's prediction and outcome, and of its residual, which the sidecar adds. */
const FIXED_BYTES_PER_ROW = 24;

/** Rows of one stage that are sent together. A reader sets the values of row `rows`, then increments `rows`. */
export class SampleBatch {
  rows = 0;
  /** Part of `bytes` that the total of all batches includes. */
  countedBytes = 0;
  readonly predictions = new ColumnBuilder({ reserve: () => {} });
  readonly outcomes = new ColumnBuilder({ reserve: () => {} });
  /** Milliseconds since 1970. */
  readonly times = new ColumnBuilder({ reserve: (bytesPerRow) => this.#addBytesPerRow(bytesPerRow) });
  #ids: (string | null)[] | null = null;
  readonly #features = new Map<string, ColumnBuilder>();
  #bytesPerRow = FIXED_BYTES_PER_ROW;
  #fixedBytes = 0;
  /** Null for rows without a stage. */
  readonly stage: string | null;

  constructor(stage: string | null) {
    this.stage = stage;
  }

  /** Number of features. */
  get features(): number {
    return this.#features.size;
  }

  /** Stored size of the rows; for few rows, the memory that their columns take. */
  get bytes(): number {
    return Math.max(this.rows, INITIAL_CAPACITY) * this.#bytesPerRow + this.#fixedBytes;
  }

  /** Returns the column of a feature. */
  feature(name: string): ColumnBuilder {
    const known = this.#features.get(name);
    if (known) return known;
    this.#fixedBytes += emptyColumnBytes(name);
    const builder = new ColumnBuilder({
      reserve: (bytesPerRow, fixedBytes) => {
        this.#bytesPerRow += bytesPerRow;
        this.#fixedBytes += fixedBytes;
      },
    });
    this.#features.set(name, builder);
    return builder;
  }

  /** Sets the id of the row that is being added. */
  setId(id: string): void {
    this.#ids ??= [];
    while (this.#ids.length < this.rows) this.#ids.push(null);
    this.#ids.push(id);
    this.#fixedBytes += wordBytes(id);
  }

  #addBytesPerRow(bytes: number): void {
    this.#bytesPerRow += bytes;
  }

  columns(): SampleColumns {
    const { rows } = this;
    const numbersOf = (builder: ColumnBuilder): Float64Array =>
      builder.column(rows).numbers ?? new Float64Array(rows).fill(Number.NaN);
    const ids = this.#ids;
    while (ids && ids.length < rows) ids.push(null);
    return {
      rows,
      times: this.times.column(rows).numbers,
      ids,
      predictions: numbersOf(this.predictions),
      outcomes: numbersOf(this.outcomes),
      features: new Map([...this.#features].map(([name, builder]) => [name, builder.column(rows)])),
    };
  }
}
