import type { ReadStream } from 'node:fs';
import { CsvError, type Info, parse } from 'csv-parse';
import { AppError } from '../../errors/app-error.ts';
import { nameProblem, rowProblem, stageProblem } from '../samples/validate-row.ts';
import type { FileRow, RowOutcome } from './file-row.ts';

/** Maximum row length in characters, because an unclosed quotation mark would swallow the rest of the file. */
const MAX_ROW_LENGTH = 1024 * 1024;

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
/** Spellings of a missing value. */
const MISSING = /^(?:nan)?$/i;
const INFINITE = /^[+-]?inf(?:inity)?$/i;

/**
 * Reads the rows of a CSV file. The header row names the features, `prediction`, and optionally `outcome` and `stage`.
 * An empty cell or `NaN` is a missing value, a number in decimal notation is a number, other text is a category.
 * @throws AppError VALIDATION_FAILED for an invalid header row or broken quoting
 */
export async function* readCsv(input: ReadStream): AsyncGenerator<FileRow> {
  const parser = input.pipe(
    parse({
      bom: true,
      info: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: MAX_ROW_LENGTH,
    }),
  );
  input.once('error', (error) => parser.destroy(error));
  let header: string[] | undefined;
  let row = 0;
  let line = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      line = info.lines;
      if (!header) {
        header = requireHeader(record);
        continue;
      }
      row += 1;
      yield { row, line, ...rowOf(header, record) };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new AppError(
      'VALIDATION_FAILED',
      `Row ${row + 1} (after line ${line}) cannot be read: ${error.message}.`,
    );
  }
  if (!header)
    throw new AppError(
      'VALIDATION_FAILED',
      'The file is empty; the header row with the column names is required.',
    );
}

function requireHeader(record: readonly string[]): string[] {
  const names = record.map((name) => name.trim());
  const invalidHeader = (problem: string) =>
    new AppError('VALIDATION_FAILED', `The header row is not valid. ${problem}`);
  if (!names.includes('prediction')) throw invalidHeader('It has no column named prediction.');
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) throw invalidHeader(`It has two columns named ${name}.`);
    const problem = name === 'prediction' ? null : nameProblem(name);
    if (problem) throw invalidHeader(`Column ${index + 1}: ${problem}`);
  }
  return names;
}

function rowOf(header: readonly string[], record: readonly string[]): RowOutcome {
  if (record.length !== header.length) {
    return { problem: `The row has ${record.length} cells; the header row has ${header.length}.` };
  }
  const features: Record<string, number | string | null> = Object.create(null);
  const row: Record<string, unknown> = { features };
  let stage: string | null = null;
  for (const [index, name] of header.entries()) {
    const text = (record[index] ?? '').trim();
    if (name === 'stage') {
      stage = text === '' ? null : text;
      continue;
    }
    if (INFINITE.test(text)) return { problem: `${name}: Must be finite.` };
    const value = cellValue(text);
    if (name === 'prediction' || name === 'outcome') row[name] = value;
    else features[name] = value;
  }
  const problem = stageProblem(stage);
  if (problem) return { problem };
  const detail = rowProblem(row);
  return detail ? { problem: `${detail.path}: ${detail.message}` } : { stage, json: JSON.stringify(row) };
}

function cellValue(text: string): number | string | null {
  if (MISSING.test(text)) return null;
  return NUMBER.test(text) ? Number(text) : text;
}
