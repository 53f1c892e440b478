import type { MeetingWarning } from '../meetings.types.ts';
import type { ProviderMeeting } from './provider.types.ts';

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

/** Returns the meeting with a further warning. */
export function withWarning(meeting: ProviderMeeting, path: string, reason: string): ProviderMeeting {
  const warnings = { count: meeting.warningCount, listed: [...meeting.warnings] };
  addWarning(warnings, path, reason);
  return { ...meeting, warnings: warnings.listed, warningCount: warnings.count };
}
