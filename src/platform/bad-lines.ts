/** Maximum number of reasons; lines with further reasons are counted together. */
const MAX_REASONS = 50;
/** Number of lines listed per reason. */
const LINES_PER_REASON = 5;

const OTHER_REASONS = 'Other reasons.';

/** Bad lines with the same reason. */
export interface BadLineReason {
  reason: string;
  count: number;
  /** The first lines with this reason. */
  lines: number[];
}

/**
 * Collects bad lines: each reason with its count, and the first lines one by one.
 *
 * @typeParam P position of a line in its file
 * @param maxListed maximum number of lines listed one by one; further lines are only counted
 */
export function createBadLines<P extends { line: number }>(maxListed: number) {
  const reasons = new Map<string, BadLineReason>();
  const listed: (P & { message: string })[] = [];

  return {
    listed,

    /** @param reasonOf groups the line; the message by default */
    add(position: P, message: string, reasonOf = message): void {
      if (listed.length < maxListed) listed.push({ ...position, message });
      const reason = reasons.has(reasonOf) || reasons.size < MAX_REASONS ? reasonOf : OTHER_REASONS;
      const entry = reasons.get(reason) ?? { reason, count: 0, lines: [] };
      reasons.set(reason, entry);
      entry.count += 1;
      if (entry.lines.length < LINES_PER_REASON) entry.lines.push(position.line);
    },

    /** Returns the reasons, most frequent first. */
    reasons: (): BadLineReason[] => [...reasons.values()].sort((a, b) => b.count - a.count),
  };
}
