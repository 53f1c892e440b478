import type {
  CONVERSATION_STATUSES,
  Conversation as ConversationShape,
  Conversion as ConversionShape,
  Handoff as HandoffShape,
  Identity as IdentityShape,
  MESSAGE_ROLES,
  Message as MessageShape,
  Outcome as OutcomeShape,
  Resolution as ResolutionShape,
  URGENCIES,
} from '../../src/features/conversations/conversations.types.ts';
import type { PublishedEvent } from '../../src/features/outbox/published-events.service.ts';
import { BATCHED, batchedEdge } from '../batched-edge.ts';
import { builder } from '../builder.ts';
import {
  connectionArgs,
  connectionCost,
  connectionRequest,
  connectionType,
  toConnection,
} from '../paging.ts';
import { publishedEventFields, WebhookEvent } from '../webhooks/delivery-edges.ts';

export const ConversationStatus = builder.enumType('ConversationStatus', {
  subGraphs: ['graphql', 'preview'],
  description: 'Status of a conversation. `active` and `handed_off` are open; the others are terminal.',
  values: {
    active: { description: 'The visitor talks to the bot.' },
    handed_off: { description: 'A human operator was asked to take over.' },
    ended: { description: 'The visitor left, or the conversation timed out.' },
    converted: { description: 'Closed by a bot conversion.' },
    closed: { description: 'Closed by an operator.' },
  } satisfies Record<(typeof CONVERSATION_STATUSES)[number], object>,
});

export const MessageRole = builder.enumType('MessageRole', {
  subGraphs: ['graphql', 'preview'],
  description: 'Author of a message.',
  values: {
    visitor: { description: 'The visitor.' },
    bot: { description: 'The bot.' },
    operator: { description: 'A human operator.' },
  } satisfies Record<(typeof MESSAGE_ROLES)[number], object>,
});

export const HandoffUrgency = builder.enumType('HandoffUrgency', {
  description: 'Urgency of a handoff.',
  values: {
    low: { description: 'Can wait.' },
    normal: { description: 'The usual response time.' },
    high: { description: 'Before handoffs of normal urgency.' },
    urgent: { description: 'Immediately.' },
  } satisfies Record<(typeof URGENCIES)[number], object>,
});

const Identity = builder.objectRef<IdentityShape>('Identity').implement({
  description: 'Resolved identity of a visitor.',
  fields: (t) => ({
    resolvedPersonId: t.exposeString('resolvedPersonId', {
      description: 'Your identifier of the person.',
    }),
    company: t.exposeString('company', {
      nullable: true,
      description: 'Company of the person; null if unknown.',
    }),
    firstName: t.exposeString('firstName', {
      nullable: true,
      description: 'First name of the person; null if unknown.',
    }),
    lastName: t.exposeString('lastName', {
      nullable: true,
      description: 'Last name of the person; null if unknown.',
    }),
    jobTitle: t.exposeString('jobTitle', {
      nullable: true,
      description: 'Job title of the person; null if unknown.',
    }),
    email: t.exposeString('email', {
      nullable: true,
      description: 'Email address of the person; null if unknown.',
    }),
  }),
});

const Conversion = builder.objectRef<ConversionShape>('Conversion').implement({
  description: 'A goal that a visitor reached.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Identifier of the conversion; `conversionEventId` in its webhook.',
    }),
    type: t.exposeString('type', { description: 'Type of the conversion; the goal unless specified.' }),
    goal: t.exposeString('goal', { description: 'Goal that was reached.' }),
    value: t.exposeFloat('value', {
      nullable: true,
      description: 'Value of the conversion, in any unit that you choose; null if not given.',
    }),
    recordedAt: t.expose('recordedAt', { type: 'DateTime', description: 'Time at which it was recorded.' }),
  }),
});

const Resolution = builder.objectRef<ResolutionShape>('Resolution').implement({
  description: 'The person or company that a conversation was resolved to.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Identifier of the resolution; `resolutionEventId` in its webhook.',
    }),
    resolvedPersonId: t.exposeString('resolvedPersonId', {
      nullable: true,
      description: 'Person; null if only the company is known.',
    }),
    resolvedCompany: t.exposeString('resolvedCompany', {
      nullable: true,
      description: 'Company; null if only the person is known.',
    }),
    recordedAt: t.expose('recordedAt', { type: 'DateTime', description: 'Time at which it was recorded.' }),
  }),
});

const Handoff = builder.objectRef<HandoffShape>('Handoff').implement({
  description: 'A request for a human operator to take over.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the handoff; `escalationId` in its webhook.' }),
    schemaName: t.exposeString('schemaName', { description: 'Handoff form that was submitted.' }),
    urgency: t.expose('urgency', { type: HandoffUrgency, description: 'Urgency of a handoff.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Reason for the handoff; null if not given.',
    }),
    requestedAt: t.expose('requestedAt', {
      type: 'DateTime',
      description: 'Time at which it was requested.',
    }),
  }),
});

const Outcome = builder.objectRef<OutcomeShape>('Outcome').implement({
  description: 'The grade that a reviewer assigned to a conversation.',
  fields: (t) => ({
    category: t.exposeString('category', { description: 'Ladder rung.' }),
    markedAt: t.expose('markedAt', { type: 'DateTime', description: 'Time at which it was assigned.' }),
  }),
});

export const IDENTITY =
  'Identity of the visitor; null until resolved. If it is encrypted and cannot be decrypted, its person ID is `[unreadable]`, and the rest null.';

