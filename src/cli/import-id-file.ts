import type { Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { AppError } from '../errors/app-error.ts';
import type { ImportedId } from '../features/conversations/import/import.service.ts';

/** Ids that an import returns in its result; a file has all of them. */
const MAX_LISTED_IDS = 1_000;

/** Collects the ids of imported conversations. */
export interface ImportIds {
  /** The first thousand ids. */
  listed: ImportedId[];
  add(ids: ImportedId[]): void;
  /** Completes the file. @throws AppError if it could not be written */
  close(): Promise<void>;
}

const notWritable = (path: string, error: NodeJS.ErrnoException): AppError =>
  new AppError('BAD_REQUEST', `Cannot write ${path}: ${error.code ?? error.message}.`, { cause: error });

interface IdFileOptions {
  /** File, which is replaced; undefined for none. */
  path: string | undefined;
  /** Imported file, which must be another one. */
  source: Stats;
}

/** @throws AppError if both are one file, also under two names: opening it for the ids empties it */
async function requireOtherFile(path: string, source: Stats): Promise<void> {
  const target = await stat(path).catch(() => null);
  if (target?.dev === source.dev && target.ino === source.ino)
    throw new AppError('BAD_REQUEST', `${path} is the imported file; write the ids to another file.`);
}

/**
 * Opens the ids of an import, as one line of JSON per conversation.
 *
 * @throws AppError if the file cannot be written
 */
export async function openImportIds({ path, source }: IdFileOptions): Promise<ImportIds> {
  if (path !== undefined) await requireOtherFile(path, source);
  const listed: ImportedId[] = [];
  const file =
    path === undefined
      ? null
      : (
          await open(path, 'w').catch((error: NodeJS.ErrnoException) => {
            throw notWritable(path, error);
          })
        ).createWriteStream();
  // From the start: a write may fail before the file is closed.
  const written = file && finished(file);
  written?.catch(() => {});

  return {
    listed,
    add(ids) {
      listed.push(...ids.slice(0, MAX_LISTED_IDS - listed.length));
      file?.write(ids.map((each) => `${JSON.stringify(each)}\n`).join(''));
    },
    async close() {
      if (!file || path === undefined) return;
      file.end();
      await written?.catch((error: NodeJS.ErrnoException) => {
        throw notWritable(path, error);
      });
    },
  };
}
