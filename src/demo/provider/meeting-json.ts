/** A meeting in the provider's JSON (contract 10); a provider may add further fields. */
export interface MeetingJson {
  id: string | number;
  title?: string | null;
  created_at: string;
  started_at?: string | null;
  duration_seconds?: number | null;
  participants?: ParticipantJson[] | null;
  /** Absent or empty while the recording is being processed. */
  transcript?: SegmentJson[] | null;
  summary?: string | null;
  [unknown: string]: unknown;
}

export interface ParticipantJson {
  name: string;
  email?: string | null;
  role?: string | null;
}

export interface SegmentJson {
  speaker: string;
  text: string;
  start_time: number;
  end_time: number;
}

/** Meetings, newest first; an array, or an object that generates them on demand. */
export interface Meetings {
  readonly length: number;
  at(index: number): MeetingJson | undefined;
}
