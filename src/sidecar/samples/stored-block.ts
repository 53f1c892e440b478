import mongoose from 'mongoose';
import type { EncodedRows } from './encode-rows.ts';
import type { Block, Column } from './samples.types.ts';

const { Binary } = mongoose.mongo.BSON;
type Binary = InstanceType<typeof Binary>;

/** A stored column: little-endian 64-bit floats, and 32-bit codes of strings. */
interface StoredColumn {
  numbers?: Binary;
  words?: string[];
  codes?: Binary;
}

export interface StoredBlock {
  rows: number;
  columns: Record<string, StoredColumn>;
  /** The raw outcomes, kept for the record; comparisons use the residual. */
  outcomes: Binary;
  /** Times of the rows, as 64-bit floats; absent if no row has one. */
  times?: Binary;
  /** Ids of the rows, null for a row without one; absent if no row has one. */
  ids?: (string | null)[];
}

/** Escapes a feature name as a field name, which must not contain a dot or start with a dollar sign. */
export const fieldOf = (name: string): string =>
  `f${name.replace(/[%.$]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)}`;

export const nameOf = (field: string): string =>
  field.slice(1).replace(/%(2[45e])/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const binary = (values: Float64Array | Uint32Array): Binary =>
  new Binary(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));

/** Copies the bytes to a new buffer, since typed arrays need an aligned offset. */
const alignedCopy = (stored: Binary): ArrayBuffer =>
  new Uint8Array(stored.buffer.subarray(0, stored.position)).buffer;

export function toStored({ block, outcomes, times, ids }: EncodedRows): StoredBlock {
  const columns = [...block.columns].map(([name, { numbers, words, codes }]): [string, StoredColumn] => [
    fieldOf(name),
    {
      ...(numbers ? { numbers: binary(numbers) } : {}),
      ...(codes ? { words, codes: binary(codes) } : {}),
    },
  ]);
  return {
    rows: block.rows,
    columns: Object.fromEntries(columns),
    outcomes: binary(outcomes),
    ...(times ? { times: binary(times) } : {}),
    ...(ids ? { ids } : {}),
  };
}

/** Reads stored 64-bit floats. */
export const storedNumbers = (stored: Binary): Float64Array => new Float64Array(alignedCopy(stored));

export function fromStored({ rows, columns }: Pick<StoredBlock, 'rows' | 'columns'>): Block {
  return {
    rows,
    columns: new Map(
      Object.entries(columns).map(([field, { numbers, words, codes }]): [string, Column] => [
        nameOf(field),
        {
          numbers: numbers ? storedNumbers(numbers) : null,
          words: words ?? [],
          codes: codes ? new Uint32Array(alignedCopy(codes)) : null,
        },
      ]),
    ),
  };
}
