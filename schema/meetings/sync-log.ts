import type { SYNC_LOG_TYPES, SyncLogEntry } from '../../src/features/meetings/meetings.types.ts';
import { builder } from '../builder.ts';
import { connectionType } from '../paging.ts';

const MeetingSyncLogType = builder.enumType('MeetingSyncLogType', {
  description: 'Type of an entry in the log of a sync.',
  values: {
    started: { description: 'A process started the sync.' },
    claimed: {
      description:
        'A process continued the sync: after a pause, or after another process stopped or was killed.',
    },
    page: { description: 'A page was stored: its meetings and its duration, waits included.' },
    wait: {
      description:
        'A wait for the provider. `detail` is `pacing` (at least a second), `retry_after` (advised by the provider) or `backoff`.',
    },
    rate_limited: { description: 'The provider rate-limited a request (HTTP 429).' },
    attempt_failed: { description: 'Another attempt of a request failed; `detail` has the reason.' },
    warnings: { description: 'Malformed fields on a page; see `warningDetails` of the sync.' },
    rejections: {
      description:
        'Meetings without a usable id or creation time on a page; `detail` has the first five reasons.',
    },
    recounted: {
      description:
        'Stored meetings that the list does not contain: it is read again before they count as deleted.',
    },
    deletions: {
      description: 'Meetings that were marked as deleted, since the provider does not list them.',
    },
    deletions_refused: {
      description:
        'Missing meetings that were not marked as deleted, since the list may be incomplete; `detail` has the reason.',
    },
    paused: { description: 'The sync was paused.' },
    resumed: { description: 'The sync was resumed.' },
  } satisfies Record<(typeof SYNC_LOG_TYPES)[number], object>,
});

const MeetingSyncLogEntry = builder.objectRef<SyncLogEntry>('MeetingSyncLogEntry').implement({
  description: 'Entry in the log of a sync. It contains no keys, persons or transcripts.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'Time of the entry.' }),
    type: t.expose('type', { type: MeetingSyncLogType, description: 'Type of the entry.' }),
    page: t.exposeInt('page', {
      nullable: true,
      description: 'Number of the page that was stored or is being fetched; null if there is none.',
    }),
    count: t.exposeInt('count', {
      nullable: true,
      description: 'Number of meetings, warnings or rejections; null for other types.',
    }),
    durationMs: t.exposeInt('durationMs', {
      nullable: true,
      description: 'Duration of the page or of the wait in milliseconds; null for other types.',
    }),
    detail: t.exposeString('detail', {
      nullable: true,
      description: 'Reason; null if the type needs none.',
    }),
  }),
});

export const SyncLogConnection = connectionType('MeetingSyncLogEntry', MeetingSyncLogEntry, {
  rows: 'log entries of a sync',
});
