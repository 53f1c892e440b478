import { AppError } from '../../errors.ts';
import type { SampleSet } from '../samples/samples.types.ts';
import type { FileRow } from './file-row.ts';
import { openRows } from './rows-file.ts';
import { sendSamples } from './send-samples.ts';

/** A request is sent with so many rows or, before that, so many characters of JSON. */
const BATCH_ROWS = 5_000;
const BATCH_LENGTH = 2_000_000;
/** Rows of all stages that wait for their requests; then all are sent. */
const MAX_WAITING = 20_000;
/** Rows from one report of the progress to the next. */
const PROGRESS_ROWS = 500;

export interface LoadOptions {
  /** Base address of a running sidecar. */
  url: string;
  set: SampleSet;
  /** Stage of rows that name none. */
  stage: string | null;
  file: string;
  onProgress(bytesRead: number, bytes: number): void;
  /** Told of each row that is left out, and why. */
  onProblem(problem: { row: number; line: number; message: string }): void;
}

export interface Loaded {
  /** Rows that are stored. */
  rows: number;
  /** Rows that were left out. */
  rejected: number;
  requests: number;
}

interface Batch {
  rows: string[];
  length: number;
}

/**
 * Sends the rows of a file to a running sidecar. A row that is wrong is reported and left out, the others go on.
 * @throws AppError when the file cannot be read, or the sidecar cannot be reached or refuses; its message says how
 *   many rows are stored
 */
export async function loadSamples(options: LoadOptions): Promise<Loaded> {
  const { url, set, file, onProgress, onProblem } = options;
  const input = await openRows(file);
  const batches = new Map<string | null, Batch>();
  const loaded: Loaded = { rows: 0, rejected: 0, requests: 0 };
  let waiting = 0;
  // One request at a time, while the rows of the next are read.
  let underWay: Promise<void> = Promise.resolve();

  async function send(stage: string | null, { rows }: Batch): Promise<void> {
    batches.delete(stage);
    waiting -= rows.length;
    await underWay;
    underWay = sendSamples(url, { set, stage, rows }).then(() => {
      loaded.rows += rows.length;
      loaded.requests += 1;
    });
    underWay.catch(() => {}); // seen where it is waited for
  }

  async function sendAll(): Promise<void> {
    for (const [stage, batch] of [...batches]) await send(stage, batch);
  }

  async function take(entry: FileRow): Promise<void> {
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
    waiting += 1;
    if (batch.rows.length >= BATCH_ROWS || batch.length >= BATCH_LENGTH) await send(stage, batch);
    else if (waiting >= MAX_WAITING) await sendAll();
  }

  try {
    for await (const entry of input.rows) {
      await take(entry);
      if (entry.row % PROGRESS_ROWS === 0) onProgress(input.bytesRead(), input.bytes);
    }
    await sendAll();
    await underWay;
    onProgress(input.bytes, input.bytes);
    return loaded;
  } catch (error) {
    await underWay.catch(() => {});
    if (!(error instanceof AppError)) throw error;
    const { code, message, details, cause } = error;
    throw new AppError(code, `${message} ${loaded.rows} rows are stored.`, { details, cause });
  }
}
