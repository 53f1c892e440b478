import { AppError, type ErrorDetail } from '../../errors/app-error.ts';
import { isObject } from '../../platform/is-object.ts';
import { parseJsonText } from '../../platform/json-text.ts';
import { MAX_FEATURES, MAX_NUMBER, MAX_ROW_FEATURES, MAX_ROWS } from '../sidecar-limits.ts';
import { emptyColumnBytes, wordBytes } from './column-builder.ts';
import {
  type EncodedRows,
  limitBytes,
  MAX_REPORTED_PROBLEMS,
  RowsError,
  withResiduals,
} from './encode-rows.ts';
import type { Column, SampleColumns } from './samples.types.ts';
import { ID_REQUIRED, isId, isText, NUMBER_REQUIRED, nameProblem, OUTCOME_REQUIRED } from './validate-row.ts';

/*
 * Samples as columns, which `sidecar load` sends to a sidecar that accepts them: a fifth of the size of JSON, and read
 * without parsing. Layout: the length of the header in bytes (32-bit), the header (JSON in UTF-8, padded with spaces
 * so that the numbers start at a multiple of 8), the predictions, the outcomes, the times of the rows if the header says
 * so (milliseconds since 1970), the numbers of each feature that has some (64-bit floats, NaN for none), and the codes of each feature that has words (32-bit: position of the row's
 * word, from 1; 0 for none). Little-endian throughout.
 */

/** Media type of a request body of samples as columns. */
export const COLUMNS_TYPE = 'application/vnd.engagement.sample-columns';

/** `Prefer` header of a client that wants HTTP 102 once the rows are queued. */
export const PREFER_PROCESSING = 'processing';

/** Feature in the header. */
interface FeatureHeader {
  name: string;
  /** True if there are numbers. */
  numbers: boolean;
  /** The distinct strings; absent if there are none. */
  words?: string[];
}

/** The header: the fields of a JSON body, with the number of rows and the features instead of the rows. */
interface ColumnsHeader {
  [field: string]: unknown;
  rows: number;
  features: FeatureHeader[];
  /** True if the times of the rows follow the outcomes. */
  times: boolean;
  /** Id of each row, null for none; null if no row has one. */
  ids: (string | null)[] | null;
}

/** Latest time that a date can have, and the earliest with a minus sign (ECMA-262). */
const MAX_TIME_MS = 8.64e15;
const LENGTH_BYTES = Uint32Array.BYTES_PER_ELEMENT;
const ALIGNMENT = Float64Array.BYTES_PER_ELEMENT;

const malformed = (problem: string): AppError =>
  new AppError('BAD_REQUEST', `The request body is not valid ${COLUMNS_TYPE}: ${problem}`);

/** Builds a body. @param envelope further fields of the header */
export function writeColumnsBody(
  envelope: Record<string, unknown>,
  { rows, predictions, outcomes, features, times, ids }: SampleColumns,
): Uint8Array<ArrayBuffer> {
  const header = JSON.stringify({
    ...envelope,
    rows,
    ...(times ? { times: true } : {}),
    ...(ids ? { ids } : {}),
    features: [...features].map(([name, { numbers, words, codes }]) => ({
      name,
      numbers: numbers !== null,
      ...(codes ? { words } : {}),
    })),
  });
  const end = LENGTH_BYTES + Buffer.byteLength(header);
  const start = Math.ceil(end / ALIGNMENT) * ALIGNMENT;
  const columns = [...features.values()];
  const numbers = [
    predictions,
    outcomes,
    ...(times ? [times] : []),
    ...columns.flatMap((column) => column.numbers ?? []),
  ];
  const codes = columns.flatMap((column) => column.codes ?? []);
  const bytesPerRow = numbers.length * ALIGNMENT + codes.length * Uint32Array.BYTES_PER_ELEMENT;
  const body = Buffer.allocUnsafeSlow(start + rows * bytesPerRow).fill(' ', 0, start);
  body.writeUInt32LE(start - LENGTH_BYTES);
  body.write(header, LENGTH_BYTES);
  let at = start;
  for (const values of [...numbers, ...codes]) {
    body.set(new Uint8Array(values.buffer, values.byteOffset, rows * values.BYTES_PER_ELEMENT), at);
    at += rows * values.BYTES_PER_ELEMENT;
  }
  return body;
}

