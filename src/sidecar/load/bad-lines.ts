import type { RowPosition } from './row-receiver.ts';

/** Maximum number of bad lines that are listed one by one; the rest is only counted. */
const MAX_LISTED = 100;
/** Maximum number of reasons; rows with further ones are counted together. */
const MAX_REASONS = 50;
/** Number of lines that are listed for each reason. */
const LINES_PER_REASON = 5;

const OTHER_REASONS = 'Other reasons.';

/** Bad lines with the same reason. */
export interface BadLineReason {
  reason: string;
  count: number;
  /** The first lines with this reason. */
  lines: number[];
}

export interface BadLine extends RowPosition {
  message: string;
}

/** Collects bad lines: each reason with its count, and the first lines one by one. */
export function createBadLines() {
  const reasons = new Map<string, BadLineReason>();
  const listed: BadLine[] = [];

  return {
    listed,

    add({ row, line }: RowPosition, message: string): void {
      if (listed.length < MAX_LISTED) listed.push({ row, line, message });
      const reason = reasons.has(message) || reasons.size < MAX_REASONS ? message : OTHER_REASONS;
      const entry = reasons.get(reason) ?? { reason, count: 0, lines: [] };
      reasons.set(reason, entry);
      entry.count += 1;
      if (entry.lines.length < LINES_PER_REASON) entry.lines.push(line);
    },

    /** Returns the reasons, most frequent first. */
    reasons: (): BadLineReason[] => [...reasons.values()].sort((a, b) => b.count - a.count),
  };
}
