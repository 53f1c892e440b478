import { z } from 'zod';
import { CUSTOM_TYPE } from '../../src/features/outbox/event-type.ts';
import type { PreviewEvent as EventShape } from '../../src/features/preview-events/preview-event.types.ts';
import { builder } from '../builder.ts';

/** Validates the type of an event. */
export const eventType = z
  .string()
  .regex(CUSTOM_TYPE, 'Must be a lower-case letter and up to 63 more of a-z, 0-9, _ . : -');

/** Descriptions of outputs, shared by the camelCase and the snake_case spelling. */
const OUTPUT = {
  id: 'ID of the event; for a conversion also the `conversionEventId` of its webhook.',
  eventId:
    'ID of the webhook event that it caused; null for a custom type that no endpoint and no feed had named.',
  type: '`conversion` or a custom type.',
  goal: 'Goal that was reached; null if none was given.',
  visitor: 'Visitor who caused the event; `[suppressed]` for a suppressed person.',
  suppressed: 'True if the visitor is a suppressed person: the properties are not stored.',
  conversation: 'Conversation that the event belongs to; null if none.',
  value: "Value of the event, in the customer's own unit; null if none was given.",
  occurredAt: 'Time of the event.',
  createdAt: 'Time at which the event was accepted.',
};

export const PreviewEvent = builder.objectRef<EventShape>('PreviewEvent').implement({
  description: 'An accepted event.',
  fields: (t) => ({
    id: t.exposeID('id', { description: OUTPUT.id }),
    eventId: t.exposeID('eventId', { nullable: true, description: OUTPUT.eventId }),
    type: t.exposeString('type', { description: OUTPUT.type }),
    goal: t.exposeString('goal', { nullable: true, description: OUTPUT.goal }),
    visitorId: t.exposeString('visitorId', { description: OUTPUT.visitor }),
    suppressed: t.exposeBoolean('suppressed', { description: OUTPUT.suppressed }),
    conversationId: t.exposeID('conversationId', { nullable: true, description: OUTPUT.conversation }),
    value: t.exposeFloat('value', { nullable: true, description: OUTPUT.value }),
    occurredAt: t.expose('occurredAt', { type: 'DateTime', description: OUTPUT.occurredAt }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: OUTPUT.createdAt }),
  }),
});

export const Event = builder.objectRef<EventShape>('Event').implement({
  subGraphs: ['preview'],
  description: 'An accepted event.',
  fields: (t) => ({
    id: t.exposeID('id', { description: OUTPUT.id }),
    event_id: t.exposeID('eventId', { nullable: true, description: OUTPUT.eventId }),
    type: t.exposeString('type', { description: OUTPUT.type }),
    goal: t.exposeString('goal', { nullable: true, description: OUTPUT.goal }),
    visitor_id: t.exposeString('visitorId', { description: OUTPUT.visitor }),
    suppressed: t.exposeBoolean('suppressed', { description: OUTPUT.suppressed }),
    conversation_id: t.exposeID('conversationId', { nullable: true, description: OUTPUT.conversation }),
    value: t.exposeFloat('value', { nullable: true, description: OUTPUT.value }),
    occurred_at: t.expose('occurredAt', { type: 'DateTime', description: OUTPUT.occurredAt }),
    created_at: t.expose('createdAt', { type: 'DateTime', description: OUTPUT.createdAt }),
  }),
});

/** A conversion in the documentation of the routes. */
export const EVENT_EXAMPLE = {
  id: '665f1c9db8e4d3a1f0c9b801',
  event_id: '665f1c9db8e4d3a1f0c9b802',
  type: 'conversion',
  goal: 'demo_booked',
  visitor_id: 'v_8f3a',
  suppressed: false,
  conversation_id: '665f1c2ab8e4d3a1f0c9b7e6',
  value: 250,
  occurred_at: '2026-01-31T09:30:00.000Z',
  created_at: '2026-01-31T09:30:00.000Z',
};
