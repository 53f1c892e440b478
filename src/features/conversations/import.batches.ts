import type { Line } from '../../platform/read-lines.ts';
import { BadLine, type ImportedConversation, isBlank, parseLine } from './import.line.ts';

/** Longest line that is read, in bytes: it is held in memory, and much more than anybody says. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** Rejected lines that are told one by one; the others are only counted. */
const MAX_ERRORS = 1_000;
/** Lines that are looked up and stored together. */
const BATCH_LINES = 200;
/** What a batch holds, as `weightOf` counts: bounds what is in memory. One conversation may be more. */
export const MAX_WEIGHT = 4 * 1024 * 1024;
/** Bytes that a document costs beside its text: its other fields, its entries in indexes. */
const DOCUMENT_WEIGHT = 300;

/** Roughly the bytes that messages take. */
const weightOf = (messages: { text: string }[]): number =>
  messages.reduce((sum, { text }) => sum + Buffer.byteLength(text) + DOCUMENT_WEIGHT, DOCUMENT_WEIGHT);

/** What became of the lines of a file. */
export interface ImportReport {
  /** Lines with something on them: those imported, known and rejected. */
  lines: number;
  imported: number;
  /** Lines of conversations that the tenant has already. */
  known: number;
  rejected: number;
  /** The first thousand of the rejected ones, and what is wrong with them. */
  errors: { line: number; message: string }[];
}

/** Conversations that are stored together; each id once. */
export interface Batch {
  conversations: ImportedConversation[];
  weight: number;
  /** Bytes of the file up to its last line. */
  end: number;
}

interface Deps {
  report: ImportReport;
  /** Ids that are not yet stored: a further line with one of them is a double. Whoever stores a batch clears them. */
  pending: Set<string>;
  now: () => Date;
}

/** Parses lines and puts the good ones together; what is wrong with the others goes into the report. */
export async function* batchesOf(
  lines: AsyncIterable<Line>,
  { report, pending, now }: Deps,
): AsyncGenerator<Batch> {
  let batch: Batch = { conversations: [], weight: 0, end: 0 };
  let seen = 0;
  const take = (): Batch => {
    const full = batch;
    batch = { conversations: [], weight: 0, end: full.end };
    seen = 0;
    return full;
  };

  for await (const { number, bytes, end } of lines) {
    if (bytes && isBlank(bytes)) continue;
    if (seen === BATCH_LINES) yield take();
    seen += 1;
    report.lines += 1;
    const conversation = read(bytes, now());
    if (conversation instanceof BadLine) {
      report.rejected += 1;
      if (report.errors.length < MAX_ERRORS)
        report.errors.push({ line: number, message: conversation.message });
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

function read(bytes: Buffer | null, now: Date): ImportedConversation | BadLine {
  if (!bytes) return new BadLine(`Is longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB.`);
  try {
    return parseLine(bytes, now);
  } catch (error) {
    if (error instanceof BadLine) return error;
    throw error;
  }
}
