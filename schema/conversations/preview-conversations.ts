import type {
  Conversation as ConversationShape,
  Conversion as ConversionShape,
  Identity as IdentityShape,
  Message as MessageShape,
} from '../../src/features/conversations/conversations.types.ts';
import type { IdPage } from '../../src/platform/list-page.ts';
import { text } from '../../src/platform/text-validation.ts';
import { builder } from '../builder.ts';
import { pageSize } from '../paging.ts';
import { restField } from '../rest-route.ts';
import { INSTANT } from '../scalars.ts';
import { ConversationStatus, IDENTITY, MESSAGE_TEXT, MessageRole } from './conversation.types.ts';
import { CONVERSATION_DETAIL_EXAMPLE, CONVERSATION_EXAMPLE } from './conversation-rest-examples.ts';
import { conversationFilter, restPersonArgs } from './person-arguments.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

const Identity = builder.objectRef<IdentityShape>('ResolvedIdentity').implement({
  subGraphs: ['preview'],
  description: 'Resolved identity of a visitor.',
  fields: (t) => ({
    person_id: t.exposeString('resolvedPersonId', { description: 'Your identifier of the person.' }),
    email: t.exposeString('email', {
      nullable: true,
      description: 'Email address of the person; null if unknown.',
    }),
    first_name: t.exposeString('firstName', {
      nullable: true,
      description: 'First name of the person; null if unknown.',
    }),
    last_name: t.exposeString('lastName', {
      nullable: true,
      description: 'Last name of the person; null if unknown.',
    }),
    company: t.exposeString('company', {
      nullable: true,
      description: 'Company of the person; null if unknown.',
    }),
    job_title: t.exposeString('jobTitle', {
      nullable: true,
      description: 'Job title of the person; null if unknown.',
    }),
  }),
});

const Conversion = builder.objectRef<ConversionShape>('RecordedConversion').implement({
  subGraphs: ['preview'],
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
    recorded_at: t.expose('recordedAt', { type: 'DateTime', description: 'Time at which it was recorded.' }),
  }),
});

const TranscriptMessage = builder.objectRef<MessageShape>('TranscriptMessage').implement({
  subGraphs: ['preview'],
  description: 'A message of a transcript.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the message.' }),
    role: t.expose('role', { type: MessageRole, description: 'Author of the message.' }),
    text: t.exposeString('text', { description: MESSAGE_TEXT }),
    sent_at: t.expose('sentAt', { type: 'DateTime', description: 'Time of the message.' }),
  }),
});

type FieldBuilder = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, ConversationShape>;

const listFields = (t: FieldBuilder) => ({
  id: t.exposeID('id', { description: 'Identifier of the conversation; `conversationId` in its webhooks.' }),
  visitor_id: t.exposeString('visitorId', {
    description: 'Your identifier of the visitor; `[suppressed]` for a suppressed person.',
  }),
  status: t.expose('status', { type: ConversationStatus, description: 'Status of the conversation.' }),
  converted: t.exposeBoolean('converted', { description: 'True once any conversion is recorded.' }),
  goal: t.exposeString('goal', {
    nullable: true,
    description:
      'Goal that the conversation is intended to reach, or that was reached; null if there is none.',
  }),
  started_at: t.expose('startedAt', { type: 'DateTime', description: 'Start time.' }),
});

const ConversationItem = builder.objectRef<ConversationShape>('ConversationItem').implement({
  subGraphs: ['preview'],
  description: 'A conversation in a list.',
  fields: listFields,
});

const ConversationDetail = builder.objectRef<ConversationShape>('ConversationDetail').implement({
  subGraphs: ['preview'],
  description: 'A conversation with its transcript.',
  fields: (t) => ({
    ...listFields(t),
    ended_at: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the first terminal status; null while the conversation is open.',
    }),
    transcript: t.field({
      type: [TranscriptMessage],
      description: 'The complete transcript, oldest message first; at most 10,000 messages.',
      complexity: 5,
      resolve: ({ id }, _args, { tenant, services }) => services.conversations.wholeTranscript(tenant(), id),
    }),
    identity: t.expose('identity', {
      type: Identity,
      nullable: true,
      description: IDENTITY,
    }),
    conversion: t.expose('conversion', {
      type: Conversion,
      nullable: true,
      description: 'Latest conversion; null if there is none.',
    }),
  }),
});

const ConversationList = builder.objectRef<IdPage<ConversationShape>>('ConversationList').implement({
  subGraphs: ['preview'],
  description: 'A page of conversations, newest first.',
  fields: (t) => ({
    data: t.expose('data', { type: [ConversationItem], description: 'Conversations of this page.' }),
    has_more: t.exposeBoolean('hasMore', {
      description: 'True if more conversations follow; continue with `starting_after`.',
    }),
  }),
});

builder.queryFields((t) => ({
  listConversations: t.field({
    ...restField({
      mount: 'preview',
      method: 'GET',
      path: '/conversations',
      large: true,
      scope: 'read',
      resource: 'conversations',
      tag: 'Conversations',
      summary: 'List conversations',
      example: { response: { data: [CONVERSATION_EXAMPLE], has_more: false } },
    }),
    type: ConversationList,
    description: 'Conversations, latest start first.',
    args: {
      limit: t.arg.int({
        defaultValue: DEFAULT_LIMIT,
        validate: { schema: pageSize(MAX_LIMIT) },
        description: `Maximum number of conversations, 1 to ${MAX_LIMIT}.`,
      }),
      converted: t.arg.boolean({
        description: 'Only conversations with (true) or without (false) a conversion.',
      }),
      status: t.arg({ type: ConversationStatus, description: 'Only conversations with this status.' }),
      since: t.arg({
        type: 'Instant',
        description: `Only conversations that started at or after this time: ${INSTANT}`,
      }),
      until: t.arg({
        type: 'Instant',
        description: `Only conversations that started before this time: ${INSTANT}`,
      }),
      import_id: t.arg.string({
        validate: { schema: text() },
        description: 'Only the conversation that was imported under this ID, which is the `id` of its line.',
      }),
      ...restPersonArgs(),
      starting_after: t.arg.id({ description: 'Identifier of the last conversation of the previous page.' }),
    },
    resolve: (
      _root,
      { limit, starting_after, import_id, visitor_id, person_id, ...filter },
      { tenant, services },
    ) =>
      services.conversations.listAfterId(
        tenant(),
        conversationFilter({
          ...filter,
          importId: import_id,
          visitorId: visitor_id,
          resolvedPersonId: person_id,
        }),
        { limit: limit ?? DEFAULT_LIMIT, afterId: starting_after ?? null },
      ),
  }),
  getConversation: t.field({
    ...restField({
      mount: 'preview',
      method: 'GET',
      path: '/conversations/:conversation_id',
      validator: 'content',
      large: true,
      scope: 'read',
      resource: 'conversations',
      tag: 'Conversations',
      summary: 'Get a conversation',
      example: { response: CONVERSATION_DETAIL_EXAMPLE },
    }),
    type: ConversationDetail,
    description: 'A conversation with its transcript, resolved identity and latest conversion.',
    args: { conversation_id: t.arg.id({ required: true, description: 'Identifier of the conversation.' }) },
    resolve: (_root, { conversation_id }, { tenant, services }) =>
      services.conversations.get(tenant(), conversation_id),
  }),
}));
