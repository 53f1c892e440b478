import { type FileHandle, open } from 'node:fs/promises';
import { extname } from 'node:path';
import { AppError } from '../../errors/app-error.ts';
import { readCsv } from './csv-file.ts';
import { readJsonLines } from './json-lines-file.ts';
import type { RowReceiver } from './row-receiver.ts';

/** An open file of samples. */
export interface RowsFile extends AsyncDisposable {
  bytes: number;
  read(receiver: RowReceiver): Promise<void>;
}

const READERS: Record<string, (file: FileHandle, receiver: RowReceiver) => Promise<void>> = {
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
  const unreadable = (error: unknown) =>
    new AppError('NOT_FOUND', `The file ${path} cannot be read.`, { cause: error });
  const file = await open(path).catch((error: unknown) => {
    throw unreadable(error);
  });
  const stats = await file.stat();
  if (stats.isDirectory()) {
    await file.close();
    throw unreadable(new Error('It is a directory.'));
  }
  return {
    bytes: stats.size,
    read: (receiver) => read(file, receiver),
    [Symbol.asyncDispose]: () => file.close(),
  };
}
