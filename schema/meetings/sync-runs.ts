import type {
  MeetingSyncRun as RunShape,
  SYNC_SCOPES,
  SYNC_STATUSES,
  SyncFailure,
  SyncWarning,
} from '../../src/features/meetings/meetings.types.ts';
import { builder } from '../builder.ts';
import {
  connectionArgs,
  connectionCost,
  connectionRequest,
  connectionType,
  toConnection,
} from '../paging.ts';
import { emitted } from '../subscription-events.ts';
import { SyncLogConnection } from './sync-log.ts';
import { FIELD_PATH, WARNING_REASON } from './warning-descriptions.ts';

const MeetingSyncStatus = builder.enumType('MeetingSyncStatus', {
  description: 'Status of a sync of meetings.',
  values: {
    running: {
      description:
        'In progress. After a crash of its process, another one continues after the last stored page.',
    },
    paused: {
      description:
        'Paused by `pauseMeetingSync` after the last stored page, until `resumeMeetingSync`. No other sync starts meanwhile.',
    },
    succeeded: { description: 'All meetings of the time range are stored.' },
    failed: { description: 'Failed; see `error`. Stored meetings are kept.' },
    cancelled: {
      description:
        'Cancelled by `cancelMeetingSync`, or because the key was replaced or deleted. Stored meetings are kept.',
    },
  } satisfies Record<(typeof SYNC_STATUSES)[number], object>,
});

const MeetingSyncScope = builder.enumType('MeetingSyncScope', {
  description: 'Meetings that a sync fetches.',
  values: {
    incremental: { description: 'Meetings since the last successful sync; see `since`.' },
    range: { description: 'Meetings of the time range that the client chose.' },
    full: { description: 'All meetings. Meetings that the provider no longer lists are marked as deleted.' },
    comparison: {
      description:
        'Meetings of the last 90 days, once a day instead of a scheduled incremental sync. Meetings that the provider no longer lists are marked as deleted.',
    },
  } satisfies Record<(typeof SYNC_SCOPES)[number], object>,
});

const MeetingSyncError = builder.objectRef<SyncFailure>('MeetingSyncError').implement({
  description: 'Cause of a failed sync.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description:
        '`PROVIDER_KEY_INVALID`: a new key is needed; `RATE_LIMITED`: the provider keeps rate-limiting requests; `PROVIDER_UNAVAILABLE`: the provider fails or returns an unusable response; `NOT_CONFIGURED`: the stored key cannot be decrypted; `CONFLICT`: the customer has its maximum of meetings; `INTERNAL`: the sync was interrupted repeatedly.',
    }),
    message: t.exposeString('message', { description: 'Explanation in English.' }),
  }),
});

const MeetingSyncWarning = builder.objectRef<SyncWarning>('MeetingSyncWarning').implement({
  description: 'A malformed field of a meeting, which was stored as null or left out of its list.',
  fields: (t) => ({
    meeting: t.exposeString('meeting', { description: "The provider's identifier of the meeting." }),
    path: t.exposeString('path', { description: FIELD_PATH }),
    reason: t.exposeString('reason', { description: WARNING_REASON }),
  }),
});

export const MeetingSyncRun = builder.objectRef<RunShape>('MeetingSyncRun').implement({
  description: 'One sync of meetings. It is kept for 180 days after its end.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the sync.' }),
    status: t.expose('status', { type: MeetingSyncStatus, description: 'Status of the sync.' }),
    since: t.expose('since', {
      type: 'DateTime',
      description:
        'Start of the fetched time range. Of an incremental sync: 90 days before the first sync; later, one day before the last successful sync, or 7 days back if that is earlier. If the provider lists meetings by their last change, the time range is that of the changes, and the oldest meeting of the last 7 days without a transcript takes the place of the 7 days. Of a comparison: 90 days back, or earlier if an incremental sync would start earlier.',
    }),
    until: t.expose('until', {
      type: 'DateTime',
      nullable: true,
      description: 'End of the chosen time range, exclusive; null if the range has no end.',
    }),
    scope: t.expose('scope', { type: MeetingSyncScope, description: 'Meetings that the sync fetches.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'Start time.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'End time; null while the sync is running or paused.',
    }),
    pages: t.exposeInt('pages', { description: 'Number of stored pages.' }),
    fetched: t.exposeInt('fetched', { description: 'Number of meetings on the stored pages.' }),
    stored: t.exposeInt('stored', { description: 'Number of new meetings.' }),
    updated: t.exposeInt('updated', {
      description: 'Number of meetings that had been stored before; repetitions on the same page count here.',
    }),
    unchanged: t.exposeInt('unchanged', {
      description:
        'Number of the `updated` meetings whose content was the same, so that nothing was written.',
    }),
    rejected: t.exposeInt('rejected', {
      description: 'Number of meetings without a usable id or creation time, which are not stored.',
    }),
    skipped: t.exposeInt('skipped', {
      description:
        'Number of meetings that the provider lists and that are not stored: they are outside of the chosen time range, beyond the limit of the customer, suppressed, or older than its retention time for meetings.',
    }),
    suppressed: t.exposeInt('suppressed', {
      description:
        'Number of meetings with suppressed people, which are stored without them, and of suppressed meetings, of which nothing is stored.',
    }),
    warnings: t.exposeInt('warnings', {
      description: 'Number of malformed fields of stored meetings; the fields are null or left out.',
    }),
    warningDetails: t.expose('warningDetails', {
      type: [MeetingSyncWarning],
      description: 'The first 100 malformed fields.',
    }),
    rateLimited: t.exposeInt('rateLimited', {
      description: 'Number of requests that the provider rate-limited (HTTP 429).',
    }),
    oldestMeetingAt: t.expose('oldestMeetingAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Creation time of the oldest meeting read so far; null before the first one.',
    }),
    meetingsPerMinute: t.exposeFloat('meetingsPerMinute', {
      nullable: true,
      description:
        'Meetings read per minute, including waits for the provider, excluding pauses; null before the first stored page.',
    }),
    estimatedRemainingSeconds: t.exposeFloat('estimatedRemainingSeconds', {
      nullable: true,
      description:
        'Estimated remaining time in seconds, from the read share of the time range; while paused, from its resumption. Null while unknown, if the provider lists meetings in no order, for all meetings listed newest first, and after the end.',
    }),
    log: t.field({
      type: SyncLogConnection,
      description: 'Log of the sync, newest first: its last 1,000 entries, for 180 days.',
      args: connectionArgs(),
      complexity: connectionCost,
      resolve: ({ id }, args, { tenant, services }) =>
        toConnection(services.syncs.log(tenant(), id, connectionRequest(args)), args),
    }),
    error: t.expose('error', {
      type: MeetingSyncError,
      nullable: true,
      description: 'Cause of the failure; null unless the sync failed.',
    }),
  }),
});

