import type { ReadStream } from 'node:fs';
import { CsvError, type Info, parse } from 'csv-parse';
import { AppError } from '../../errors.ts';
import { nameProblem, rowProblem, stageProblem } from '../samples/validate-row.ts';
import type { FileRow, RowOutcome } from './file-row.ts';

/** Characters of a row; a quotation mark that is never closed would take the rest of the file. */
const MAX_RECORD = 1024 * 1024;

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
/** What numeric programs write for a value that is missing. */
const MISSING = /^(?:nan)?$/i;
const INFINITE = /^[+-]?inf(?:inity)?$/i;

/**
 * Rows of a CSV file: the first names the features, `prediction`, and where there are such columns `outcome` and
 * `stage`. What reads as a number is one; an empty cell or `NaN` is a missing value; anything else is a category.
 * @throws AppError VALIDATION_FAILED for a first row that does not do, and where the quoting is broken
 */
export async function* readCsv(input: ReadStream): AsyncGenerator<FileRow> {
  const parser = input.pipe(
    parse({
      bom: true,
      info: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: MAX_RECORD,
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
  if (!header) throw new AppError('VALIDATION_FAILED', 'The file is empty: its first row names the columns.');
}

function requireHeader(record: readonly string[]): string[] {
  const names = record.map((name) => name.trim());
  const wrong = (message: string) => new AppError('VALIDATION_FAILED', `The first row ${message}.`);
  if (!names.includes('prediction')) throw wrong('names no column prediction');
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) throw wrong(`names ${name} twice`);
    const problem = name === 'prediction' ? null : nameProblem(name);
    if (problem) throw wrong(`has in column ${index + 1} a name that ${problem}`);
  }
  return names;
}

function rowOf(header: readonly string[], record: readonly string[]): RowOutcome {
  if (record.length !== header.length) {
    return { problem: `has ${record.length} cells; the first row has ${header.length}` };
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
    if (INFINITE.test(text)) return { problem: `${name}: is not finite` };
    const value = cellValue(text);
    if (name === 'prediction' || name === 'outcome') row[name] = value;
    else features[name] = value;
  }
  const problem = stageProblem(stage);
  if (problem) return { problem };
  const wrong = rowProblem(row);
  return wrong ? { problem: `${wrong.path}: ${wrong.message}` } : { stage, json: JSON.stringify(row) };
}

function cellValue(text: string): number | string | null {
  if (MISSING.test(text)) return null;
  return NUMBER.test(text) ? Number(text) : text;
}