/** Reads the header and the position of the numbers. @throws AppError BAD_REQUEST */
function readHeader(body: Uint8Array): { header: ColumnsHeader; start: number } {
  if (body.byteLength < LENGTH_BYTES) throw malformed('it has no header.');
  const length = new DataView(body.buffer, body.byteOffset).getUint32(0, true);
  const start = LENGTH_BYTES + length;
  if (start > body.byteLength || start % ALIGNMENT !== 0)
    throw malformed('the length of the header is wrong.');
  const text = new TextDecoder('utf-8', { fatal: true });
  let header: unknown;
  try {
    header = parseJsonText(text.decode(body.subarray(LENGTH_BYTES, start)));
  } catch {
    throw malformed('the header is not valid JSON.');
  }
  if (!isObject(header)) throw malformed('the header must be an object.');
  const { rows, features, times = false, ids = null } = header;
  if (!Number.isInteger(rows) || (rows as number) < 0) throw malformed('rows must be a number of rows.');
  if (!Array.isArray(features) || !features.every(isFeatureHeader)) {
    throw malformed('features must be an array of { name, numbers, words? }.');
  }
  if (typeof times !== 'boolean') throw malformed('times must be a boolean.');
  if (ids !== null && (!Array.isArray(ids) || ids.length !== rows)) {
    throw malformed('ids must be an array with the id of each row, or null.');
  }
  return { header: { ...header, rows: rows as number, features, times, ids }, start };
}

const isFeatureHeader = (value: unknown): value is FeatureHeader =>
  isObject(value) &&
  typeof value.name === 'string' &&
  typeof value.numbers === 'boolean' &&
  (value.words === undefined || Array.isArray(value.words)) &&
  Object.keys(value).every((field) => ['name', 'numbers', 'words'].includes(field));

/** The rows of a body, which share its memory, and the other fields of its header. */
export interface ColumnsBody {
  envelope: Record<string, unknown>;
  encoded: EncodedRows;
}

/**
 * Reads and validates a body. The result uses the memory of the body.
 * @throws AppError BAD_REQUEST for a malformed body; RowsError for rows that JSON could not contain either
 */
export function readColumnsBody(received: Uint8Array): ColumnsBody {
  const body = received.byteOffset % ALIGNMENT === 0 ? received : new Uint8Array(received);
  const { header, start } = readHeader(body);
  const { rows, features, times: hasTimes, ids, ...envelope } = header;
  requireFeatures(rows, features);
  if (ids) requireIds(rows, ids);

  let at = body.byteOffset + start;
  const numberColumns = (hasTimes ? 3 : 2) + features.filter(({ numbers }) => numbers).length;
  const codeColumns = features.filter(({ words }) => words).length;
  const bytes = rows * (numberColumns * ALIGNMENT + codeColumns * Uint32Array.BYTES_PER_ELEMENT);
  if (start + bytes !== body.byteLength) throw malformed('its length does not match its header.');
  const nextNumbers = (): Float64Array => {
    const values = new Float64Array(body.buffer, at, rows);
    at += values.byteLength;
    return values;
  };
  const predictions = nextNumbers();
  const outcomes = nextNumbers();
  const times = hasTimes ? nextNumbers() : null;
  const numbers = features.map((feature) => (feature.numbers ? nextNumbers() : null));
  const codes = features.map(({ words }) => {
    if (!words) return null;
    const values = new Uint32Array(body.buffer, at, rows);
    at += values.byteLength;
    return values;
  });
  const columns = new Map(
    features.map(({ name, words = [] }, index): [string, Column] => [
      name,
      { numbers: numbers[index] ?? null, words, codes: codes[index] ?? null },
    ]),
  );
  const samples = { rows, predictions, outcomes, features: columns, times, ids };
  requireValues(samples);

  for (const column of columns.values()) dropEmpty(column);
  return { envelope, encoded: withResiduals(samples) };
}

/** Removes the numbers of a column without a number, and the codes of one without a word. */
function dropEmpty(column: Column): void {
  if (column.numbers?.every(Number.isNaN)) column.numbers = null;
  if (column.words.length === 0) column.codes = null;
}