export const MESSAGE_TEXT = 'Text of the message; `[unreadable]` if it is encrypted and cannot be decrypted.';

/** Query cost of a text of up to 32,768 characters; a cost of 1 is up to 1 KiB. */
const TEXT_COST = 32;
/** Query cost of a list in a conversation: it is read separately for each conversation, and few have more rows. */
const LIST_COST = { field: 5, multiplier: 100 };

const ConversationEvent = builder.objectRef<PublishedEvent>('ConversationEvent').implement({
  description:
    'An event of a conversation. It is kept as long as its conversation, also after retention has removed its deliveries.',
  fields: (t) => publishedEventFields(t),
});

const Message = builder.objectRef<MessageShape>('Message').implement({
  description: 'A message of a transcript.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the message.' }),
    role: t.expose('role', { type: MessageRole, description: 'Author of the message.' }),
    text: t.exposeString('text', { description: MESSAGE_TEXT, complexity: TEXT_COST }),
    sentAt: t.expose('sentAt', { type: 'DateTime', description: 'Time of the message.' }),
  }),
});

const MessageConnection = connectionType('Message', Message, { rows: 'messages', order: 'in their order' });

/** Fields of a conversation's own document, which need no further read. */
const storedFields = (
  t: PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, ConversationShape>,
) => ({
  id: t.exposeID('id', {
    description: 'Identifier of the conversation; `conversationId` in its webhooks.',
  }),
  importId: t.exposeString('importId', {
    nullable: true,
    description: 'ID in the system that it was imported from; null if it was not imported.',
  }),
  visitorId: t.exposeString('visitorId', {
    description: 'Your identifier of the visitor; `[suppressed]` for a suppressed person.',
  }),
  suppressed: t.exposeBoolean('suppressed', {
    description: 'True if the visitor is a suppressed person: texts and identity are not stored.',
  }),
  status: t.expose('status', { type: ConversationStatus, description: 'Status of the conversation.' }),
  converted: t.exposeBoolean('converted', { description: 'True once any conversion is recorded.' }),
  goal: t.exposeString('goal', {
    nullable: true,
    description:
      'Goal that the conversation is intended to reach, or that was reached; null if there is none.',
  }),
  startedAt: t.expose('startedAt', { type: 'DateTime', description: 'Start time.' }),
  endedAt: t.expose('endedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'Time of the first terminal status; null while the conversation is open.',
  }),
  messageCount: t.exposeInt('messageCount', { description: 'Number of messages in the transcript.' }),
  identity: t.expose('identity', {
    type: Identity,
    nullable: true,
    description: IDENTITY,
  }),
  outcome: t.expose('outcome', {
    type: Outcome,
    nullable: true,
    description: 'Grade of a reviewer; null if there is none.',
  }),
});

export const Conversation = builder.objectRef<ConversationShape>('Conversation').implement({
  description: 'A conversation with a visitor.',
  fields: (t) => ({
    ...storedFields(t),
    transcript: t.field({
      type: MessageConnection,
      description: 'Transcript, oldest message first.',
      args: connectionArgs(),
      complexity: connectionCost,
      resolve: ({ id }, args, { tenant, services }) =>
        toConnection(services.conversations.transcript(tenant(), id, connectionRequest(args)), args),
    }),
    conversions: t.field({
      type: [Conversion],
      description: 'Conversions of the conversation, oldest first; at most the oldest 1,000.',
      complexity: LIST_COST,
      resolve: ({ id }, _args, { tenant, services }) => services.conversations.conversions(tenant(), id),
    }),
    resolutions: t.field({
      type: [Resolution],
      description: 'Resolutions of the conversation, oldest first; at most the oldest 1,000.',
      complexity: LIST_COST,
      resolve: ({ id }, _args, { tenant, services }) => services.conversations.resolutions(tenant(), id),
    }),
    handoffs: t.field({
      type: [Handoff],
      description: 'Handoffs of the conversation, oldest first; at most the oldest 1,000.',
      complexity: LIST_COST,
      resolve: ({ id }, _args, { tenant, services }) => services.conversations.handoffs(tenant(), id),
    }),
    events: t.field({
      resource: 'events',
      type: [ConversationEvent],
      description: 'Events of the conversation, oldest first; at most the oldest 1,000.',
      complexity: LIST_COST,
      resolve: ({ id }, _args, { tenant, services }) => services.publishedEvents.ofConversation(tenant(), id),
    }),
  }),
});

const conversationOf = batchedEdge(async (events: readonly PublishedEvent[], { services, tenant }) => {
  const found = await services.conversations.findMany(
    tenant(),
    events.flatMap(({ conversationId }) => conversationId ?? []),
  );
  return events.map(({ conversationId }) => (conversationId && found.get(conversationId)) || null);
});

builder.objectField(WebhookEvent, 'conversation', (t) =>
  t.field({
    ...BATCHED,
    resource: 'conversations',
    type: Conversation,
    nullable: true,
    description: 'Conversation that it belongs to; null if it belongs to none, or if that was deleted.',
    complexity: 1,
    resolve: (event, _args, context) => (event.conversationId ? conversationOf(event, context) : null),
  }),
);

export const ConversationUpdate = builder.objectRef<ConversationShape>('ConversationUpdate').implement({
  description:
    'A conversation at or after a change, without its transcript, records and events; read those with `conversation`.',
  fields: storedFields,
});
