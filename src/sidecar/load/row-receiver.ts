import type { SampleBatch } from './sample-batch.ts';

/** Position of a row in a file: its number, and the number of its last line, both from 1. */
export interface RowPosition {
  row: number;
  line: number;
}

/** Receives the rows of a file from a reader. */
export interface RowReceiver {
  /** Returns the batch for the next row of a stage; null for a row without a stage. */
  batchOf(stage: string | null): SampleBatch;
  /** Ends a row whose values were set in a batch. */
  added(batch: SampleBatch): void;
  rejected(position: RowPosition, reason: string): void;
  /** True if the reader must await `send` before the next row. */
  readonly full: boolean;
  send(): Promise<void>;
  progress(bytesRead: number): void;
}
