import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { answerCalls } from '../../support/child-process.ts';
import { FEATURES, fillRow, NAMES, type SampleSet } from './samples.ts';

/** Characters that are written at a time. */
const CHUNK_LENGTH = 1_000_000;

interface SampleFile {
  path: string;
  set: SampleSet;
  rows: number;
}

const values = new Float64Array(FEATURES + 2);

function csvLine(set: SampleSet, row: number): string {
  fillRow(values, set, row);
  let line = '';
  for (let column = 0; column < values.length; column += 1) {
    const value = values[column] ?? 0;
    line += `${column > 0 ? ',' : ''}${Number.isNaN(value) ? '' : value}`;
  }
  return `${line}\n`;
}

/** Writes the first rows of a set as a CSV file. */
async function write({ path, set, rows }: SampleFile): Promise<void> {
  const file = createWriteStream(path);
  let text = `${[...NAMES, 'prediction', 'outcome'].join()}\n`;
  for (let row = 0; row < rows; row += 1) {
    text += csvLine(set, row);
    if (text.length < CHUNK_LENGTH) continue;
    if (!file.write(text)) await once(file, 'drain');
    text = '';
  }
  file.end(text);
  await finished(file);
}

const handlers = { write };
export type SampleFileCalls = typeof handlers;
answerCalls(handlers);
