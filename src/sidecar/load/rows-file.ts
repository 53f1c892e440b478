import { once } from 'node:events';
import { createReadStream, type ReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { AppError } from '../../errors/app-error.ts';
import { readCsv } from './csv-rows.ts';
import type { FileRow } from './file-row.ts';
import { readJsonLines } from './json-lines-rows.ts';

/** An open file of samples. */
export interface RowsFile {
  bytes: number;
  bytesRead(): number;
  rows: AsyncIterable<FileRow>;
}

const READERS: Record<string, (input: ReadStream) => AsyncIterable<FileRow>> = {
  '.csv': readCsv,
  '.jsonl': readJsonLines,
  '.ndjson': readJsonLines,
};

/**
 * Opens a file of samples in the format of its file name extension.
 * @throws AppError VALIDATION_FAILED for an unknown extension, NOT_FOUND if the file cannot be read
 */
export async function openRows(path: string): Promise<RowsFile> {
  const read = READERS[extname(path).toLowerCase()];
  if (!read) {
    throw new AppError(
      'VALIDATION_FAILED',
      `The file name extension must be one of ${Object.keys(READERS).join(', ')}.`,
    );
  }
  const input = createReadStream(path, { highWaterMark: 256 * 1024 });
  try {
    await once(input, 'open');
    const { size } = await stat(path);
    return { bytes: size, bytesRead: () => input.bytesRead, rows: read(input) };
  } catch (error) {
    throw new AppError('NOT_FOUND', `The file ${path} cannot be read.`, { cause: error });
  }
}
