import type { TestApp, TestTenant } from '../support/app.ts';

/** A conversation as the mutations answer it. */
export interface ConversationView {
  id: string;
  visitorId: string;
  status: string;
  converted: boolean;
  goal: string | null;
  startedAt: string;
  endedAt: string | null;
  messageCount: number;
  outcome: { category: string } | null;
}

const FIELDS = `id visitorId status converted goal startedAt endedAt messageCount outcome { category }`;

/** One valid call of each mutation that takes a conversation, `$id`. */
export const CALLS = {
  appendMessages: 'appendMessages(conversationId: $id, messages: [{ role: visitor, text: "Hello" }])',
  resolveIdentity: 'resolveIdentity(conversationId: $id, identity: { resolvedPersonId: "p_1" })',
  recordConversion: 'recordConversion(conversationId: $id, input: { goal: "demo_booked" })',
  recordResolution: 'recordResolution(conversationId: $id, input: { resolvedCompany: "Example Ltd" })',
  requestHandoff: 'requestHandoff(conversationId: $id, input: { schemaName: "sales", urgency: high })',
  endConversation: 'endConversation(conversationId: $id)',
  closeConversation: 'closeConversation(conversationId: $id)',
  markOutcome: 'markOutcome(conversationId: $id, category: "qualified")',
} as const;

/** The four moves of the table (contract 8), as calls. */
export const MOVES = {
  requestHandoff: CALLS.requestHandoff,
  end: CALLS.endConversation,
  convert: 'recordConversion(conversationId: $id, input: { goal: "demo_booked", closes: true })',
  close: CALLS.closeConversation,
} as const;
export type Move = keyof typeof MOVES;

/** Moves that bring a new conversation to a status. */
const WAY_TO: Record<string, Move[]> = {
  active: [],
  handed_off: ['requestHandoff'],
  ended: ['end'],
  converted: ['convert'],
  closed: ['close'],
};
export const STATUSES = Object.keys(WAY_TO);

/** Result of a mutation: the conversation or the error. */
export interface Outcome {
  conversation: ConversationView | null;
  code: string | null;
  message: string | null;
  details: { path: string; message: string }[];
}

interface GraphQLErrorBody {
  message: string;
  extensions: { code: string; details?: Outcome['details'] };
}

/** Runs `mutation(<definitions>) { <call> }` on the type `Conversation`. */
export async function mutate(
  app: TestApp,
  key: string,
  call: string,
  variables: Record<string, unknown> = {},
  definitions = '$id: ID!',
): Promise<Outcome> {
  const { body } = await app.graphql(
    `mutation(${definitions}) { result: ${call} { ${FIELDS} } }`,
    variables,
    key,
  );
  const { data, errors = [] } = body as unknown as {
    data?: { result: ConversationView | null } | null;
    errors?: GraphQLErrorBody[];
  };
  const [error] = errors;
  return {
    conversation: data?.result ?? null,
    code: error?.extensions.code ?? null,
    message: error?.message ?? null,
    details: error?.extensions.details ?? [],
  };
}

/** A mutation that must succeed. */
export async function apply(
  app: TestApp,
  tenant: TestTenant,
  id: string,
  call: string,
): Promise<ConversationView> {
  const { conversation, code, message } = await mutate(app, tenant.write, call, { id });
  if (!conversation) throw new Error(`${call} was refused: ${code} ${message}`);
  return conversation;
}

/** Starts a conversation, and brings it to a status. */
export async function startConversation(
  app: TestApp,
  tenant: TestTenant,
  input: Record<string, unknown> = {},
  status = 'active',
): Promise<ConversationView> {
  const { conversation, code, details } = await mutate(
    app,
    tenant.write,
    'startConversation(input: $input)',
    { input: { visitorId: 'v_1', ...input } },
    '$input: StartConversationInput!',
  );
  if (!conversation) throw new Error(`the conversation was refused: ${code} ${JSON.stringify(details)}`);
  let current = conversation;
  for (const move of WAY_TO[status] ?? []) current = await apply(app, tenant, conversation.id, MOVES[move]);
  return current;
}

/** `appendMessages`, with messages of whatever shape. */
export const append = (
  app: TestApp,
  tenant: TestTenant,
  id: string,
  messages: Record<string, unknown>[],
): Promise<Outcome> =>
  mutate(
    app,
    tenant.write,
    'appendMessages(conversationId: $id, messages: $messages)',
    { id, messages },
    '$id: ID!, $messages: [MessageInput!]!',
  );

/** Builds this number of messages, each with a prefix and its number as text. */
export const messages = (count: number, from = 0, prefix = 'm') =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'visitor' : 'bot',
    text: `${prefix}${from + index}`,
  }));

export interface Envelope {
  event: string;
  data: Record<string, unknown>;
  ts: number;
}

/** Envelopes of the events about a conversation, oldest first. */
export async function timeline(app: TestApp, tenant: TestTenant, id: string): Promise<Envelope[]> {
  const query = `query($id: ID!) { conversation(id: $id) { events { event payload } } }`;
  const { body } = await app.graphql(query, { id }, tenant.read);
  const { events } = (body.data as unknown as { conversation: { events: { payload: string }[] } })
    .conversation;
  return events.map(({ payload }) => JSON.parse(payload));
}

/** Response body of `GET /v1/conversations/:id`. */
export const retrieve = async <T = Record<string, unknown>>(
  app: TestApp,
  tenant: TestTenant,
  id: string,
): Promise<T> => {
  const { status, body } = await app.request('GET', `/v1/conversations/${id}`, { key: tenant.read });
  if (status !== 200) throw new Error(`the conversation was not found: ${status}`);
  return body as unknown as T;
};
