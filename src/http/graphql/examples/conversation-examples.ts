import type { Example } from './graphiql-example.ts';

export const CONVERSATIONS: readonly Example[] = [
  {
    scope: 'read',
    query: `query Conversations($converted: Boolean, $status: ConversationStatus, $importId: String) {
  conversations(first: 10, converted: $converted, status: $status, importId: $importId) {
    edges { node { id importId visitorId status converted goal startedAt } }
    pageInfo { hasNextPage endCursor }
  }
}

# Set \`id\` in the variables to the id of a conversation.
query Conversation($id: ID!) {
  conversation(id: $id) {
    status
    transcript(first: 20) { edges { node { role text sentAt } } }
    identity { resolvedPersonId email company }
    conversions { id goal value recordedAt }
    resolutions { resolvedPersonId resolvedCompany }
    handoffs { schemaName urgency reason }
    outcome { category }
    events { event createdAt payload deliveries { status endpoint { url } } }
  }
}`,
    variables: { converted: null, status: null, importId: null, id: '000000000000000000000000' },
  },
  {
    scope: 'read',
    query: `# Keeps the connection open; change a conversation in another tab to receive updates.
subscription ConversationUpdates {
  conversationUpdated {
    id
    visitorId
    status
    messageCount
    startedAt
  }
}`,
  },
  {
    scope: 'write',
    query: `mutation StartConversation($start: StartConversationInput!) {
  startConversation(input: $start) { id status startedAt }
}

# For the following mutations, set \`id\` in the variables to the id of a conversation.
mutation AppendMessages($id: ID!, $messages: [MessageInput!]!) {
  appendMessages(conversationId: $id, messages: $messages) { id messageCount }
}

mutation ResolveIdentity($id: ID!, $identity: IdentityInput!) {
  resolveIdentity(conversationId: $id, identity: $identity) { identity { resolvedPersonId email } }
}

mutation RecordConversion($id: ID!, $conversion: ConversionInput!) {
  recordConversion(conversationId: $id, input: $conversion) { status converted goal }
}

mutation RecordResolution($id: ID!, $resolution: ResolutionInput!) {
  recordResolution(conversationId: $id, input: $resolution) { resolutions { resolvedCompany } }
}

mutation RequestHandoff($id: ID!, $handoff: HandoffInput!) {
  requestHandoff(conversationId: $id, input: $handoff) { status handoffs { urgency reason } }
}

mutation MarkOutcome($id: ID!, $category: String) {
  markOutcome(conversationId: $id, category: $category) { outcome { category } }
}

mutation EndConversation($id: ID!) {
  endConversation(conversationId: $id) { status endedAt }
}

mutation CloseConversation($id: ID!) {
  closeConversation(conversationId: $id) { status endedAt }
}`,
    variables: {
      start: { visitorId: 'v_8f3a', goal: 'demo_booked' },
      id: '000000000000000000000000',
      messages: [
        { role: 'visitor', text: 'Can I see it live?' },
        { role: 'bot', text: 'Of course. When does it suit you?' },
      ],
      identity: { resolvedPersonId: 'p_1027', email: 'ada@example.com', company: 'Example Ltd' },
      conversion: { goal: 'demo_booked', value: 250, closes: false },
      resolution: { resolvedPersonId: 'p_1027', resolvedCompany: 'Example Ltd' },
      handoff: { schemaName: 'sales', urgency: 'high', reason: 'asks for a price' },
      category: 'qualified',
    },
  },
  {
    scope: 'write',
    query: `# Equivalent to POST /v1/events: applies the conversion to the most recent conversation of the visitor.
mutation RecordEvent($input: RecordEventInput!) {
  recordEvent(input: $input) { id eventId type goal conversationId value occurredAt }
}`,
    variables: { input: { type: 'conversion', visitorId: 'v_8f3a', goal: 'demo_booked', value: 250 } },
  },
  {
    scope: 'read',
    query: `# Events of custom types; a mistyped type is visible here. Equivalent to GET /v1/events.
query CustomEvents($type: String, $visitor: String, $since: DateTime, $until: DateTime) {
  customEvents(first: 20, type: $type, visitorId: $visitor, since: $since, until: $until) {
    edges { node { id type goal visitorId conversationId value occurredAt createdAt } }
    pageInfo { hasNextPage endCursor }
  }
}`,
    variables: { type: null, visitor: null, since: null, until: null },
  },
];
