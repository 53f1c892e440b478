import type { ConversationStatus as ConversationStatusName } from '../src/features/conversations/conversations.types.ts';
import type { EventCount as EventCountShape } from '../src/features/outbox/timeline.service.ts';
import type { DeliveryCount as DeliveryCountShape } from '../src/features/webhooks/delivery/delivery.service.ts';
import { builder } from './builder.ts';
import { ConversationStatus } from './conversations/types.ts';
import { DeliveryStatus } from './webhooks/delivery.types.ts';

/** A count reads an index, not rows, but many entries of it. */
const COST = 100;

const EventCount = builder.objectRef<EventCountShape>('EventCount').implement({
  description: 'How often a kind of event happened.',
  fields: (t) => ({
    event: t.exposeString('event', { description: 'Name of the event kind.' }),
    count: t.exposeInt('count', { description: 'How many.' }),
  }),
});

const DeliveryCount = builder.objectRef<DeliveryCountShape>('DeliveryCount').implement({
  description: 'How many deliveries have a status.',
  fields: (t) => ({
    status: t.expose('status', { type: DeliveryStatus, description: 'The status.' }),
    count: t.exposeInt('count', { description: 'How many.' }),
  }),
});

const ConversationCount = builder
  .objectRef<{ status: ConversationStatusName; count: number }>('ConversationCount')
  .implement({
    description: 'How many conversations stand somewhere.',
    fields: (t) => ({
      status: t.expose('status', { type: ConversationStatus, description: 'Where they stand.' }),
      count: t.exposeInt('count', { description: 'How many.' }),
    }),
  });

const Activity = builder.objectRef<{ since: Date }>('Activity').implement({
  description: 'What has happened for a tenant since some time.',
  fields: (t) => ({
    events: t.field({
      type: [EventCount],
      description: 'Events that happened since, by kind.',
      complexity: COST,
      resolve: ({ since }, _args, { tenant, services }) => services.timeline.countByType(tenant(), since),
    }),
    deliveries: t.field({
      type: [DeliveryCount],
      description: 'Deliveries accepted since, by the status they have now.',
      complexity: COST,
      resolve: ({ since }, _args, { tenant, services }) => services.deliveries.countByStatus(tenant(), since),
    }),
    conversations: t.field({
      type: [ConversationCount],
      description: 'Conversations that started since, by where they stand now.',
      complexity: COST,
      resolve: ({ since }, _args, { tenant, services }) => services.conversations.activity(tenant(), since),
    }),
  }),
});

builder.queryField('activity', (t) =>
  t.field({
    type: Activity,
    description: 'What has happened for the tenant since some time, counted.',
    authScopes: { read: true },
    args: { since: t.arg({ type: 'DateTime', required: true, description: 'From when on to count.' }) },
    resolve: (_root, { since }) => ({ since }),
  }),
);
