import type { Column } from './samples.types.ts';

/** Initial capacity of a column in rows, if the number of rows is unknown. */
export const INITIAL_CAPACITY = 64;

/** Called before a column allocates memory: bytes for each row of the block, and bytes regardless of the rows. */
export type ReserveBytes = (bytesPerRow: number, fixedBytes: number) => void;

interface ColumnBuilderOptions {
  /** Number of rows, if it is known. */
  capacity?: number;
  reserve: ReserveBytes;
}

/** Collects the values of one feature. A row without a call has no value. */
export class ColumnBuilder {
  readonly #words: string[] = [];
  #numbers: Float64Array | null = null;
  #codes: Uint32Array | null = null;
  readonly #codeByWord = new Map<string, number>();
  readonly #capacity: number;
  readonly #reserve: ReserveBytes;

  constructor({ capacity = INITIAL_CAPACITY, reserve }: ColumnBuilderOptions) {
    this.#capacity = capacity;
    this.#reserve = reserve;
  }

  /** @param value NaN for none */
  setNumber(row: number, value: number): void {
    let numbers = this.#numbers;
    if (numbers === null || row >= numbers.length) {
      if (Number.isNaN(value)) return;
      numbers = this.#growNumbers(row);
    }
    numbers[row] = value;
  }

  setWord(row: number, word: string): void {
    let codes = this.#codes;
    if (codes === null || row >= codes.length) codes = this.#growCodes(row);
    codes[row] = this.#codeByWord.get(word) ?? this.#addWord(word);
  }

  /** Returns the values of the first rows. */
  column(rows: number): Column {
    if (this.#numbers && this.#numbers.length < rows) this.#growNumbers(rows - 1);
    if (this.#codes && this.#codes.length < rows) this.#growCodes(rows - 1);
    return {
      numbers: this.#numbers?.subarray(0, rows) ?? null,
      words: this.#words,
      codes: this.#codes?.subarray(0, rows) ?? null,
    };
  }

  #growNumbers(row: number): Float64Array {
    if (this.#numbers === null) this.#reserve(Float64Array.BYTES_PER_ELEMENT, 0);
    const grown = new Float64Array(capacityFor(row, this.#numbers?.length ?? this.#capacity));
    const kept = this.#numbers ?? [];
    grown.set(kept);
    grown.fill(Number.NaN, kept.length);
    this.#numbers = grown;
    return grown;
  }

  #growCodes(row: number): Uint32Array {
    if (this.#codes === null) this.#reserve(Uint32Array.BYTES_PER_ELEMENT, 0);
    const grown = new Uint32Array(capacityFor(row, this.#codes?.length ?? this.#capacity));
    grown.set(this.#codes ?? []);
    this.#codes = grown;
    return grown;
  }

  #addWord(word: string): number {
    this.#reserve(0, wordBytes(word));
    this.#words.push(word);
    this.#codeByWord.set(word, this.#words.length);
    return this.#words.length;
  }
}

/** Stored size of a string. */
export const wordBytes = (word: string): number => Buffer.byteLength(word) + 20;
/** Stored size of a column without values. */
export const emptyColumnBytes = (name: string): number => Buffer.byteLength(name) + 100;

function capacityFor(row: number, capacity: number): number {
  let enough = capacity;
  while (enough <= row) enough *= 2;
  return enough;
}
