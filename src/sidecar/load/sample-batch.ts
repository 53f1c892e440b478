import { ColumnBuilder, emptyColumnBytes, INITIAL_CAPACITY } from '../samples/column-builder.ts';
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

  /** Size of the rows when stored, or of the memory that few rows take. */
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

  columns(): SampleColumns {
    const { rows } = this;
    const numbersOf = (builder: ColumnBuilder): Float64Array =>
      builder.column(rows).numbers ?? new Float64Array(rows).fill(Number.NaN);
    return {
      rows,
      predictions: numbersOf(this.predictions),
      outcomes: numbersOf(this.outcomes),
      features: new Map([...this.#features].map(([name, builder]) => [name, builder.column(rows)])),
    };
  }
}
