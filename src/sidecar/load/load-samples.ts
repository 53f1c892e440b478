import { AppError } from '../../errors/app-error.ts';
import type { SidecarAddress } from '../../platform/sidecar-address.ts';
import type { SampleSet } from '../samples/samples.types.ts';
import type { FileRow } from './file-row.ts';
import { openRows } from './rows-file.ts';
import { sendSamples } from './send-samples.ts';

/** A batch is sent when it reaches this number of rows, or this number of characters of JSON. */
const BATCH_ROWS = 5_000;
const BATCH_LENGTH = 2_000_000;
/** Number of buffered rows in all batches at which all of them are sent. */
const MAX_BUFFERED_ROWS = 20_000;
/** Number of rows between two progress reports. */
const PROGRESS_ROWS = 500;

export interface LoadOptions {
  sidecar: SidecarAddress;
  set: SampleSet;
  /** Stage of the rows without one; null for none. */
  stage: string | null;
  file: string;
  onProgress(bytesRead: number, bytes: number): void;
  /** Called for each row that is skipped. */
  onProblem(problem: { row: number; line: number; message: string }): void;
}

export interface Loaded {
  /** Number of stored rows. */
  rows: number;
  /** Number of skipped rows. */
  rejected: number;
  requests: number;
}

interface Batch {
  rows: string[];
  length: number;
}

/**
 * Sends the rows of a file to a running sidecar. Invalid rows are reported and skipped.
 * @throws AppError if the file cannot be read, or if the sidecar is unreachable or rejects a request; the message then
 *   contains the number of rows stored so far
 */
export async function loadSamples(options: LoadOptions): Promise<Loaded> {
  const { sidecar, set, file, onProgress, onProblem } = options;
  const input = await openRows(file);
  const batches = new Map<string | null, Batch>();
  const loaded: Loaded = { rows: 0, rejected: 0, requests: 0 };
  let bufferedRows = 0;
  // One request at a time; the rows of the next one are read meanwhile.
  let inFlight: Promise<void> = Promise.resolve();

  async function send(stage: string | null, { rows }: Batch): Promise<void> {
    batches.delete(stage);
    bufferedRows -= rows.length;
    await inFlight;
    inFlight = sendSamples(sidecar, { set, stage, rows }).then(() => {
      loaded.rows += rows.length;
      loaded.requests += 1;
    });
    inFlight.catch(() => {}); // handled where it is awaited
  }

  async function sendAll(): Promise<void> {
    for (const [stage, batch] of [...batches]) await send(stage, batch);
  }

  async function addRow(entry: FileRow): Promise<void> {
    if ('problem' in entry) {
      loaded.rejected += 1;
      onProblem({ row: entry.row, line: entry.line, message: entry.problem });
      return;
    }
    const stage = entry.stage ?? options.stage;
    const batch = batches.get(stage) ?? { rows: [], length: 0 };
    batches.set(stage, batch);
    batch.rows.push(entry.json);
    batch.length += entry.json.length;
    bufferedRows += 1;
    if (batch.rows.length >= BATCH_ROWS || batch.length >= BATCH_LENGTH) await send(stage, batch);
    else if (bufferedRows >= MAX_BUFFERED_ROWS) await sendAll();
  }

  try {
    for await (const entry of input.rows) {
      await addRow(entry);
      if (entry.row % PROGRESS_ROWS === 0) onProgress(input.bytesRead(), input.bytes);
    }
    await sendAll();
    await inFlight;
    onProgress(input.bytes, input.bytes);
    return loaded;
  } catch (error) {
    await inFlight.catch(() => {});
    if (!(error instanceof AppError)) throw error;
    const { code, message, details, cause } = error;
    throw new AppError(code, `${message} ${loaded.rows} rows were stored.`, { details, cause });
  }
}
