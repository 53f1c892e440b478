import { z } from 'zod';

/**
 * Every event kind there is: the one place that the types, `GET /event-types`, the OpenAPI `webhooks` section,
 * the sample events and the check before an event leaves are made from (specification, "Events").
 * Keys without a value are null, never absent (contract 8).
 */

const text = (description: string) => z.string().max(500).describe(description);
const orNull = (description: string) => text(description).nullable();

const tenantKeys = {
  customerId: z.int().positive().describe('The tenant that the event belongs to.'),
  orgId: text("The tenant's organisation id."),
};
const conversationId = text('The conversation that the event is about.');

const defineEvent = <D extends z.ZodRawShape>(
  description: string,
  data: D,
  example: Record<string, unknown>,
) => ({
  description,
  data: z.strictObject({ ...tenantKeys, ...data }),
  example: { customerId: 42, orgId: 'org_42', ...example },
});

const CONVERSATION = '665f1c2ab8e4d3a1f0c9b7e6';

/** Event kinds by name, in the order in which the specification lists them. */
export const CATALOGUE = {
  'conversation.started': defineEvent(
    'A visitor has started a conversation.',
    { conversationId, visitorId: text('The visitor who started it.') },
    { conversationId: CONVERSATION, visitorId: 'v_8f3a' },
  ),
  'conversation.ended': defineEvent(
    'A conversation has reached a terminal status. It may reach another one later (an operator closing it after a bot conversion), so be idempotent on (event, conversationId, status).',
    {
      conversationId,
      status: z
        .enum(['ended', 'converted', 'closed'])
        .describe(
          '`ended`: the visitor left or it timed out; `converted`: closed by a bot conversion; `closed`: by an operator.',
        ),
      converted: z.boolean().describe('True when any conversion was recorded in it.'),
    },
    { conversationId: CONVERSATION, status: 'converted', converted: true },
  ),
  'identity.resolved': defineEvent(
    'It became known who the visitor is.',
    {
      conversationId,
      resolvedPersonId: text('The person that the visitor was resolved to.'),
      company: orNull('Company of the person.'),
      firstName: orNull('First name of the person.'),
      lastName: orNull('Last name of the person.'),
      jobTitle: orNull('Job title of the person.'),
      email: orNull('E-mail address of the person.'),
    },
    {
      conversationId: CONVERSATION,
      resolvedPersonId: 'p_1024',
      company: 'Example Ltd',
      firstName: 'Ada',
      lastName: 'Byron',
      jobTitle: 'Head of Operations',
      email: 'ada@example.com',
    },
  ),
  'conversion.recorded': defineEvent(
    'A visitor has converted.',
    {
      conversionEventId: text('Identifier of the conversion.'),
      conversationId: conversationId
        .nullable()
        .describe('The conversation it belongs to; null when it belongs to none.'),
      conversionType: text('What kind of conversion it was; the goal unless said otherwise.'),
      value: z
        .number()
        .nullable()
        .describe('What the conversion is worth, in the unit of the tenant; null when not said.'),
    },
    {
      conversionEventId: '665f1c9db8e4d3a1f0c9b801',
      conversationId: CONVERSATION,
      conversionType: 'demo_booked',
      value: 250,
    },
  ),
  'resolution.recorded': defineEvent(
    'A conversation was resolved to a person or a company.',
    {
      resolutionEventId: text('Identifier of the resolution.'),
      conversationId,
      resolvedPersonId: orNull('The person; null when only the company is known.'),
      resolvedCompany: orNull('The company; null when only the person is known.'),
    },
    {
      resolutionEventId: '665f1ca4b8e4d3a1f0c9b802',
      conversationId: CONVERSATION,
      resolvedPersonId: 'p_1024',
      resolvedCompany: 'Example Ltd',
    },
  ),
  'handoff.requested': defineEvent(
    'A conversation was handed to a person.',
    {
      escalationId: text('Identifier of the hand-off.'),
      conversationId,
      schemaName: text('The hand-off form that was filled in.'),
      urgency: z.enum(['low', 'normal', 'high', 'urgent']).describe('How soon somebody should answer.'),
      reason: orNull('Why it was handed over.'),
    },
    {
      escalationId: '665f1cb0b8e4d3a1f0c9b803',
      conversationId: CONVERSATION,
      schemaName: 'sales_call',
      urgency: 'high',
      reason: 'Asked for a person',
    },
  ),
  'outcome.marked': defineEvent(
    'A reviewer has graded a conversation, or cleared the grade.',
    {
      conversationId,
      category: orNull('The ladder rung that the reviewer gave; null when the mark was cleared.'),
    },
    { conversationId: CONVERSATION, category: 'qualified' },
  ),
} as const;

export type EventName = keyof typeof CATALOGUE;

/** Data of an event kind, without the two keys of the tenant, which the outbox adds. */
export type EventData<N extends EventName = EventName> = Omit<
  z.infer<(typeof CATALOGUE)[N]['data']>,
  'customerId' | 'orgId'
>;

export const EVENT_NAMES = Object.keys(CATALOGUE) as EventName[];

/** An event kind as a client sees it. */
export interface EventType {
  name: EventName;
  description: string;
  /** JSON Schema (2020-12) of the envelope's `data`. */
  schema: Record<string, unknown>;
  /** A value of `data` that is valid by `schema`. */
  example: Record<string, unknown>;
}

/** The catalogue as `GET /event-types` answers it. */
export const EVENT_TYPES: EventType[] = EVENT_NAMES.map((name) => ({
  name,
  description: CATALOGUE[name].description,
  schema: z.toJSONSchema(CATALOGUE[name].data),
  example: CATALOGUE[name].example,
}));
