import type {
  MeetingSyncRun as RunShape,
  SYNC_STATUSES,
  SyncFailure,
} from '../../src/features/meetings/meetings.types.ts';
import { builder } from '../builder.ts';
import {
  connectionArgs,
  connectionCost,
  connectionRequest,
  connectionType,
  toConnection,
} from '../paging.ts';

const MeetingSyncStatus = builder.enumType('MeetingSyncStatus', {
  description: 'How far a sync of meetings is.',
  values: {
    running: { description: 'Under way; a sync whose process was killed goes on from its last page.' },
    succeeded: { description: 'Everything that the provider had is stored.' },
    failed: { description: 'It could not go on; `error` says why. What it had stored stays.' },
    cancelled: {
      description:
        'Ended by `cancelMeetingSync`, or because the key was replaced or removed. What it had stored stays.',
    },
  } satisfies Record<(typeof SYNC_STATUSES)[number], object>,
});

const MeetingSyncError = builder.objectRef<SyncFailure>('MeetingSyncError').implement({
  description: 'Why a sync could not go on.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description:
        '`PROVIDER_KEY_INVALID`: a new key is needed; `RATE_LIMITED`: the provider keeps asking for fewer requests; `PROVIDER_UNAVAILABLE`: it fails, or answers what cannot be used; `NOT_CONFIGURED`: the stored key cannot be opened; `INTERNAL`.',
    }),
    message: t.exposeString('message', { description: 'The same in words.' }),
  }),
});

export const MeetingSyncRun = builder.objectRef<RunShape>('MeetingSyncRun').implement({
  description: 'One sync of the meetings of a tenant. It is kept for 180 days after its end.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its identifier.' }),
    status: t.expose('status', { type: MeetingSyncStatus, description: 'How far it is.' }),
    since: t.expose('since', {
      type: 'DateTime',
      description:
        'Meetings from then on were asked for: 90 days back at first; later a day before the last success, or the oldest meeting of the last 7 days whose transcript was still empty.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it was started.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null while it runs.',
    }),
    pages: t.exposeInt('pages', { description: 'Pages of the provider that are stored.' }),
    fetched: t.exposeInt('fetched', { description: 'Meetings on these pages.' }),
    stored: t.exposeInt('stored', { description: 'Meetings among them that were new.' }),
    updated: t.exposeInt('updated', {
      description: 'Meetings among them that were there already; one that comes twice counts here.',
    }),
    rejected: t.exposeInt('rejected', {
      description: 'Meetings among them that were malformed and are not stored.',
    }),
    rateLimited: t.exposeInt('rateLimited', {
      description: 'How often the provider asked to wait (429).',
    }),
    error: t.expose('error', {
      type: MeetingSyncError,
      nullable: true,
      description: 'Why it failed; null when it did not.',
    }),
  }),
});

const RunConnection = connectionType('MeetingSyncRun', MeetingSyncRun, { rows: 'syncs of meetings' });

builder.queryField('meetingSyncRuns', (t) =>
  t.field({
    type: RunConnection,
    description: "The tenant's syncs of meetings, newest first.",
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
      'Starts a sync of meetings; while one runs, gives that one. `NOT_CONFIGURED` when no recorder is connected, `PROVIDER_KEY_INVALID` when a new key is needed.',
    authScopes: { write: true },
    resolve: (_root, _args, { tenant, services }) => services.syncs.start(tenant()),
  }),
  cancelMeetingSync: t.field({
    type: MeetingSyncRun,
    nullable: true,
    description:
      'Cancels the running sync, wherever it runs; what it has stored stays. Null when none was running.',
    authScopes: { write: true },
    resolve: (_root, _args, { tenant, services }) => services.syncs.cancel(tenant()),
  }),
}));

builder.subscriptionField('meetingSyncProgress', (t) =>
  t.field({
    type: MeetingSyncRun,
    description:
      "The tenant's syncs as they get on from now on, page by page, whichever process they run in.",
    authScopes: { read: true },
    subscribe: (_root, _args, { principal, tenant, services }) =>
      services.syncFeed.subscribe(principal, tenant()),
    resolve: (run) => run,
  }),
);
