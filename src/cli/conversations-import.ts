import { type FileHandle, open } from 'node:fs/promises';
import { SingleBar } from 'cli-progress';
import { AppError } from '../errors.ts';
import { type ImportReport, MAX_LINE_BYTES } from '../features/conversations/import.batches.ts';
import { readLines } from '../platform/read-lines.ts';
import { withBackend } from './backend.ts';
import { customerId, newCommand } from './command.ts';
import { EXIT_FAILURE } from './failure.ts';
import { count, fields, print, table } from './output.ts';

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

/** A bar on a terminal, and nothing elsewhere. */
function createBar(size: number) {
  const bar = new SingleBar({
    stream: process.stderr,
    format: '{bar} {percentage} %  {lines} lines, {rejected} rejected  {duration_formatted}',
    barCompleteChar: '=',
    barIncompleteChar: ' ',
    barsize: 30,
    clearOnComplete: true,
    // Its own handler would keep Ctrl-C from ending the import.
    gracefulExit: false,
  });
  const shown = process.stderr.isTTY === true;
  let done = 0;
  if (shown) bar.start(Math.max(1, size), 0, { lines: '0', rejected: '0' });
  return {
    update(bytes: number, { lines, rejected }: ImportReport): void {
      done = Math.max(done, bytes);
      if (shown) bar.update(done, { lines: count(lines), rejected: count(rejected) });
    },
    stop: () => bar.stop(),
  };
}

function readable({ imported, known, rejected, errors }: ImportReport): string {
  const summary = fields({
    Imported: count(imported),
    'Known already': count(known),
    Rejected: count(rejected),
  });
  if (rejected === 0) return summary;
  const rows = errors.map(({ line, message }) => [line, message]);
  const more = rejected > errors.length ? `\n… and ${count(rejected - errors.length)} more.` : '';
  return `${summary}\n\n${table(['LINE', 'REASON'], rows)}${more}`;
}

async function importFile(path: string, { customer, emit, json }: Options): Promise<void> {
  const { file, size } = await openFile(path);
  let imported = 0;
  const report = await withBackend(async ({ services }) => {
    const tenant = await services.tenants.get(customer);
    const bar = createBar(size);
    const progress = (bytes: number, soFar: ImportReport): void => {
      imported = soFar.imported;
      bar.update(bytes, soFar);
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
