import type { ProviderAdapter } from '../../../src/features/meetings/provider/adapters/adapter.types.ts';
import {
  changeOf,
  dateOf,
  nameOf,
  participantOf,
  participantsOf,
  secondsOf,
  segmentTextOf,
  summaryOf,
  titleOf,
  transcriptOf,
} from '../../../src/features/meetings/provider/record-reader.ts';

const CALLS = { name: 'calls', perMinute: 120 };

/** Adapter of an imaginary provider: the example of `docs/recorder-adapters.md`. */
export const acmeAdapter: ProviderAdapter = {
  name: 'acme',
  authentication: (apiKey) => ({ authorization: `Token ${apiKey}` }),
  keyChecks: [{ path: '/whoami', endpointClass: CALLS }],
  listing: {
    path: '/calls',
    endpointClass: CALLS,
    query: ({ since }) => ({ from: String(Math.floor(since.getTime() / 1_000)) }),
    changesQuery: ({ since }) => ({ changed_from: String(Math.floor(since.getTime() / 1_000)) }),
    isOldestFirst: true,
    cursorParameter: 'page',
    envelope: { meetings: ['calls'], nextCursor: 'next_page', nextUrl: null },
  },
  single: { path: (id) => `/calls/${id}`, query: {}, endpointClass: CALLS },
  noticeOf: ({ call, gone }) => {
    const change = changeOf(call, null);
    return change && gone === true ? { ...change, type: 'deleted' } : change;
  },
  meeting: {
    id: 'uuid',
    createdAt: ['inserted'],
    transcript: 'lines',
    read: (call) => ({
      title: titleOf(call, 'topic'),
      startedAt: dateOf(call, 'began'),
      durationSeconds: secondsOf(call, 'length'),
      participants: participantsOf(call, 'people', (person) =>
        participantOf(person, { name: nameOf(person, 'label'), email: null, role: null }),
      ),
      transcript: transcriptOf(call, 'lines', (line) => ({
        speaker: nameOf(line, 'who'),
        text: segmentTextOf(line, 'said'),
        startTime: secondsOf(line, 'at'),
        endTime: null,
      })),
      summary: summaryOf(call, 'digest'),
      updatedAt: dateOf(call, 'changed'),
    }),
  },
};
