import { type FileHandle, open } from 'node:fs/promises';
import { AppError } from '../../errors.ts';
import { type ImportReport, MAX_LINE_BYTES } from '../../features/conversations/import.batches.ts';
import { readLines } from '../../platform/lines.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { customerId } from '../option-parsers.ts';
import { EXIT_FAILURE } from '../output/command-failure.ts';
import { createProgressBar } from '../output/progress-bar.ts';
import { count, fields, print, withRejections } from '../output/text-output.ts';

interface Options {
  customer: number;
  emit: boolean;
  json: boolean;
}

const READ_AHEAD = 256 * 1024;

async function openFile(path: string): Promise<{ file: FileHandle; size: number }> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'there is no such file' : (error.code ?? error.message);
    throw new AppError('BAD_REQUEST', `Cannot read ${path}: ${why}.`, { cause: error });
  });
  const stats = await file.stat();
  if (!stats.isDirectory()) return { file, size: stats.size };
  await file.close();
  throw new AppError('BAD_REQUEST', `Cannot read ${path}: it is a directory.`);
}

function readable({ imported, known, rejected, errors }: ImportReport): string {
  const summary = fields({
    Imported: count(imported),
    'Known already': count(known),
    Rejected: count(rejected),
  });
  const rows = errors.map(({ line, message }) => [line, message]);
  return withRejections(summary, { headings: ['LINE', 'REASON'], rows, total: rejected });
}

async function importFile(path: string, { customer, emit, json }: Options): Promise<void> {
  const { file, size } = await openFile(path);
  let imported = 0;
  const report = await withBackend(async ({ services }) => {
    const tenant = await services.tenants.get(customer);
    const bar = createProgressBar('{lines} lines, {rejected} rejected  {duration_formatted}', {
      lines: '0',
      rejected: '0',
    });
    let bytesDone = 0;
    const progress = (bytes: number, { imported: soFar, lines, rejected }: ImportReport): void => {
      imported = soFar;
      // Batches finish out of order.
      bytesDone = Math.max(bytesDone, bytes);
      bar.update(bytesDone, size, { lines: count(lines), rejected: count(rejected) });
    };
    const lines = readLines(file.createReadStream({ highWaterMark: READ_AHEAD }), MAX_LINE_BYTES);
    try {
      return await services.imports.importLines(tenant, lines, { emit, progress });
    } catch (error) {
      if (error instanceof AppError) throw error;
      const why = error instanceof Error ? error.message.replace(/\.?$/, '.') : String(error);
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `${why} ${count(imported)} conversations were imported; running it again goes on from there.`,
        { cause: error },
      );
    } finally {
      bar.stop();
    }
  }).finally(() => file.close());
  print(json, report, readable(report));
  if (report.rejected > 0) process.exitCode = EXIT_FAILURE;
}

/** `conversations import`: takes over conversations from elsewhere, one a line. */
export const conversationsImport = () =>
  newCommand(
    'import',
    'store conversations, one a line of JSON in the shape that GET /v1/conversations/:id answers; an id is stored once, however often it comes',
  )
    .argument('<file>', 'the file to read')
    .requiredOption('--customer <n>', 'customer that they are of', customerId)
    .option('--emit', 'tell the webhook endpoints of what is imported', false)
    .action(importFile);
