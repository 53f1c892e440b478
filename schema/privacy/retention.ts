import { z } from 'zod';
import { RETENTION_KINDS, type RetentionKind } from '../../src/features/privacy/retention-step.ts';
import type { Retention as RetentionShape } from '../../src/features/retention/retention.service.ts';
import { MAX_RETENTION_DAYS } from '../../src/shared/retention.ts';
import { builder, GRAPHQL_AND_V1 } from '../builder.ts';
import { withArgumentPaths } from '../error-paths.ts';
import { privacyRoute } from './privacy-routes.ts';

const DAYS: Record<RetentionKind, string> = {
  conversations:
    'Days after the latest activity of a conversation (start, message, event or end) until it is removed with its messages, records, events, deliveries and timeline',
  transcripts:
    "Days after the start of a meeting until its transcript and the provider's record are removed; the meeting stays",
  meetings: 'Days after the start of a meeting until it is removed with everything that belongs to it',
  previewEvents: 'Days after the acceptance of an event of a custom type until it is removed',
  eventsAndDeliveries:
    'Days after the end of the last delivery of a webhook event until it is removed with its deliveries; the timeline of its conversation keeps it',
  auditLog:
    'Days until entries of the audit log are removed; a signed checkpoint keeps the rest of the log verifiable',
};

const COUNTS: Record<RetentionKind, string> = {
  conversations: 'Conversations.',
  transcripts: "Meetings, for their transcript and provider's record.",
  meetings: 'Meetings.',
  previewEvents: 'Events of custom types.',
  eventsAndDeliveries: 'Webhook events, with their deliveries.',
  auditLog: 'Entries of the audit log.',
};

const RetentionCounts = builder.objectRef<Record<RetentionKind, number>>('RetentionCounts').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'Number of objects by retention type.',
  fields: (t) =>
    Object.fromEntries(
      RETENTION_KINDS.map((kind) => [kind, t.exposeInt(kind, { description: COUNTS[kind] })]),
    ),
});

const Retention = builder.objectRef<RetentionShape>('Retention').implement({
  subGraphs: GRAPHQL_AND_V1,
  description:
    "A customer's retention times. They are enforced every ten minutes, and within seconds after a change.",
  fields: (t) => ({
    ...Object.fromEntries(
      RETENTION_KINDS.map((kind) => [
        kind,
        t.exposeInt(kind, {
          nullable: true,
          description: `${DAYS[kind]}; null ${
            kind === 'eventsAndDeliveries'
              ? 'if `DELIVERY_RETENTION` of the service applies'
              : kind === 'previewEvents'
                ? 'if `CUSTOM_EVENT_RETENTION` of the service applies'
                : 'if it is kept'
          }.`,
        }),
      ]),
    ),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the latest change; null before the first one.',
    }),
    lastRunAt: t.expose('lastRunAt', {
      type: 'DateTime',
      nullable: true,
      description: 'End of the latest run; null before the first one.',
    }),
    removed: t.expose('removed', {
      type: RetentionCounts,
      description: 'What the latest run removed.',
    }),
    failed: t.stringList({
      description:
        'Kinds that the latest run could not complete, such as `conversations`; the next run repeats them within minutes. The cause is in the log of the service.',
      resolve: ({ failed }) => [...failed],
    }),
  }),
});

const days = z.number().int().min(1).max(MAX_RETENTION_DAYS);
const time = days.nullish();

const updateRetentionInput = z.object(
  Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, time])) as Record<RetentionKind, typeof time>,
);

const UpdateRetentionInput = builder.inputType('UpdateRetentionInput', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'Retention times to change; those that are absent stay.',
  validate: { schema: updateRetentionInput },
  fields: (t) =>
    Object.fromEntries(
      RETENTION_KINDS.map((kind) => [
        kind,
        t.int({
          description: `${DAYS[kind]}; null for no retention time of the customer.${
            kind === 'auditLog' ? ' Only an admin key can change it.' : ''
          }`,
        }),
      ]),
    ) as Record<RetentionKind, ReturnType<typeof t.int>>,
});

const RETENTION_EXAMPLE = {
  ...{ conversations: 365, transcripts: 90, meetings: 730, previewEvents: null },
  ...{ eventsAndDeliveries: 14, auditLog: null },
  updatedAt: '2026-01-31T09:30:00.000Z',
  lastRunAt: '2026-01-31T09:40:00.000Z',
  removed: {
    ...{ conversations: 12, transcripts: 3, meetings: 0, previewEvents: 0 },
    ...{ eventsAndDeliveries: 480, auditLog: 0 },
  },
  failed: [],
};

/** Cost of a preview, five points: it reads many rows. */
const PREVIEW_COST = 500;

builder.queryFields((t) => ({
  retention: t.field({
    ...privacyRoute({
      graphql: true,
      method: 'GET',
      path: '/retention',
      scope: 'read',
      resource: 'account',
      summary: 'Get the retention times',
      example: { response: RETENTION_EXAMPLE },
    }),
    type: Retention,
    description: "The customer's retention times, and what the latest run has removed.",
    resolve: (_root, _args, { tenant, services }) => services.retention.get(tenant()),
  }),
  retentionPreview: t.field({
    ...privacyRoute({
      graphql: true,
      method: 'GET',
      path: '/retention/preview',
      large: true,
      scope: 'read',
      resource: 'account',
      summary: 'Count what would expire',
      example: {
        query: { conversations: 365 },
        response: {
          ...{ conversations: 12, transcripts: 3, meetings: 0, previewEvents: 0 },
          ...{ eventsAndDeliveries: 480, auditLog: 0 },
        },
      },
    }),
    type: RetentionCounts,
    description:
      'Counts what a run would remove now, and changes nothing. Each count is at most 10,000 and covers the oldest objects only: 12,500 webhook events, 25,000 or more of any other type. Omitted times keep their stored value; without a retention time, the count is 0.',
    args: Object.fromEntries(
      RETENTION_KINDS.map((kind) => [
        kind,
        t.arg.int({ description: `${DAYS[kind]}.`, validate: { schema: days } }),
      ]),
    ) as Record<RetentionKind, ReturnType<typeof t.arg.int>>,
    complexity: PREVIEW_COST,
    resolve: (_root, times, { tenant, services }) => services.retention.preview(tenant(), times),
  }),
}));

builder.mutationField('updateRetention', (t) =>
  t.field({
    ...privacyRoute({
      graphql: true,
      method: 'PATCH',
      path: '/retention',
      body: 'input',
      scope: 'write',
      resource: 'account',
      summary: 'Change the retention times',
      example: { body: { conversations: 365, eventsAndDeliveries: 14 }, response: RETENTION_EXAMPLE },
    }),
    type: Retention,
    description:
      'Changes retention times; expired data is removed from then on, which cannot be undone. `eventsAndDeliveries` and `previewEvents` cannot be longer than the times of the service, `DELIVERY_RETENTION` and `CUSTOM_EVENT_RETENTION`. Returns `FORBIDDEN` if a key that is not an admin key changes `auditLog`.',
    args: {
      input: t.arg({
        type: UpdateRetentionInput,
        required: true,
        description: 'Retention times to change.',
      }),
    },
    resolve: (_root, { input }, { tenant, services, principal }) =>
      withArgumentPaths(
        services.retention.update(tenant(), { times: input, isAdmin: principal.tenant === null }),
        Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, `input.${kind}`])),
      ),
  }),
);
