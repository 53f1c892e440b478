import type {
  REPROJECTION_STATUSES,
  ActivityReprojection as ReprojectionShape,
} from '../../src/features/meetings/meetings.types.ts';
import { builder } from '../builder.ts';
import { emitted } from '../subscription-events.ts';

const ActivityReprojectionStatus = builder.enumType('ActivityReprojectionStatus', {
  description: 'Status of the re-projection of meeting activities.',
  values: {
    running: { description: 'In progress. After a crash of its process, another one continues.' },
    succeeded: { description: 'All activities are built by the current mapping.' },
    failed: {
      description:
        'Interrupted five times without progress. It is attempted again after one or two minutes, then at growing intervals of at most an hour, and is running again as soon as it makes progress.',
    },
  } satisfies Record<(typeof REPROJECTION_STATUSES)[number], object>,
});

const ActivityReprojection = builder.objectRef<ReprojectionShape>('ActivityReprojection').implement({
  description:
    'Re-projection of all meeting activities by the current field mapping, from stored data. A change of the mapping replaces it.',
  fields: (t) => ({
    mappingVersion: t.exposeInt('mappingVersion', {
      description: 'Number of the mapping: it increases with each change.',
    }),
    status: t.expose('status', {
      type: ActivityReprojectionStatus,
      description: 'Status of the re-projection.',
    }),
    total: t.exposeInt('total', {
      nullable: true,
      description: 'Number of activities that an older mapping built; null until they are counted.',
    }),
    done: t.exposeInt('done', {
      description:
        'Number of these that are built by the current mapping, by this re-projection or by a sync.',
    }),
    withoutRecord: t.exposeInt('withoutRecord', {
      description:
        "Number of activities whose pointers into the provider's record have no value, since it is not stored; a full resync stores it. 0 for a mapping without such pointers.",
    }),
    skipped: t.exposeInt('skipped', {
      description: 'Number of activities that keep their content, since their meeting is not stored.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'Time of the change of the mapping.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'End time, or time of the failure; null while the re-projection is running.',
    }),
    activitiesPerMinute: t.exposeFloat('activitiesPerMinute', {
      nullable: true,
      description: 'Activities per minute of working time; null before the first batch.',
    }),
    estimatedRemainingSeconds: t.exposeFloat('estimatedRemainingSeconds', {
      nullable: true,
      description: 'Estimated remaining time in seconds; null before the first batch, and after the end.',
    }),
  }),
});

builder.queryField('activityReprojection', (t) =>
  t.field({
    type: ActivityReprojection,
    nullable: true,
    description:
      'Progress of the re-projection by the current field mapping; null if the mapping was never changed.',
    scope: 'read',
    resource: 'meetings',
    resolve: (_root, _args, { tenant, services }) => services.reprojections.find(tenant()),
  }),
);

builder.subscriptionField('activityReprojectionProgress', (t) =>
  t.field({
    type: ActivityReprojection,
    description: 'Publishes the progress of the re-projection, batch by batch, and its end.',
    scope: 'read',
    resource: 'meetings',
    subscribe: (_root, _args, { principal, tenant, services, signal, subscription }) =>
      services.reprojectionFeed.subscribe(principal, tenant(), {
        after: subscription.lastEventId,
        signal,
      }),
    resolve: (event, _args, context) => emitted(event, context),
  }),
);