/** Validates names, words and sizes before the values are read. */
function requireFeatures(rows: number, features: readonly FeatureHeader[]): void {
  if (rows > MAX_ROWS) {
    throw new RowsError([{ path: 'rows', message: `Must be a number of at most ${MAX_ROWS} rows.` }]);
  }
  // Features without values cost few bytes, but each costs a pass over the rows.
  if (features.length > MAX_FEATURES) {
    throw new RowsError([{ path: 'features', message: `Must be at most ${MAX_FEATURES} features.` }]);
  }
  const reserve = limitBytes(rows);
  const names = new Set<string>();
  for (const { name, numbers, words } of features) {
    const path = `features.${name.slice(0, 100)}`;
    const problem = nameProblem(name) ?? (names.has(name) ? 'The feature name must not be repeated.' : null);
    if (problem) throw new RowsError([{ path, message: problem }]);
    names.add(name);
    reserve(numbers ? ALIGNMENT : 0, emptyColumnBytes(name));
    if (!words) continue;
    reserve(Uint32Array.BYTES_PER_ELEMENT, 0);
    if (!words.every(isText) || new Set(words).size !== words.length) {
      throw new RowsError([{ path, message: 'Its words must be valid strings and distinct.' }]);
    }
    for (const word of words) reserve(0, wordBytes(word));
  }
}

/** Validates the values by the rules of a JSON body. */
function requireValues({ rows, predictions, outcomes, features, times }: SampleColumns): void {
  const details: ErrorDetail[] = [];
  const report = (row: number, path: string, message: string): void => {
    if (row >= 0 && details.length < MAX_REPORTED_PROBLEMS) {
      details.push({ path: `rows.${row}.${path}`, message });
    }
  };
  report(predictions.findIndex(Number.isNaN), 'prediction', NUMBER_REQUIRED);
  report(outOfRange(predictions), 'prediction', NUMBER_REQUIRED);
  report(outOfRange(outcomes), 'outcome', OUTCOME_REQUIRED);
  if (times)
    report(impossibleTime(times), 'occurredAt', 'Must be a time in milliseconds since 1970, or NaN.');
  for (const [name, column] of features) {
    const path = `features.${name}`;
    if (column.numbers) report(outOfRange(column.numbers), path, NUMBER_REQUIRED);
    if (!column.codes) continue;
    report(invalidCode(column), path, 'Must be the position of a word, and every word must be used.');
    report(ambiguous(column), path, 'Must not be a number and a string.');
  }
  if (features.size > MAX_ROW_FEATURES) {
    report(crowdedRow(rows, features), 'features', `Has more than ${MAX_ROW_FEATURES} features.`);
  }
  if (details.length > 0) throw new RowsError(details);
}

/** Returns the first row with a number beyond the limit; -1 if there is none. */
function outOfRange(numbers: Float64Array): number {
  for (let row = 0; row < numbers.length; row += 1) {
    if (Math.abs(numbers[row] as number) > MAX_NUMBER) return row;
  }
  return -1;
}

/** Returns the first row whose time is no date; -1 if there is none. */
const impossibleTime = (times: Float64Array): number =>
  times.findIndex((time) => Math.abs(time) > MAX_TIME_MS);

/** @throws RowsError for an invalid id, or if the ids are too large to store */
function requireIds(rows: number, ids: readonly unknown[]): void {
  const invalid = ids.findIndex((id) => !isId(id));
  if (invalid >= 0) throw new RowsError([{ path: `rows.${invalid}.id`, message: ID_REQUIRED }]);
  const reserve = limitBytes(rows);
  for (const id of ids) if (typeof id === 'string') reserve(0, wordBytes(id));
}

/** Returns the first row whose code is no word's; the last row if a word is not used; -1 otherwise. */
function invalidCode({ words, codes }: Column): number {
  if (!codes) return -1;
  const used = new Uint8Array(words.length + 1);
  for (let row = 0; row < codes.length; row += 1) {
    const code = codes[row] as number;
    if (code > words.length) return row;
    used[code] = 1;
  }
  return used.subarray(1).includes(0) ? Math.max(0, codes.length - 1) : -1;
}

/** Returns the first row with both a number and a string; -1 if there is none. */
function ambiguous({ numbers, codes }: Column): number {
  if (!numbers || !codes) return -1;
  return numbers.findIndex((value, row) => !Number.isNaN(value) && codes[row] !== 0);
}

/** Returns the first row with values of too many features; -1 if there is none. */
function crowdedRow(rows: number, features: ReadonlyMap<string, Column>): number {
  const present = new Uint16Array(rows);
  for (const { numbers, codes } of features.values()) {
    for (let row = 0; row < rows; row += 1) {
      const hasValue = (numbers && !Number.isNaN(numbers[row])) || (codes && codes[row] !== 0);
      if (hasValue) present[row] = (present[row] as number) + 1;
    }
  }
  return present.findIndex((count) => count > MAX_ROW_FEATURES);
}
