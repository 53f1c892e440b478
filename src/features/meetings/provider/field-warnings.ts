import type { MeetingWarning } from '../meetings.types.ts';

/** Warnings that are listed per meeting and per sync; further ones are only counted. */
export const MAX_LISTED_WARNINGS = 100;

/** The malformed fields of one meeting. */
export interface FieldWarnings {
  count: number;
  /** The first `MAX_LISTED_WARNINGS`. */
  listed: MeetingWarning[];
}

/** Adds a warning: the path and the reason, never the value. */
export function addWarning(warnings: FieldWarnings, path: string, reason: string): void {
  warnings.count += 1;
  if (warnings.listed.length < MAX_LISTED_WARNINGS) warnings.listed.push({ path, reason });
}
