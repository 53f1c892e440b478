import type { ConversationStatus as ConversationStatusName } from '../src/features/conversations/conversations.types.ts';
import type { EventCount as EventCountShape } from '../src/features/outbox/timeline.service.ts';
import type { DeliveryCount as DeliveryCountShape } from '../src/features/webhooks/delivery/delivery.service.ts';
import { builder } from './builder.ts';
import { ConversationStatus } from './conversations/types.ts';
import { DeliveryStatus } from './webhooks/delivery.types.ts';

/** Complexity of a count, which reads many index entries but no documents. */
const COST = 100;

const EventCount = builder.objectRef<EventCountShape>('EventCount').implement({
  description: 'Number of events of a type.',
  fields: (t) => ({
    event: t.exposeString('event', { description: 'Event type.' }),
    count: t.exposeInt('count', { description: 'Number of events.' }),
  }),
});

const DeliveryCount = builder.objectRef<DeliveryCountShape>('DeliveryCount').implement({
  description: 'Number of deliveries in a status.',
  fields: (t) => ({
    status: t.expose('status', { type: DeliveryStatus, description: 'Status of the deliveries.' }),
    count: t.exposeInt('count', { description: 'Number of deliveries.' }),
  }),
});

const ConversationCount = builder
  .objectRef<{ status: ConversationStatusName; count: number }>('ConversationCount')
  .implement({
    description: 'Number of conversations in a status.',
    fields: (t) => ({
      status: t.expose('status', { type: ConversationStatus, description: 'Status of the conversations.' }),
      count: t.exposeInt('count', { description: 'Number of conversations.' }),
    }),
  });

const Activity = builder.objectRef<{ since: Date }>('Activity').implement({
  description: 'Activity of a customer since a time.',
  fields: (t) => ({
    events: t.field({
      type: [EventCount],
      description: 'Number of events since that time, by type.',
      complexity: COST,
      resolve: ({ since }, _args, { tenant, services }) => services.timeline.countByType(tenant(), since),
    }),
    deliveries: t.field({
      type: [DeliveryCount],
      description: 'Number of deliveries created since that time, by current status.',
      complexity: COST,
      resolve: ({ since }, _args, { tenant, services }) => services.deliveries.countByStatus(tenant(), since),
    }),
    conversations: t.field({
      type: [ConversationCount],
      description: 'Number of conversations started since that time, by current status.',
      complexity: COST,
      resolve: ({ since }, _args, { tenant, services }) => services.conversations.activity(tenant(), since),
    }),
  }),
});

builder.queryField('activity', (t) =>
  t.field({
    type: Activity,
    description: 'Activity of the customer since a time.',
    authScopes: { read: true },
    args: {
      since: t.arg({
        type: 'DateTime',
        required: true,
        description: 'Start of the time range; its end is the present.',
      }),
    },
    resolve: (_root, { since }) => ({ since }),
  }),
);
