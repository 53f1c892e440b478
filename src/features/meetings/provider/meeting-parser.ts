import { encodeRecord, MAX_RECORD_BYTES, MAX_RECORD_LEVELS } from '../provider-records/record-codec.ts';
import { encodeTranscript } from '../transcript-json.ts';
import type { MeetingMapping } from './adapters/adapter.types.ts';
import { addWarning, type FieldWarnings } from './field-warnings.ts';
import type { ProviderMeeting, RejectedMeeting } from './provider.types.ts';
import { isRecord, parseInstant, parseMeetingId } from './record-reader.ts';

const BAD_ID = 'expected a string of 1 to 200 characters or a whole number';
const BAD_TIME = 'expected an ISO 8601 date and time';
const RECORD_TOO_LARGE = `expected at most ${MAX_RECORD_BYTES} bytes and ${MAX_RECORD_LEVELS} levels of JSON; JSON pointers of the mapping have no value`;

/** Returns the creation time: the first usable one. */
function creationOf(fields: Record<string, unknown>, names: readonly string[]): Date | null {
  for (const name of names) {
    const at = parseInstant(fields[name]);
    if (at) return at;
  }
  return null;
}

/**
 * Maps the provider's JSON of a meeting. Only a meeting without a usable id or creation time is rejected; any other
 * malformed field is null, or left out of its list, and noted as a warning.
 */
export function parseMeeting(raw: unknown, mapping: MeetingMapping): ProviderMeeting | RejectedMeeting {
  if (!isRecord(raw)) return { id: null, reason: 'meeting: expected an object' };
  const id = parseMeetingId(raw[mapping.id]);
  const createdAt = creationOf(raw, mapping.createdAt);
  if (id === null || createdAt === null) {
    const reasons = [
      ...(id === null ? [`${mapping.id}: ${BAD_ID}`] : []),
      ...(createdAt === null ? [`${mapping.createdAt[0]}: ${BAD_TIME}`] : []),
    ];
    return { id, reason: reasons.join('; ') };
  }
  const warnings: FieldWarnings = { count: 0, listed: [] };
  const { startedAt, durationSeconds, transcript, ...fields } = mapping.read({
    fields: raw,
    parent: null,
    index: null,
    warnings,
  });
  const { [mapping.transcript]: _transcript, ...record } = raw;
  // Encoded at once: parsed JSON can take twenty times the memory of its text.
  const recordJson = encodeRecord(record);
  if (recordJson === null) addWarning(warnings, 'record', RECORD_TOO_LARGE);
  return {
    ...fields,
    id,
    createdAt,
    startedAt: startedAt ?? createdAt,
    // Meeting records have whole seconds.
    durationSeconds: durationSeconds === null ? null : Math.round(durationSeconds),
    transcriptJson: transcript.length === 0 ? null : encodeTranscript(transcript),
    warnings: warnings.listed,
    warningCount: warnings.count,
    recordJson,
  };
}
