import { isObject } from '../../../../platform/is-object.ts';
import {
  changeOf,
  dateOf,
  emailOf,
  nameOf,
  participantOf,
  participantsOf,
  type RecordSource,
  roleOf,
  secondsOf,
  segmentTextOf,
  summaryOf,
  titleOf,
  transcriptOf,
} from '../record-reader.ts';
import type { EndpointClass, ProviderAdapter } from './adapter.types.ts';

/** Meetings per page (specification, "Limits"). */
const PAGE_SIZE = 50;

const ALL: EndpointClass = { name: 'all', perMinute: 60 };

/** The provider spells the names of times in two ways. */
const eitherSeconds = (segment: RecordSource, first: string, second: string): number | null =>
  secondsOf(segment, segment.fields[first] == null ? second : first);

/** The provider of the specification (contract 10). */
export const standardAdapter: ProviderAdapter = {
  name: 'standard',
  authentication: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  keyChecks: [{ path: '/user', endpointClass: ALL }],
  listing: {
    path: '/meetings',
    endpointClass: ALL,
    query: ({ since }) => ({ since: since.toISOString(), limit: String(PAGE_SIZE) }),
    changesQuery: null,
    isOldestFirst: false,
    cursorParameter: 'cursor',
    envelope: { meetings: ['meetings', 'data'], nextCursor: 'next_cursor', nextUrl: 'next' },
  },
  single: null,
  noticeOf: ({ type, data }) => {
    if (!isObject(data)) return null;
    const change = changeOf(data.id, data.created_at);
    return change && type === 'meeting.deleted' ? { ...change, type: 'deleted' } : change;
  },
  meeting: {
    id: 'id',
    createdAt: ['created_at'],
    transcript: 'transcript',
    read: (meeting) => ({
      title: titleOf(meeting, 'title'),
      startedAt: dateOf(meeting, 'started_at'),
      durationSeconds: secondsOf(meeting, 'duration_seconds'),
      participants: participantsOf(meeting, 'participants', (participant) =>
        participantOf(participant, {
          name: nameOf(participant, 'name'),
          email: emailOf(participant, 'email'),
          role: roleOf(participant, 'role'),
        }),
      ),
      transcript: transcriptOf(meeting, 'transcript', (segment) => ({
        speaker: nameOf(segment, 'speaker'),
        text: segmentTextOf(segment, 'text'),
        startTime: eitherSeconds(segment, 'start_time', 'startTime'),
        endTime: eitherSeconds(segment, 'end_time', 'endTime'),
      })),
      summary: summaryOf(meeting, 'summary'),
      updatedAt: dateOf(meeting, 'updated_at'),
    }),
  },
};
