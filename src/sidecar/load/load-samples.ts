import { AppError } from '../../errors/app-error.ts';
import { type BadLineReason, createBadLines } from '../../platform/bad-lines.ts';
import type { SidecarAddress } from '../../platform/sidecar-address.ts';
import type { SampleSet } from '../samples/samples.types.ts';
import { MAX_FEATURES } from '../sidecar-limits.ts';
import type { RowPosition, RowReceiver } from './row-receiver.ts';
import { openRows } from './rows-file.ts';
import { SampleBatch } from './sample-batch.ts';
import { createSampleSender, SENT, type SentFormat } from './sample-sender.ts';

/** A batch is sent when it reaches this number of rows, or this size. */
const BATCH_ROWS = 25_000;
const BATCH_BYTES = 8_000_000;
/** Once all batches together have this size, all are sent. */
const MAX_BUFFERED_BYTES = 32_000_000;
/** Maximum number of bad lines that a report lists one by one. */
const MAX_LISTED_LINES = 100;

export interface LoadOptions {
  sidecar: SidecarAddress;
  set: SampleSet;
  /** Stage of the rows without one; null for none. */
  stage: string | null;
  model: string;
  file: string;
  onProgress(progress: LoadProgress): void;
}

export interface LoadProgress {
  bytesRead: number;
  bytes: number;
  /** Number of rows read, including bad rows. */
  rows: number;
  rejected: number;
  rowsPerSecond: number;
}

export interface LoadReport {
  /** Number of rows in the file. */
  read: number;
  /** Number of stored rows. */
  loaded: number;
  /** Number of skipped rows. */
  rejected: number;
  reasons: BadLineReason[];
  /** The first skipped rows. */
  errors: (RowPosition & { message: string })[];
  /** Number of stored rows by stage; '' for rows without one. */
  stages: Record<string, number>;
  requests: number;
  /** Format of the request bodies; null without requests. */
  format: SentFormat | null;
  bytes: number;
  durationMs: number;
  rowsPerSecond: number;
}

/**
 * Sends the rows of a file to a running sidecar. Invalid rows are reported and skipped.
 * @throws AppError if the file cannot be read or has no rows, or if the sidecar is unreachable or rejects a request;
 *   the message then contains the number of rows stored so far
 */
export async function loadSamples({
  sidecar,
  set,
  model,
  file,
  onProgress,
  ...options
}: LoadOptions): Promise<LoadReport> {
  await using input = await openRows(file);
  const startedAt = performance.now();
  const sender = createSampleSender({ sidecar, set, model });
  const batches = new Map<string | null, SampleBatch>();
  const badLines = createBadLines<RowPosition>(MAX_LISTED_LINES);
  let accepted = 0;
  let rejected = 0;
  let bufferedBytes = 0;
  /** Batch that has reached its maximum. */
  let fullStage: string | null | undefined;
  // At most two requests at a time: the sidecar receives the second one while it stores the first.
  let first = SENT;
  let second = SENT;

  async function sendBatch(stage: string | null): Promise<void> {
    const batch = batches.get(stage);
    if (!batch) return;
    batches.delete(stage);
    bufferedBytes -= batch.countedBytes;
    await first.stored;
    await second.queued;
    first = second;
    second = sender.send(stage, batch.columns());
  }

  async function sendAll(): Promise<void> {
    for (const stage of [...batches.keys()]) await sendBatch(stage);
  }

  const rowsPerSecond = (): number =>
    Math.round(((accepted + rejected) * 1_000) / Math.max(1, performance.now() - startedAt));

  const receiver: RowReceiver = {
    batchOf(rowStage) {
      const stage = rowStage ?? options.stage;
      const batch = batches.get(stage) ?? new SampleBatch(stage);
      batches.set(stage, batch);
      return batch;
    },
    added(batch) {
      batch.rows += 1;
      accepted += 1;
      const { bytes } = batch;
      bufferedBytes += bytes - batch.countedBytes;
      batch.countedBytes = bytes;
      if (batch.rows >= BATCH_ROWS || bytes >= BATCH_BYTES || batch.features > MAX_FEATURES) {
        fullStage = batch.stage;
      }
    },
    rejected(position, reason) {
      rejected += 1;
      badLines.add({ row: position.row, line: position.line }, reason);
    },
    get full() {
      return fullStage !== undefined || bufferedBytes >= MAX_BUFFERED_BYTES;
    },
    async send() {
      if (bufferedBytes >= MAX_BUFFERED_BYTES) await sendAll();
      else if (fullStage !== undefined) await sendBatch(fullStage);
      fullStage = undefined;
    },
    progress(bytesRead) {
      onProgress({
        bytesRead,
        bytes: input.bytes,
        rows: accepted + rejected,
        rejected,
        rowsPerSecond: rowsPerSecond(),
      });
    },
  };

  try {
    await input.read(receiver);
    await sendAll();
    await first.stored;
    await second.stored;
  } catch (error) {
    await Promise.allSettled([first.stored, second.stored]);
    if (!(error instanceof AppError)) throw error;
    const { code, message, details, cause } = error;
    throw new AppError(code, `${message} ${sender.stored()} rows were stored.`, { details, cause });
  }
  if (accepted + rejected === 0) throw new AppError('VALIDATION_FAILED', 'The file has no rows.');
  return {
    read: accepted + rejected,
    loaded: sender.stored(),
    rejected,
    reasons: badLines.reasons(),
    errors: badLines.listed,
    stages: sender.storedByStage(),
    requests: sender.requests(),
    format: sender.format(),
    bytes: input.bytes,
    durationMs: Math.round(performance.now() - startedAt),
    rowsPerSecond: rowsPerSecond(),
  };
}
