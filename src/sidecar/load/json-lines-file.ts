import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { isObject } from '../../platform/is-object.ts';
import { JsonError, parseJsonText } from '../../platform/json-text.ts';
import { readLines } from '../../platform/read-lines.ts';
import type { SampleRow } from '../samples/samples.types.ts';
import { nameProblem, rowProblem, stageProblem } from '../samples/validate-row.ts';
import type { RowReceiver } from './row-receiver.ts';

const MAX_LINE_BYTES = 1024 * 1024;
const READ_AHEAD_BYTES = 256 * 1024;
/** Number of lines between two progress reports. */
const PROGRESS_LINES = 500;

/** A valid row, or the problem of an invalid one. */
type ParsedRow = { stage: string | null; sample: SampleRow } | { problem: string };

/** Reads the rows of a JSON Lines file. Each line is a row of `POST /samples` with an optional `stage`. */
export async function readJsonLines(file: FileHandle, receiver: RowReceiver): Promise<void> {
  const validNames = new Set<string>();
  let row = 0;
  const chunks = file.createReadStream({ highWaterMark: READ_AHEAD_BYTES, autoClose: false });
  for await (const { number: line, bytes, end } of readLines(chunks, MAX_LINE_BYTES)) {
    if (line % PROGRESS_LINES === 0) receiver.progress(end);
    const text = bytes && isUtf8(bytes) ? bytes.toString() : null;
    if (text?.trim() === '') continue;
    row += 1;
    const parsed = text === null ? { problem: unreadable(bytes) } : parseRow(text, validNames);
    if ('problem' in parsed) receiver.rejected({ row, line }, parsed.problem);
    else addRow(parsed, receiver);
    if (receiver.full) await receiver.send();
  }
}

const unreadable = (bytes: Buffer | null): string =>
  bytes === null
    ? `The line exceeds the maximum of ${MAX_LINE_BYTES} bytes.`
    : 'The line is not valid UTF-8.';

function parseRow(text: string, validNames: Set<string>): ParsedRow {
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch (error) {
    if (error instanceof JsonError) return { problem: `The line ${error.problem}` };
    throw error;
  }
  if (!isObject(value)) return { problem: 'The line must be a JSON object.' };
  const { stage = null, ...row } = value;
  if (stage !== null && typeof stage !== 'string') return { problem: 'stage: Must be a string or null.' };
  const problem = stageProblem(stage);
  if (problem) return { problem };
  const detail = rowProblem(row);
  if (detail) return { problem: `${detail.path}: ${detail.message}` };
  const sample = row as unknown as SampleRow;
  for (const name of Object.keys(sample.features)) {
    if (validNames.has(name)) continue;
    const problem = nameProblem(name);
    if (problem) return { problem: `features.${name.slice(0, 100)}: ${problem}` };
    validNames.add(name);
  }
  return { stage, sample };
}

function addRow({ stage, sample }: Exclude<ParsedRow, { problem: string }>, receiver: RowReceiver): void {
  const { features, prediction, outcome, occurredAt, id } = sample;
  const batch = receiver.batchOf(stage);
  const row = batch.rows;
  batch.predictions.setNumber(row, prediction);
  batch.outcomes.setNumber(row, outcome ?? Number.NaN);
  if (occurredAt != null) batch.times.setNumber(row, Date.parse(occurredAt));
  if (id != null) batch.setId(id);
  for (const name of Object.keys(features)) {
    const column = batch.feature(name);
    const value = features[name] ?? null;
    if (typeof value === 'number') column.setNumber(row, value);
    else if (value !== null) column.setWord(row, value);
  }
  receiver.added(batch);
}
