import { type BadLineReason, createBadLines } from '../../../platform/bad-lines.ts';
import type { Line } from '../../../platform/read-lines.ts';
import { BadLine, type ImportedConversation, isBlank, parseLine } from './import-line.ts';

/** Maximum length of a line, which is held in memory as a whole. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** Rejected lines listed in the report; the rest are only counted. */
const MAX_ERRORS = 1_000;
/** Largest number of lines in a batch: each step of a batch waits for the journal once. */
const BATCH_LINES = 500;
/** Maximum weight of a batch (see `weightOf`), which bounds the memory. A single conversation may exceed it. */
export const MAX_WEIGHT = 2 * 1024 * 1024;
/** Size of a document without its text: other fields and index entries. */
const DOCUMENT_BYTES = 300;

/** Estimates the size of messages in bytes. */
const weightOf = (messages: { text: string }[]): number =>
  messages.reduce((sum, { text }) => sum + Buffer.byteLength(text) + DOCUMENT_BYTES, DOCUMENT_BYTES);

export interface ImportReport {
  /** Lines that are not blank: imported, known and rejected. */
  lines: number;
  imported: number;
  /** Lines whose conversation the tenant already has. */
  known: number;
  /** Imported lines whose visitor is a suppressed person: stored without texts and identity. */
  suppressed: number;
  rejected: number;
  /** The first thousand rejected lines with their problems. */
  errors: { line: number; message: string }[];
  /** The rejected lines by reason, most frequent first. */
  reasons: BadLineReason[];
}

/** Conversations that are stored together, each with a distinct id. */
export interface Batch {
  conversations: ImportedConversation[];
  weight: number;
  /** Offset in the file after the batch's last line, in bytes. */
  end: number;
}

interface Deps {
  report: ImportReport;
  /** Ids in batches that are not stored yet; a line that repeats one is a duplicate. The caller removes stored ids. */
  pending: Set<string>;
  now: () => Date;
}

/** Parses lines into batches, and adds rejected lines to the report. */
export async function* batchesOf(
  lines: AsyncIterable<Line>,
  { report, pending, now }: Deps,
): AsyncGenerator<Batch> {
  let batch: Batch = { conversations: [], weight: 0, end: 0 };
  let linesRead = 0;
  const badLines = createBadLines<{ line: number }>(MAX_ERRORS);
  report.errors = badLines.listed;
  const take = (): Batch => {
    const full = batch;
    batch = { conversations: [], weight: 0, end: full.end };
    linesRead = 0;
    return full;
  };

  for await (const { number, bytes, end } of lines) {
    if (bytes && isBlank(bytes)) continue;
    if (linesRead === BATCH_LINES) yield take();
    linesRead += 1;
    report.lines += 1;
    const conversation = read(bytes, now());
    if (conversation instanceof BadLine) {
      report.rejected += 1;
      badLines.add({ line: number }, conversation.message, withoutPositions(conversation.message));
      report.reasons = badLines.reasons();
    } else if (pending.has(conversation.id)) {
      report.known += 1;
    } else {
      const weight = weightOf(conversation.messages);
      if (batch.weight + weight > MAX_WEIGHT && batch.weight > 0) yield take();
      pending.add(conversation.id);
      batch.conversations.push(conversation);
      batch.weight += weight;
    }
    batch.end = end;
  }
  yield take();
}

/** Replaces positions in a transcript, so that the same problem in different messages counts as one reason. */
const withoutPositions = (message: string): string =>
  message.replaceAll(/\btranscript\.\d+/g, 'transcript.*');

function read(bytes: Buffer | null, now: Date): ImportedConversation | BadLine {
  if (!bytes) return new BadLine(`Is longer than the maximum of ${MAX_LINE_BYTES / 1024 / 1024} MiB.`);
  try {
    return parseLine(bytes, now);
  } catch (error) {
    if (error instanceof BadLine) return error;
    throw error;
  }
}
