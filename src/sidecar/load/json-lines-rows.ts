import { isUtf8 } from 'node:buffer';
import { isObject } from '../../platform/is-object.ts';
import { readLines } from '../../platform/read-lines.ts';
import { nameProblem, rowProblem, stageProblem } from '../samples/validate-row.ts';
import type { FileRow, RowOutcome } from './file-row.ts';

const MAX_LINE_BYTES = 1024 * 1024;

/** Reads the rows of a JSON Lines file. Each line is a row of `POST /samples` with an optional `stage`. */
export async function* readJsonLines(input: AsyncIterable<Buffer>): AsyncGenerator<FileRow> {
  const validNames = new Set<string>();
  let row = 0;
  for await (const { number: line, bytes } of readLines(input, MAX_LINE_BYTES)) {
    const text = bytes && isUtf8(bytes) ? bytes.toString() : null;
    if (text?.trim() === '') continue;
    row += 1;
    if (bytes === null)
      yield { row, line, problem: `The line exceeds the maximum of ${MAX_LINE_BYTES} bytes.` };
    else if (text === null) yield { row, line, problem: 'The line is not valid UTF-8.' };
    else yield { row, line, ...rowOf(text, validNames) };
  }
}

function rowOf(text: string, validNames: Set<string>): RowOutcome {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'The line is not valid JSON.' };
  }
  if (!isObject(value)) return { problem: 'The line must be a JSON object.' };
  const { stage = null, ...row } = value;
  if (stage !== null && typeof stage !== 'string') return { problem: 'stage: Must be a string or null.' };
  const problem = stageProblem(stage);
  if (problem) return { problem };
  const detail = rowProblem(row);
  if (detail) return { problem: `${detail.path}: ${detail.message}` };
  for (const name of Object.keys(row.features as object)) {
    if (validNames.has(name)) continue;
    const problem = nameProblem(name);
    if (problem) return { problem: `features.${name.slice(0, 100)}: ${problem}` };
    validNames.add(name);
  }
  return { stage, json: JSON.stringify(row) };
}
