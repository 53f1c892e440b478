import { isUtf8 } from 'node:buffer';
import { isObject } from '../../platform/is-object.ts';
import { readLines } from '../../platform/lines.ts';
import { nameProblem, rowProblem, stageProblem } from '../samples/validate-row.ts';
import type { FileRow, RowOutcome } from './file-row.ts';

/** Bytes of a line; one that is longer is no row. */
const MAX_LINE = 1024 * 1024;

/** Rows of a file with one JSON object a line: a row of `POST /samples`, and its `stage` where it has one. */
export async function* readJsonLines(input: AsyncIterable<Buffer>): AsyncGenerator<FileRow> {
  const goodNames = new Set<string>();
  let row = 0;
  for await (const { number: line, bytes } of readLines(input, MAX_LINE)) {
    const text = bytes && isUtf8(bytes) ? bytes.toString() : null;
    if (text?.trim() === '') continue;
    row += 1;
    if (bytes === null) yield { row, line, problem: `is longer than ${MAX_LINE} bytes` };
    else if (text === null) yield { row, line, problem: 'is not UTF-8' };
    else yield { row, line, ...rowOf(text, goodNames) };
  }
}

function rowOf(text: string, goodNames: Set<string>): RowOutcome {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'is not JSON' };
  }
  if (!isObject(value)) return { problem: 'must be an object' };
  const { stage = null, ...row } = value;
  if (stage !== null && typeof stage !== 'string') return { problem: 'stage: must be a string or null' };
  const problem = stageProblem(stage);
  if (problem) return { problem };
  const wrong = rowProblem(row);
  if (wrong) return { problem: `${wrong.path}: ${wrong.message}` };
  for (const name of Object.keys(row.features as object)) {
    if (goodNames.has(name)) continue;
    const bad = nameProblem(name);
    if (bad) return { problem: `features.${name.slice(0, 100)}: name ${bad}` };
    goodNames.add(name);
  }
  return { stage, json: JSON.stringify(row) };
}
