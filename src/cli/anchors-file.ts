import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { AppError } from '../errors/app-error.ts';
import type { AuditAnchor } from '../features/audit/audit.types.ts';
import { readLines } from '../platform/read-lines.ts';
import { notReadable } from './output/not-readable.ts';

/** Longest line of a log that is read. */
const MAX_LINE_BYTES = 1024 * 1024;
/** Distinct anchors: a log has at most 24 a day. */
const MAX_ANCHORS = 1_000_000;
const ANCHOR = 'audit log head';

const anchorLine = z.object({
  msg: z.literal(ANCHOR),
  time: z.coerce.date().nullish().catch(null),
  customerId: z.int().nullable(),
  sequence: z.int().min(0),
  hash: z.string(),
});

/** An anchor, and the latest time of a line with it; null if its lines have none. */
type LoggedAnchor = Pick<AuditAnchor, 'customerId' | 'sequence' | 'hash'> & { loggedAt: Date | null };

interface AnchorFile {
  anchors: AuditAnchor[];
  /** Lines that are too long, or that name an anchor and cannot be read. */
  unreadable: number;
}

function parseAnchor(text: string): z.infer<typeof anchorLine> | null {
  try {
    // Tools that collect logs add a prefix, such as `app | `.
    return anchorLine.safeParse(JSON.parse(text.slice(text.indexOf('{')))).data ?? null;
  } catch {
    return null;
  }
}

const later = (a: Date | null, b: Date | null): Date | null => (!a || (b && b > a) ? b : a);

/** Adds to each anchor the latest time at which its log had fewer entries: its entry was written after that. */
function dated(logged: Iterable<LoggedAnchor>): AuditAnchor[] {
  const inOrder = [...logged].sort(
    (a, b) => (a.customerId ?? 0) - (b.customerId ?? 0) || a.sequence - b.sequence,
  );
  /** By log. */
  const before = new Map<
    number | null,
    { sequence: number; writtenAfter: Date | null; loggedAt: Date | null }
  >();
  return inOrder.map(({ loggedAt, ...anchor }) => {
    const { customerId, sequence } = anchor;
    const last = before.get(customerId);
    const writtenAfter = last ? (last.sequence < sequence ? last.loggedAt : last.writtenAfter) : null;
    before.set(customerId, { sequence, writtenAfter, loggedAt: later(last?.loggedAt ?? null, loggedAt) });
    return { ...anchor, writtenAfter };
  });
}

/**
 * Reads the anchors of audit logs from the log of the service: JSON lines, of which all others are passed over. Each
 * anchor is returned once.
 *
 * @param customerId customer of the anchors; undefined for all
 * @throws AppError `BAD_REQUEST` if it cannot be read; `VALIDATION_FAILED` without an anchor, or beyond `MAX_ANCHORS`
 */
export async function readAnchors(path: string, customerId?: number): Promise<AnchorFile> {
  const anchors = new Map<string, LoggedAnchor>();
  let unreadable = 0;
  for await (const { bytes } of linesOf(path)) {
    if (bytes && !bytes.includes(ANCHOR)) continue;
    const line = bytes && parseAnchor(bytes.toString('utf8'));
    if (!line) unreadable += 1;
    else if (customerId === undefined || line.customerId === customerId) {
      const { time, sequence, hash } = line;
      const key = JSON.stringify([line.customerId, sequence, hash]);
      const loggedAt = later(anchors.get(key)?.loggedAt ?? null, time ?? null);
      anchors.set(key, { customerId: line.customerId, sequence, hash, loggedAt });
    }
    if (anchors.size > MAX_ANCHORS)
      throw new AppError(
        'VALIDATION_FAILED',
        `The file has more than ${MAX_ANCHORS.toLocaleString('en')} anchors; split it.`,
      );
  }
  // The head of a log without entries names none.
  const named = dated(anchors.values()).filter(({ sequence }) => sequence > 0);
  if (named.length === 0)
    throw new AppError(
      'VALIDATION_FAILED',
      `${path} has no anchor${customerId === undefined ? '' : ` of customer ${customerId}`}, which is a line "${ANCHOR}" of a worker's log${unreadable === 0 ? '' : `; ${unreadable.toLocaleString('en')} lines cannot be read`}.`,
    );
  return { anchors: named, unreadable };
}

/** Yields the lines of a file. @throws AppError `BAD_REQUEST` if it cannot be read */
async function* linesOf(path: string): ReturnType<typeof readLines> {
  const content = createReadStream(path);
  try {
    await once(content, 'open');
    yield* readLines(content, MAX_LINE_BYTES);
  } catch (error) {
    throw notReadable(path, error as NodeJS.ErrnoException);
  }
}