const RunConnection = connectionType('MeetingSyncRun', MeetingSyncRun, { rows: 'syncs of meetings' });

builder.queryFields((t) => ({
  meetingSyncRuns: t.field({
    type: RunConnection,
    description: 'Syncs of meetings, newest first.',
    scope: 'read',
    resource: 'meetings',
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: (_root, args, { tenant, services }) =>
      toConnection(services.syncs.list(tenant(), connectionRequest(args)), args),
  }),
  meetingSyncRun: t.field({
    type: MeetingSyncRun,
    nullable: true,
    description: 'A sync of meetings; null if it does not exist.',
    scope: 'read',
    resource: 'meetings',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the sync.' }) },
    resolve: (_root, { id }, { tenant, services }) => services.syncs.find(tenant(), String(id)),
  }),
}));

builder.mutationFields((t) => ({
  syncMeetings: t.field({
    type: MeetingSyncRun,
    description:
      'Starts a sync of meetings, or returns the one that is running or paused. Without arguments it fetches the meetings since the last successful sync. A chosen time range leaves `lastSyncAt` unchanged. `NOT_CONFIGURED` if no recorder is connected, `PROVIDER_KEY_INVALID` if a new key is needed, `CONFLICT` if a sync with another time range is running or paused.',
    scope: 'write',
    resource: 'meetings',
    args: {
      since: t.arg({
        type: 'DateTime',
        description:
          'Start of a chosen time range of creation times, inclusive: at most 10 years ago and not in the future.',
      }),
      until: t.arg({
        type: 'DateTime',
        description:
          'End of the chosen time range, exclusive: after `since` and not in the future; without it, the range has no end. Requires `since`.',
      }),
      fullResync: t.arg.boolean({
        description: 'True to fetch all meetings again. Not combined with a time range.',
      }),
    },
    resolve: (_root, { since, until, fullResync }, { tenant, services }) =>
      services.syncs.start(tenant(), {
        since: since ?? undefined,
        until: until ?? undefined,
        fullResync: fullResync ?? undefined,
      }),
  }),
  pauseMeetingSync: t.field({
    type: MeetingSyncRun,
    nullable: true,
    description:
      'Pauses the running sync after its last stored page, and returns it, also if it was paused already; null if there is none. `NOT_CONFIGURED` without a provider. No process works on a paused sync, and no other sync starts, scheduled ones included; `cancelMeetingSync` and `disconnectRecorder` cancel it.',
    scope: 'write',
    resource: 'meetings',
    resolve: (_root, _args, { tenant, services }) => services.syncs.pause(tenant()),
  }),
  resumeMeetingSync: t.field({
    type: MeetingSyncRun,
    nullable: true,
    description:
      'Resumes the paused sync with the page after its last stored one, and returns it, also if it is running already; null if there is none. `NOT_CONFIGURED` without a provider.',
    scope: 'write',
    resource: 'meetings',
    resolve: (_root, _args, { tenant, services }) => services.syncs.resume(tenant()),
  }),
  cancelMeetingSync: t.field({
    type: MeetingSyncRun,
    nullable: true,
    description:
      'Cancels the running or paused sync and returns it; null if there was none. Stored meetings are kept.',
    scope: 'write',
    resource: 'meetings',
    resolve: (_root, _args, { tenant, services }) => services.syncs.cancel(tenant()),
  }),
}));

builder.subscriptionField('meetingSyncProgress', (t) =>
  t.field({
    type: MeetingSyncRun,
    description: 'Publishes the progress of syncs, page by page.',
    scope: 'read',
    resource: 'meetings',
    subscribe: (_root, _args, { principal, tenant, services, signal, subscription }) =>
      services.syncFeed.subscribe(principal, tenant(), {
        after: subscription.lastEventId,
        signal,
      }),
    resolve: (event, _args, context) => emitted(event, context),
  }),
);
