import type {
  Conversation as ConversationShape,
  Conversion as ConversionShape,
  Identity as IdentityShape,
  Message as MessageShape,
} from '../../src/features/conversations/conversations.types.ts';
import { builder } from '../builder.ts';
import { pageSize } from '../paging.ts';
import { restField } from '../rest-route.ts';
import { CONVERSATION_DETAIL_EXAMPLE, CONVERSATION_EXAMPLE } from './conversation-examples.ts';
import { ConversationStatus, MessageRole } from './types.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

const Identity = builder.objectRef<IdentityShape>('ResolvedIdentity').implement({
  subGraphs: ['preview'],
  description: 'Who a visitor turned out to be.',
  fields: (t) => ({
    person_id: t.exposeString('resolvedPersonId', { description: 'The person, in an id of your own.' }),
    email: t.exposeString('email', { nullable: true, description: 'E-mail address of the person.' }),
    first_name: t.exposeString('firstName', { nullable: true, description: 'First name of the person.' }),
    last_name: t.exposeString('lastName', { nullable: true, description: 'Last name of the person.' }),
    company: t.exposeString('company', { nullable: true, description: 'Company of the person.' }),
    job_title: t.exposeString('jobTitle', { nullable: true, description: 'Job title of the person.' }),
  }),
});

const Conversion = builder.objectRef<ConversionShape>('RecordedConversion').implement({
  subGraphs: ['preview'],
  description: 'A goal that a visitor has reached.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its identifier; `conversionEventId` of its webhook.' }),
    type: t.exposeString('type', { description: 'What kind it is; the goal unless said otherwise.' }),
    goal: t.exposeString('goal', { description: 'What was reached.' }),
    value: t.exposeFloat('value', {
      nullable: true,
      description: 'What it is worth, in a unit of your own.',
    }),
    recorded_at: t.expose('recordedAt', { type: 'DateTime', description: 'When it was recorded.' }),
  }),
});

const TranscriptMessage = builder.objectRef<MessageShape>('TranscriptMessage').implement({
  subGraphs: ['preview'],
  description: 'One message of a transcript.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its identifier.' }),
    role: t.expose('role', { type: MessageRole, description: 'Who said it.' }),
    text: t.exposeString('text', { description: 'What was said.' }),
    sent_at: t.expose('sentAt', { type: 'DateTime', description: 'When it was said.' }),
  }),
});

type FieldBuilder = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, ConversationShape>;

const listFields = (t: FieldBuilder) => ({
  id: t.exposeID('id', { description: 'Its identifier; `conversationId` of its webhooks.' }),
  visitor_id: t.exposeString('visitorId', { description: 'The visitor, in an id of your own.' }),
  status: t.expose('status', { type: ConversationStatus, description: 'Where it stands.' }),
  converted: t.exposeBoolean('converted', { description: 'True once any conversion was recorded in it.' }),
  goal: t.exposeString('goal', { nullable: true, description: 'What it is meant to reach, or has reached.' }),
  started_at: t.expose('startedAt', { type: 'DateTime', description: 'When it started.' }),
});

const ConversationItem = builder.objectRef<ConversationShape>('ConversationItem').implement({
  subGraphs: ['preview'],
  description: "A visitor's chat, as lists show it.",
  fields: listFields,
});

const ConversationDetail = builder.objectRef<ConversationShape>('ConversationDetail').implement({
  subGraphs: ['preview'],
  description: "A visitor's chat, with its transcript.",
  fields: (t) => ({
    ...listFields(t),
    ended_at: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it first reached a terminal status; null while it goes on.',
    }),
    transcript: t.field({
      type: [TranscriptMessage],
      description: 'What was said, oldest first, whole: 10,000 messages at most.',
      resolve: ({ id }, _args, { tenant, services }) => services.conversations.wholeTranscript(tenant(), id),
    }),
    identity: t.expose('identity', {
      type: Identity,
      nullable: true,
      description: 'Who the visitor is; null: not known.',
    }),
    conversion: t.expose('conversion', {
      type: Conversion,
      nullable: true,
      description: 'The latest conversion; null: none.',
    }),
  }),
});

const ConversationList = builder
  .objectRef<{ data: ConversationShape[]; hasMore: boolean }>('ConversationList')
  .implement({
    subGraphs: ['preview'],
    description: 'A page of conversations, newest first.',
    fields: (t) => ({
      data: t.expose('data', { type: [ConversationItem], description: 'The conversations of this page.' }),
      has_more: t.exposeBoolean('hasMore', {
        description: 'Whether more follow; go on with `starting_after`.',
      }),
    }),
  });

builder.queryFields((t) => ({
  listConversations: t.field({
    ...restField({
      mount: 'preview',
      method: 'GET',
      path: '/conversations',
      scope: 'read',
      tag: 'Conversations',
      summary: 'List conversations',
      example: { response: { data: [CONVERSATION_EXAMPLE], has_more: false } },
    }),
    type: ConversationList,
    description: "The customer's conversations, newest first.",
    args: {
      limit: t.arg.int({
        defaultValue: DEFAULT_LIMIT,
        validate: { schema: pageSize(MAX_LIMIT) },
        description: `How many at most, 1 to ${MAX_LIMIT}.`,
      }),
      converted: t.arg.boolean({
        description: 'Only those in which a conversion was recorded, or only the others.',
      }),
      status: t.arg({ type: ConversationStatus, description: 'Only those that stand there.' }),
      since: t.arg({ type: 'Instant', description: 'Only those that started at or after.' }),
      starting_after: t.arg.id({ description: 'Identifier of the last conversation of the page before.' }),
    },
    resolve: (_root, { limit, converted, status, since, starting_after }, { tenant, services }) =>
      services.conversations.listAfterId(
        tenant(),
        { converted: converted ?? undefined, status: status ?? undefined, since: since ?? undefined },
        { limit: limit ?? DEFAULT_LIMIT, afterId: starting_after ?? null },
      ),
  }),
  getConversation: t.field({
    ...restField({
      mount: 'preview',
      method: 'GET',
      path: '/conversations/:conversation_id',
      scope: 'read',
      tag: 'Conversations',
      summary: 'Get a conversation',
      example: { response: CONVERSATION_DETAIL_EXAMPLE },
    }),
    type: ConversationDetail,
    description: 'One conversation with its transcript, the resolved identity and the latest conversion.',
    args: { conversation_id: t.arg.id({ required: true, description: 'Its identifier.' }) },
    resolve: (_root, { conversation_id }, { tenant, services }) =>
      services.conversations.get(tenant(), conversation_id),
  }),
}));
