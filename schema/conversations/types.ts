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
import type { TimelineEvent } from '../../src/features/outbox/timeline.service.ts';
import { builder } from '../builder.ts';
import {
  connectionArgs,
  connectionCost,
  connectionRequest,
  connectionType,
  toConnection,
} from '../paging.ts';

export const ConversationStatus = builder.enumType('ConversationStatus', {
  subGraphs: ['graphql', 'preview'],
  description: 'Where a conversation stands. `active` and `handed_off` go on; the others are terminal.',
  values: {
    active: { description: 'The visitor talks with the bot.' },
    handed_off: { description: 'A person was asked to take over.' },
    ended: { description: 'The visitor left, or it timed out.' },
    converted: { description: 'Closed by a conversion that the bot recorded.' },
    closed: { description: 'Closed by an operator.' },
  } satisfies Record<(typeof CONVERSATION_STATUSES)[number], object>,
});

export const MessageRole = builder.enumType('MessageRole', {
  subGraphs: ['graphql', 'preview'],
  description: 'Who said something.',
  values: {
    visitor: { description: 'The visitor.' },
    bot: { description: 'The bot.' },
    operator: { description: 'A person of the company.' },
  } satisfies Record<(typeof MESSAGE_ROLES)[number], object>,
});

export const HandoffUrgency = builder.enumType('HandoffUrgency', {
  description: 'How soon somebody should answer.',
  values: {
    low: { description: 'Whenever there is time.' },
    normal: { description: 'In the usual time.' },
    high: { description: 'Before what is normal.' },
    urgent: { description: 'At once.' },
  } satisfies Record<(typeof URGENCIES)[number], object>,
});

const Identity = builder.objectRef<IdentityShape>('Identity').implement({
  description: 'Who a visitor turned out to be.',
  fields: (t) => ({
    resolvedPersonId: t.exposeString('resolvedPersonId', {
      description: 'The person, in an id of your own.',
    }),
    company: t.exposeString('company', { nullable: true, description: 'Company of the person.' }),
    firstName: t.exposeString('firstName', { nullable: true, description: 'First name of the person.' }),
    lastName: t.exposeString('lastName', { nullable: true, description: 'Last name of the person.' }),
    jobTitle: t.exposeString('jobTitle', { nullable: true, description: 'Job title of the person.' }),
    email: t.exposeString('email', { nullable: true, description: 'E-mail address of the person.' }),
  }),
});

const Conversion = builder.objectRef<ConversionShape>('Conversion').implement({
  description: 'A goal that a visitor has reached.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its identifier; `conversionEventId` of its webhook.' }),
    type: t.exposeString('type', { description: 'What kind it is; the goal unless said otherwise.' }),
    goal: t.exposeString('goal', { description: 'What was reached.' }),
    value: t.exposeFloat('value', {
      nullable: true,
      description: 'What it is worth, in a unit of your own.',
    }),
    recordedAt: t.expose('recordedAt', { type: 'DateTime', description: 'When it was recorded.' }),
  }),
});

const Resolution = builder.objectRef<ResolutionShape>('Resolution').implement({
  description: 'The person or company that a conversation was resolved to.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its identifier; `resolutionEventId` of its webhook.' }),
    resolvedPersonId: t.exposeString('resolvedPersonId', {
      nullable: true,
      description: 'The person; null: not known.',
    }),
    resolvedCompany: t.exposeString('resolvedCompany', {
      nullable: true,
      description: 'The company; null: not known.',
    }),
    recordedAt: t.expose('recordedAt', { type: 'DateTime', description: 'When it was recorded.' }),
  }),
});

const Handoff = builder.objectRef<HandoffShape>('Handoff').implement({
  description: 'A request for a person to take over.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its identifier; `escalationId` of its webhook.' }),
    schemaName: t.exposeString('schemaName', { description: 'The hand-off form that was filled in.' }),
    urgency: t.expose('urgency', { type: HandoffUrgency, description: 'How soon somebody should answer.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it was handed over.' }),
    requestedAt: t.expose('requestedAt', { type: 'DateTime', description: 'When it was asked for.' }),
  }),
});

