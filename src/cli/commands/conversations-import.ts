import type { Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { AppError } from '../../errors/app-error.ts';
import type { ImportedId } from '../../features/conversations/import/import.service.ts';
import { type ImportReport, MAX_LINE_BYTES } from '../../features/conversations/import/import-batches.ts';
import { readLines } from '../../platform/read-lines.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { customerId } from '../option-parsers.ts';
import { EXIT_FAILURE } from '../output/command-failure.ts';
import { notReadable } from '../output/not-readable.ts';
import { notWritable } from '../output/not-writable.ts';
import { createProgressBar } from '../output/progress-bar.ts';
import { count, fields, print, withRejections } from '../output/text-output.ts';

interface Options {
  customer: number;
  emit: boolean;
  ids?: string;
  json: boolean;
}

const READ_AHEAD_BYTES = 256 * 1024;

async function openFile(path: string): Promise<{ file: FileHandle; stats: Stats }> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw notReadable(path, error);
  });
  const stats = await file.stat();
  if (!stats.isDirectory()) return { file, stats };
  await file.close();
  throw new AppError('BAD_REQUEST', `Cannot read ${path}: it is a directory, not a file.`);
}

/** Maximum number of ids in the result; the file of `--ids` has all. */
const MAX_LISTED_IDS = 1_000;

interface ImportIds {
  /** The first `MAX_LISTED_IDS`. */
  listed: ImportedId[];
  add(ids: ImportedId[]): void;
  /** Completes the file. @throws AppError if it could not be written */
  close(): Promise<void>;
}

interface IdFileOptions {
  /** File to replace; undefined to write none. */
  path: string | undefined;
  /** The imported file; `path` must be another file. */
  source: Stats;
}

/** @throws AppError if the path names the imported file, also by a link: opening it for the ids would empty it */
async function requireOtherFile(path: string, source: Stats): Promise<void> {
  const target = await stat(path).catch(() => null);
  if (target?.dev === source.dev && target.ino === source.ino)
    throw new AppError('BAD_REQUEST', `${path} is the imported file; write the ids to another file.`);
}

/**
 * Opens the list of new ids, and the file with one line of JSON per conversation.
 *
 * @throws AppError if the file cannot be written
 */
async function openImportIds({ path, source }: IdFileOptions): Promise<ImportIds> {
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
  // Listens from the start: a write may fail before `close`.
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

function toText(
  { imported, known, suppressed, rejected, reasons }: ImportReport,
  ids: string | undefined,
): string {
  return withRejections({
    reasons,
    totals: fields({
      Imported: count(imported),
      'Already stored': count(known),
      ...(suppressed > 0 && { 'Of suppressed people': count(suppressed) }),
      Rejected: count(rejected),
      ...(ids !== undefined && { Ids: ids }),
    }),
  });
}

async function importFile(path: string, { customer, emit, ids: idsPath, json }: Options): Promise<void> {
  const { file, stats } = await openFile(path);
  let imported = 0;
  const report = await withBackend(async ({ services }) => {
    const tenant = await services.tenants.get(customer);
    const ids = await openImportIds({ path: idsPath, source: stats });
    const bar = createProgressBar('{lines} lines, {rejected} rejected  {duration_formatted}', {
      lines: '0',
      rejected: '0',
    });
    let bytesDone = 0;
    const progress = (bytes: number, { imported: soFar, lines, rejected }: ImportReport): void => {
      imported = soFar;
      // Batches finish out of order.
      bytesDone = Math.max(bytesDone, bytes);
      bar.update(bytesDone, stats.size, { lines: count(lines), rejected: count(rejected) });
    };
    const lines = readLines(file.createReadStream({ highWaterMark: READ_AHEAD_BYTES }), MAX_LINE_BYTES);
    try {
      const counts = await performed(
        services,
        {
          customerId: customer,
          action: 'importConversations',
          target: { type: 'conversation', id: null },
          describe: (done) => ({
            emit,
            imported: done.imported,
            known: done.known,
            suppressed: done.suppressed,
            rejected: done.rejected,
          }),
          soFar: () => (imported > 0 ? { emit, imported } : null),
        },
        () => services.imports.importLines(tenant, lines, { emit, progress, onStored: ids.add }),
      );
      return { ...counts, ids: ids.listed };
    } catch (error) {
      if (error instanceof AppError) throw error;
      const reason = error instanceof Error ? error.message.replace(/\.?$/, '.') : String(error);
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `${reason} ${count(imported)} conversations were imported; run the command again to import the rest.`,
        { cause: error },
      );
    } finally {
      bar.stop();
      await ids.close();
    }
  }).finally(() => file.close());
  print({ json, result: report, text: toText(report, idsPath) });
  if (report.rejected > 0) process.exitCode = EXIT_FAILURE;
}

/** `conversations import`: stores conversations from a JSON Lines file. */
export const conversationsImport = () =>
  newCommand(
    'import',
    'import conversations from a JSON Lines file, one per line in the format of GET /v1/conversations/:id; an id that is already stored is skipped',
  )
    .argument('<file>', 'path of the file')
    .requiredOption('--customer <n>', 'customer of the conversations', customerId)
    .option('--emit', 'send webhooks for the imported conversations', false)
    .option(
      '--ids <path>',
      'write the new id of each conversation to this file, one per line as {"importId","id"}; --json lists the first thousand',
    )
    .action(importFile);
