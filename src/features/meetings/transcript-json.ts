import type { TranscriptSegment } from './meetings.types.ts';

/**
 * The stored form of a transcript: one list per field, and each speaker once. A page has tens of thousands of segments;
 * this form takes half the bytes of a list of segments, and parsing it creates no object per segment.
 */
interface StoredTranscript {
  speakers: (string | null)[];
  /** Positions in `speakers`. */
  speaker: number[];
  text: string[];
  startTime: (number | null)[];
  endTime: (number | null)[];
}

/** Returns the JSON to store. */
export function encodeTranscript(segments: readonly TranscriptSegment[]): string {
  const positions = new Map<string | null, number>();
  const positionOf = (speaker: string | null): number => {
    const position = positions.get(speaker) ?? positions.size;
    positions.set(speaker, position);
    return position;
  };
  const speaker = segments.map((segment) => positionOf(segment.speaker));
  return JSON.stringify({
    speakers: [...positions.keys()],
    speaker,
    text: segments.map(({ text }) => text),
    startTime: segments.map(({ startTime }) => startTime),
    endTime: segments.map(({ endTime }) => endTime),
  } satisfies StoredTranscript);
}

/** Parses a stored transcript; an earlier version stored the list of segments. */
const parse = (json: string) => JSON.parse(json) as StoredTranscript | TranscriptSegment[];

export function decodeTranscript(json: string): TranscriptSegment[] {
  const stored = parse(json);
  if (Array.isArray(stored)) return stored;
  const { speakers, speaker, text, startTime, endTime } = stored;
  return text.map((spoken, index) => ({
    speaker: speakers[speaker[index] ?? 0] ?? null,
    text: spoken,
    startTime: startTime[index] ?? null,
    endTime: endTime[index] ?? null,
  }));
}

/** Returns the texts of a stored transcript, by segment. */
export function textsOfTranscript(json: string): string[] {
  const stored = parse(json);
  return Array.isArray(stored) ? stored.map(({ text }) => text) : stored.text;
}
