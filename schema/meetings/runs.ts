import type {
  MeetingSyncRun as RunShape,
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
import { FIELD_PATH, WARNING_REASON } from './warning-descriptions.ts';

const MeetingSyncStatus = builder.enumType('MeetingSyncStatus', {
  description: 'Status of a sync of meetings.',
  values: {
    running: {
      description:
        'In progress. After a crash of its process, another one continues after the last stored page.',
    },
    succeeded: { description: 'All meetings of the time range are stored.' },
    failed: { description: 'Failed; see `error`. Stored meetings are kept.' },
    cancelled: {
      description:
        'Cancelled by `cancelMeetingSync`, or because the key was replaced or deleted. Stored meetings are kept.',
    },
  } satisfies Record<(typeof SYNC_STATUSES)[number], object>,
});

const MeetingSyncError = builder.objectRef<SyncFailure>('MeetingSyncError').implement({
  description: 'Cause of a failed sync.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description:
        '`PROVIDER_KEY_INVALID`: a new key is needed; `RATE_LIMITED`: the provider keeps rate-limiting requests; `PROVIDER_UNAVAILABLE`: the provider fails or returns an unusable response; `NOT_CONFIGURED`: the stored key cannot be decrypted; `INTERNAL`: the sync was interrupted repeatedly.',
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
        'Start of the fetched time range: 90 days before the first sync; later, one day before the last successful sync, or the oldest meeting of the last 7 days without a transcript if that is earlier.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'Start time.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'End time; null while the sync runs.',
    }),
    pages: t.exposeInt('pages', { description: 'Number of stored pages.' }),
    fetched: t.exposeInt('fetched', { description: 'Number of meetings on the stored pages.' }),
    stored: t.exposeInt('stored', { description: 'Number of new meetings.' }),
    updated: t.exposeInt('updated', {
      description: 'Number of meetings that had been stored before; repetitions on the same page count here.',
    }),
    rejected: t.exposeInt('rejected', {
      description: 'Number of meetings without a usable id or creation time, which are not stored.',
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
    error: t.expose('error', {
      type: MeetingSyncError,
      nullable: true,
      description: 'Cause of the failure; null unless the sync failed.',
    }),
  }),
});

const RunConnection = connectionType('MeetingSyncRun', MeetingSyncRun, { rows: 'syncs of meetings' });

builder.queryField('meetingSyncRuns', (t) =>
  t.field({
    type: RunConnection,
    description: 'Syncs of meetings, newest first.',
    authScopes: { read: true },
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: (_root, args, { tenant, services }) =>
      toConnection(services.syncs.list(tenant(), connectionRequest(args)), args),
  }),
);

builder.mutationFields((t) => ({
  syncMeetings: t.field({
    type: MeetingSyncRun,
    description:
      'Starts a sync of meetings, or returns the one that is running. `NOT_CONFIGURED` if no recorder is connected, `PROVIDER_KEY_INVALID` if a new key is needed.',
    authScopes: { write: true },
    resolve: (_root, _args, { tenant, services }) => services.syncs.start(tenant()),
  }),
  cancelMeetingSync: t.field({
    type: MeetingSyncRun,
    nullable: true,
    description:
      'Cancels the running sync and returns it; null if none was running. Stored meetings are kept.',
    authScopes: { write: true },
    resolve: (_root, _args, { tenant, services }) => services.syncs.cancel(tenant()),
  }),
}));

builder.subscriptionField('meetingSyncProgress', (t) =>
  t.field({
    type: MeetingSyncRun,
    description: 'Publishes the progress of syncs, page by page.',
    authScopes: { read: true },
    subscribe: (_root, _args, { principal, tenant, services, subscription }) =>
      services.syncFeed.subscribe(principal, tenant(), {
        after: subscription.lastEventId,
        onClose: subscription.onClose,
      }),
    resolve: (event, _args, context) => emitted(event, context),
  }),
);