const Outcome = builder.objectRef<OutcomeShape>('Outcome').implement({
  description: 'The grade that a reviewer gave a conversation.',
  fields: (t) => ({
    category: t.exposeString('category', { description: 'The ladder rung.' }),
    markedAt: t.expose('markedAt', { type: 'DateTime', description: 'When it was given.' }),
  }),
});

const ConversationEvent = builder.objectRef<TimelineEvent>('ConversationEvent').implement({
  description: 'An event that told of a conversation. It is kept as long as its deliveries are.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its identifier; `webhook-id` of its deliveries.' }),
    event: t.exposeString('event', { description: 'Name of the event kind.' }),
    payload: t.exposeString('payload', {
      description: 'The envelope as it was sent: `event`, `data` and `ts` as JSON.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it happened.' }),
  }),
});

const Message = builder.objectRef<MessageShape>('Message').implement({
  description: 'One message of a transcript.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its identifier.' }),
    role: t.expose('role', { type: MessageRole, description: 'Who said it.' }),
    text: t.exposeString('text', { description: 'What was said.' }),
    sentAt: t.expose('sentAt', { type: 'DateTime', description: 'When it was said.' }),
  }),
});

const MessageConnection = connectionType('Message', Message, { rows: 'messages', order: 'in their order' });

/** What a list inside a conversation costs: it is read for each row on its own. */
const READ_COST = 5;

export const Conversation = builder.objectRef<ConversationShape>('Conversation').implement({
  description: "A visitor's chat.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its identifier; `conversationId` of its webhooks.' }),
    visitorId: t.exposeString('visitorId', { description: 'The visitor, in an id of your own.' }),
    status: t.expose('status', { type: ConversationStatus, description: 'Where it stands.' }),
    converted: t.exposeBoolean('converted', { description: 'True once any conversion was recorded in it.' }),
    goal: t.exposeString('goal', {
      nullable: true,
      description: 'What it is meant to reach, or has reached.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it started.' }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it first reached a terminal status; null while it goes on.',
    }),
    messageCount: t.exposeInt('messageCount', { description: 'Messages in its transcript.' }),
    transcript: t.field({
      type: MessageConnection,
      description: 'What was said, oldest first.',
      args: connectionArgs(),
      complexity: connectionCost,
      resolve: ({ id }, args, { tenant, services }) =>
        toConnection(services.conversations.transcript(tenant(), id, connectionRequest(args)), args),
    }),
    identity: t.expose('identity', {
      type: Identity,
      nullable: true,
      description: 'Who the visitor is; null: not known.',
    }),
    conversions: t.field({
      type: [Conversion],
      description: 'Conversions recorded in it, oldest first.',
      complexity: READ_COST,
      resolve: ({ id }, _args, { tenant, services }) => services.conversations.conversions(tenant(), id),
    }),
    resolutions: t.field({
      type: [Resolution],
      description: 'Whom it was resolved to, oldest first.',
      complexity: READ_COST,
      resolve: ({ id }, _args, { tenant, services }) => services.conversations.resolutions(tenant(), id),
    }),
    handoffs: t.field({
      type: [Handoff],
      description: 'Requests for a person to take over, oldest first.',
      complexity: READ_COST,
      resolve: ({ id }, _args, { tenant, services }) => services.conversations.handoffs(tenant(), id),
    }),
    outcome: t.expose('outcome', {
      type: Outcome,
      nullable: true,
      description: "A reviewer's grade; null: none.",
    }),
    events: t.field({
      type: [ConversationEvent],
      description: 'Events that told of it, oldest first.',
      complexity: READ_COST,
      resolve: ({ id }, _args, { tenant, services }) => services.timeline.ofConversation(tenant(), id),
    }),
  }),
});
