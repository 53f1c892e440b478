import type { ConversationCount as ConversationCountShape } from '../src/features/conversations/conversations.service.ts';
import type { EventCount as EventCountShape } from '../src/features/outbox/published-events.service.ts';
import type { DeliveryCount as DeliveryCountShape } from '../src/features/webhooks/delivery/delivery.service.ts';
import { MAX_COUNT } from '../src/shared/max-count.ts';
import { builder } from './builder.ts';
import { ConversationStatus } from './conversations/conversation.types.ts';
import { DeliveryStatus } from './webhooks/delivery.types.ts';

/** Complexity of a list of counts: each reads up to `MAX_COUNT` index entries. An operation has room for three activities. */
const COST = 2_000;

const UP_TO = `counted up to ${MAX_COUNT.toLocaleString('en')}`;

const EventCount = builder.objectRef<EventCountShape>('EventCount').implement({
  description: 'Number of events of a type.',
  fields: (t) => ({
    event: t.exposeString('event', { description: 'Event type.' }),
    count: t.exposeInt('count', { description: `Number of events, ${UP_TO}.` }),
  }),
});

const DeliveryCount = builder.objectRef<DeliveryCountShape>('DeliveryCount').implement({
  description: 'Number of deliveries in a status.',
  fields: (t) => ({
    status: t.expose('status', { type: DeliveryStatus, description: 'Status of the deliveries.' }),
    count: t.exposeInt('count', { description: `Number of deliveries, ${UP_TO}.` }),
  }),
});

const ConversationCount = builder.objectRef<ConversationCountShape>('ConversationCount').implement({
  description: 'Number of conversations in a status.',
  fields: (t) => ({
    status: t.expose('status', { type: ConversationStatus, description: 'Status of the conversations.' }),
    count: t.exposeInt('count', { description: `Number of conversations, ${UP_TO}.` }),
  }),
});

const Activity = builder.objectRef<{ since: Date }>('Activity').implement({
  description: 'Activity of a customer since a time.',
  fields: (t) => ({
    since: t.expose('since', {
      type: 'DateTime',
      description:
        'Start of the counted time range: the argument, or the start of the retention of events and deliveries if that is later.',
    }),
    events: t.field({
      type: [EventCount],
      description: 'Number of events since that time, by type.',
      complexity: COST,
      resolve: ({ since }, _args, { tenant, services }) => services.activity.events(tenant(), since),
    }),
    deliveries: t.field({
      type: [DeliveryCount],
      description: 'Number of deliveries created since that time, by current status.',
      complexity: COST,
      resolve: ({ since }, _args, { tenant, services }) => services.activity.deliveries(tenant(), since),
    }),
    conversations: t.field({
      type: [ConversationCount],
      description: 'Number of conversations started since that time, by current status.',
      complexity: COST,
      resolve: ({ since }, _args, { tenant, services }) => services.activity.conversations(tenant(), since),
    }),
  }),
});

builder.queryField('activity', (t) =>
  t.field({
    type: Activity,
    description: 'Activity of the customer since a time.',
    scope: 'read',
    resource: 'account',
    args: {
      since: t.arg({
        type: 'DateTime',
        required: true,
        description:
          'Start of the time range; its end is the present. A time before the retention of events and deliveries counts as its start.',
      }),
    },
    resolve: (_root, { since }, { services }) => ({ since: services.activity.start(since) }),
  }),
);
