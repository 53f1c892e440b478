import { hash } from 'node:crypto';
import type { MeetingJson, Meetings, ParticipantJson, SegmentJson } from './meeting-json.ts';
import { apiKeyOf, type ProviderRequest, type ProviderResponse, refuse } from './provider-http.ts';
import { createRateLimit, type RateLimitState } from './provider-rate-limit.ts';

interface FathomOptions {
  meetings: Meetings;
  acceptsKey: (key: string) => boolean;
  /** Requests per window and key: of any type, and of heavy types. */
  limits?: { light: number; heavy: number; windowMs?: number };
  pageSize?: number;
}

export const FATHOM_BASE_PATH = '/external/v1';
const PAGE_SIZE = 10;
const LIMITS = { light: 60, heavy: 30 };

/** Returns a meeting's `recording_id`: the digits of its id, or a number derived from it. */
export const recordingId = (id: string | number): number => {
  const digits = /^\D*(\d+)$/.exec(String(id))?.[1];
  return digits === undefined ? Number.parseInt(hash('sha256', String(id)).slice(0, 12), 16) : Number(digits);
};

/** Formats seconds as `00:05:32`. */
const timestamp = (seconds: number): string =>
  [seconds / 3_600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, '0'))
    .join(':');

const toInvitee = ({ name, email = null, role }: ParticipantJson) => ({
  name,
  email,
  email_domain: email?.split('@')[1] ?? null,
  is_external: role !== 'host',
  matched_speaker_display_name: name,
});

const toTranscriptItem = ({ speaker, text, start_time }: SegmentJson) => ({
  speaker: { display_name: speaker, matched_calendar_invitee_email: null },
  text,
  timestamp: timestamp(start_time),
});

/** Returns a meeting in the JSON of Fathom; transcript and summary are null unless requested. */
function toFathomJson(meeting: MeetingJson, query: URLSearchParams): Record<string, unknown> {
  const { id, title, created_at, duration_seconds, participants, transcript, summary } = meeting;
  const startedAt = meeting.started_at ?? created_at;
  const host = participants?.find(({ role }) => role === 'host');
  return {
    title,
    meeting_title: title,
    recording_id: recordingId(id),
    url: `https://fathom.example.com/calls/${recordingId(id)}`,
    created_at,
    scheduled_start_time: startedAt,
    recording_start_time: startedAt,
    recording_end_time:
      duration_seconds == null
        ? null
        : new Date(Date.parse(startedAt) + duration_seconds * 1_000).toISOString(),
    transcript_language: 'en',
    calendar_invitees: participants?.map(toInvitee) ?? [],
    recorded_by: host && { name: host.name, email: host.email, team: 'Sales' },
    transcript:
      query.get('include_transcript') === 'true' ? (transcript?.map(toTranscriptItem) ?? null) : null,
    default_summary:
      query.get('include_summary') === 'true' && summary
        ? { template_name: 'general', markdown_formatted: summary }
        : null,
  };
}

const limitHeaders = ({ refused, limit, remaining, resetSeconds }: RateLimitState) => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(resetSeconds),
  ...(refused && { 'retry-after': String(resetSeconds) }),
});

/** Creates the handler of a fake Fathom: `GET /teams` and `GET /meetings` below `/external/v1`. */
export function createFathomHandler({
  meetings,
  acceptsKey,
  limits: { light, heavy, windowMs } = LIMITS,
  pageSize = PAGE_SIZE,
}: FathomOptions) {
  const limitOf = {
    light: createRateLimit({ limit: light, windowMs }),
    heavy: createRateLimit({ limit: heavy, windowMs }),
  };

  function list(query: URLSearchParams): ProviderResponse {
    const createdAfter = Date.parse(query.get('created_after') ?? '1970-01-01');
    const createdBefore = query.has('created_before')
      ? Date.parse(query.get('created_before') ?? '')
      : Number.POSITIVE_INFINITY;
    const offset = Number(/^c(\d{1,9})$/.exec(query.get('cursor') ?? 'c0')?.[1]);
    if (Number.isNaN(createdAfter)) return refuse(400, 'created_after is not a valid time');
    if (Number.isNaN(createdBefore)) return refuse(400, 'created_before is not a valid time');
    if (Number.isNaN(offset)) return refuse(400, 'cursor is not valid');
    const page: MeetingJson[] = [];
    // Meetings are newest first.
    const isTooNew = (meeting: MeetingJson | undefined) =>
      meeting !== undefined && Date.parse(meeting.created_at) >= createdBefore;
    let newest = 0;
    while (isTooNew(meetings.at(newest))) newest += 1;
    // Collects one extra meeting, which shows that another page follows.
    for (let index = newest + offset; page.length <= pageSize; index += 1) {
      const meeting = meetings.at(index);
      if (!meeting || Date.parse(meeting.created_at) <= createdAfter) break;
      page.push(meeting);
    }
    const items = page.slice(0, pageSize).map((meeting) => toFathomJson(meeting, query));
    const next_cursor = page.length > pageSize ? `c${offset + pageSize}` : null;
    return { status: 200, body: { limit: pageSize, next_cursor, items } };
  }

  return ({ method, url, headers }: ProviderRequest): ProviderResponse => {
    const key = apiKeyOf(headers);
    if (key === null || !acceptsKey(key)) return refuse(401, 'Unauthorized');
    if (method !== 'GET') return refuse(405, 'method is not allowed, use GET');
    const query = url.searchParams;
    const isHeavy = query.has('include_transcript') || query.has('include_summary');
    const state = limitOf[isHeavy ? 'heavy' : 'light'].hit(key, Date.now());
    const answer = (response: ProviderResponse) => ({ ...response, headers: limitHeaders(state) });
    if (state.refused) return answer(refuse(429, 'rate limit exceeded'));
    if (url.pathname === `${FATHOM_BASE_PATH}/meetings`) return answer(list(query));
    if (url.pathname === `${FATHOM_BASE_PATH}/teams`)
      return answer({
        status: 200,
        body: { limit: pageSize, next_cursor: null, items: [{ name: 'Sales' }] },
      });
    return refuse(404, 'not found');
  };
}
