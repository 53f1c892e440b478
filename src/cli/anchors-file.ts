import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { AppError } from '../errors/app-error.ts';
import type { AuditAnchor } from '../features/audit/audit.types.ts';
import { readLines } from '../platform/read-lines.ts';
import { notReadable } from './output/not-readable.ts';

/** Longest line of a log that is read; an anchor has less than 500 characters. */
const MAX_LINE_BYTES = 4_096;
/** Distinct anchors: a log has at most 24 a day. */
const MAX_ANCHORS = 1_000_000;

const anchorLine = z.object({
  msg: z.literal('audit log head'),
  customerId: z.int().nullable(),
  // The head of a log without entries names none.
  sequence: z.int().min(1),
  hash: z.string(),
});

function parseAnchor(text: string): AuditAnchor | null {
  try {
    return anchorLine.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Reads the anchors of audit logs from the log of the service: JSON lines, of which all others are passed over. Each
 * anchor is returned once.
 *
 * @throws AppError `BAD_REQUEST` if it cannot be read; `VALIDATION_FAILED` without an anchor, or beyond `MAX_ANCHORS`
 */
export async function readAnchors(path: string): Promise<AuditAnchor[]> {
  const anchors = new Map<string, AuditAnchor>();
  const content = createReadStream(path);
  await once(content, 'open').catch((error: NodeJS.ErrnoException) => {
    throw notReadable(path, error);
  });
  for await (const { bytes } of readLines(content, MAX_LINE_BYTES)) {
    if (!bytes?.includes('audit log head')) continue;
    const anchor = parseAnchor(bytes.toString('utf8'));
    if (!anchor) continue;
    const { customerId, sequence, hash } = anchor;
    anchors.set(JSON.stringify([customerId, sequence, hash]), anchor);
    if (anchors.size > MAX_ANCHORS)
      throw new AppError(
        'VALIDATION_FAILED',
        `The file has more than ${MAX_ANCHORS.toLocaleString('en')} anchors; split it.`,
      );
  }
  if (anchors.size === 0)
    throw new AppError(
      'VALIDATION_FAILED',
      `${path} has no anchor, which is a line "audit log head" of a worker's log.`,
    );
  return [...anchors.values()];
}
