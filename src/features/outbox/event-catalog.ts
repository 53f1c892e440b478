import { z } from 'zod';
import { zodJsonSchema } from '../../platform/zod-json-schema.ts';
import { CUSTOM_EVENT } from '../../shared/custom-events.ts';
import { MAX_INT32 } from '../../shared/int32.ts';

/** Event name of the challenge that verifies the URL of an endpoint. No endpoint can subscribe to it. */
export const VERIFICATION_EVENT = 'endpoint.verification';

/**
 * The event catalog: the single source of the TypeScript types, `GET /event-types`, the OpenAPI `webhooks` section,
 * the sample events and the keys of every payload (specification, "Events").
 * Keys without a value are null, never absent (contract 8).
 */

const text = (description: string) => z.string().max(500).describe(description);
const orNull = (description: string) => text(description).nullable();

const tenantKeys = {
  customerId: z.int().min(1).max(MAX_INT32).describe('Customer that the event belongs to.'),
  orgId: text("The customer's organization id."),
};
const conversationId = text('Conversation that the event concerns.');

const defineEvent = <D extends z.ZodRawShape>(
  description: string,
  data: D,
  example: Record<string, unknown>,
) => ({
  description,
  data: z.strictObject({ ...tenantKeys, ...data }),
  example: { customerId: 42, orgId: 'org_42', ...example },
});

const OPERATIONAL =
  'An operational event: it is sent only to endpoints that name it in `events`, of any customer.';

const OWN_OPERATIONAL =
  "An operational event: it is sent only to the customer's endpoints that name it in `events`.";

const OWN =
  "An operational event: it is sent only to the customer's other endpoints that name it in `events`, never to the one that it is about.";

const endpointId = z.int().min(1).max(MAX_INT32).describe('Endpoint that the event is about.');

/** A number of rows of a set in a bin. */
const binRows = (set: string) =>
  z
    .strictObject({
      count: z.int().min(0).describe('Number of rows.'),
      share: z.number().min(0).max(1).describe('Share of the rows of the set.'),
    })
    .describe(`Rows of the ${set}.`);

const driftBin = z.strictObject({
  lower: z
    .number()
    .nullable()
    .describe('Lower end, exclusive; null for an open end, a category and missing values.'),
  upper: z
    .number()
    .nullable()
    .describe('Upper end, inclusive; null for an open end, a category and missing values.'),
  category: orNull('Category; null for a range of numbers and for missing values.'),
  missing: z.boolean().describe('True for the rows without a value.'),
  reference: binRows('reference'),
  current: binRows('current set'),
  contribution: z.number().min(0).describe("Part of the feature's score."),
});

const drift = {
  scope: z
    .enum(['overall', 'stage', 'feature'])
    .describe('`overall`: all samples; `stage`: one funnel stage; `feature`: one feature, over all samples.'),
  stage: orNull('Funnel stage; null unless the scope is `stage`.'),
  feature: orNull('Feature, `prediction` or `residual`; null unless the scope is `feature`.'),
  score: z.number().min(0).describe('Score of the check; 0 for a stage or feature without samples.'),
  threshold: z.number().describe('Threshold of the score.'),
  checkedAt: z.iso.datetime().describe('Time of the check.'),
  model: text('Model that was checked.'),
  alertId: orNull('Identifier of the alert; null if an earlier version of the service detected the drift.'),
  since: z.iso.datetime().describe('Time of the check that detected the drift.'),
  reminder: z
    .boolean()
    .describe('True for a weekly reminder of a drift that lasts; false once per detection.'),
  features: z
    .array(
      z.strictObject({
        feature: text('Feature, `prediction` or `residual`.'),
        score: z.number().min(0).describe('Score of the feature.'),
        threshold: z.number().describe('Threshold of the score.'),
        bin: driftBin
          .nullable()
          .describe(
            'Range, category or missing values with the largest part of the score; null if not reported.',
          ),
        exampleIds: z
          .array(z.string().max(200))
          .max(5)
          .describe('Always empty: only admin keys read the ids of rows, in the alert.'),
      }),
    )
    .max(5)
    .describe('Features that explain the drift, worst first, without muted ones; empty for `drift.cleared`.'),
};

const DRIFT_EXAMPLE = {
  scope: 'stage',
  stage: 'trial',
  feature: null,
  score: 0.31,
  threshold: 0.2,
  checkedAt: '2026-01-31T09:30:00.000Z',
  model: 'default',
  alertId: '665f1d40b8e4d3a1f0c9b830',
  since: '2026-01-31T09:30:00.000Z',
  reminder: false,
  features: [
    {
      feature: 'visits',
      score: 0.41,
      threshold: 0.2,
      bin: {
        lower: 12,
        upper: null,
        category: null,
        missing: false,
        reference: { count: 1_000, share: 0.1 },
        current: { count: 750, share: 0.3 },
        contribution: 0.22,
      },
      exampleIds: [],
    },
  ],
};

const CONVERSATION = '665f1c2ab8e4d3a1f0c9b7e6';

/** Event types by name, in the order of the specification. */
export const CATALOG = {
  'conversation.started': defineEvent(
    'A visitor started a conversation.',
    { conversationId, visitorId: text('Visitor who started the conversation.') },
    { conversationId: CONVERSATION, visitorId: 'v_8f3a' },
  ),
  'conversation.ended': defineEvent(
    'A conversation reached a terminal status. It can reach another one later (an operator closes it after a bot conversion), so process the event idempotently on (event, conversationId, status).',
    {
      conversationId,
      status: z
        .enum(['ended', 'converted', 'closed'])
        .describe(
          '`ended`: the visitor left or the conversation timed out; `converted`: closed by a bot conversion; `closed`: closed by an operator.',
        ),
      converted: z.boolean().describe('True if any conversion was recorded in the conversation.'),
    },
    { conversationId: CONVERSATION, status: 'converted', converted: true },
  ),
  'identity.resolved': defineEvent(
    "The visitor's identity was resolved.",
    {
      conversationId,
      resolvedPersonId: text('Person that the visitor was resolved to.'),
      company: orNull('Company of the person; null if unknown.'),
      firstName: orNull('First name of the person; null if unknown.'),
      lastName: orNull('Last name of the person; null if unknown.'),
      jobTitle: orNull('Job title of the person; null if unknown.'),
      email: orNull('Email address of the person; null if unknown.'),
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
    'A visitor converted.',
    {
      conversionEventId: text('Identifier of the conversion.'),
      conversationId: conversationId
        .nullable()
        .describe('Conversation that the conversion belongs to; null if it belongs to none.'),
      conversionType: text('Type of the conversion; the goal unless specified.'),
      value: z
        .number()
        .nullable()
        .describe("Value of the conversion, in the customer's own unit; null if not given."),
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
      resolvedPersonId: orNull('Person; null if only the company is known.'),
      resolvedCompany: orNull('Company; null if only the person is known.'),
    },
    {
      resolutionEventId: '665f1ca4b8e4d3a1f0c9b802',
      conversationId: CONVERSATION,
      resolvedPersonId: 'p_1024',
      resolvedCompany: 'Example Ltd',
    },
  ),
  'handoff.requested': defineEvent(
    'A visitor was handed off to a human operator.',
    {
      escalationId: text('Identifier of the handoff.'),
      conversationId,
      schemaName: text('Handoff form that was submitted.'),
      urgency: z.enum(['low', 'normal', 'high', 'urgent']).describe('Urgency of the handoff.'),
      reason: orNull('Reason for the handoff; null if not given.'),
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
    'A reviewer graded a conversation, or cleared the grade.',
    {
      conversationId,
      category: orNull('Ladder rung that the reviewer assigned; null if the mark was cleared.'),
    },
    { conversationId: CONVERSATION, category: 'qualified' },
  ),
  [CUSTOM_EVENT]: defineEvent(
    'A visitor caused an event of a custom type, which `POST /v1/events` and `recordEvent` take. Its name is `custom.` and the type, such as `custom.page.viewed`. It is sent only to endpoints that have this name or `custom.*` in `events`; feeds select it in the same way.',
    {
      customEventId: text('Identifier of the event, as `GET /v1/events` lists it.'),
      type: text('Custom type, without `custom.`.'),
      visitorId: text('Visitor who caused the event; `[suppressed]` for a suppressed person.'),
      conversationId: orNull('Conversation that the event belongs to; null if none.'),
      goal: orNull('Goal that was reached; null if none was given.'),
      value: z
        .number()
        .nullable()
        .describe("Value of the event, in the customer's own unit; null if none was given."),
      properties: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe('Custom properties; null if none were given, and for a suppressed person.'),
      occurredAt: z.iso.datetime().describe('Time of the event.'),
    },
    {
      customEventId: '665f1d52b8e4d3a1f0c9b860',
      type: 'page.viewed',
      visitorId: 'v_8f3a',
      conversationId: CONVERSATION,
      goal: null,
      value: null,
      properties: { path: '/pricing' },
      occurredAt: '2026-01-31T09:30:00.000Z',
    },
  ),
  'drift.detected': defineEvent(
    `The scoring model has drifted: two consecutive checks were above the threshold. Sent once per detection, and as a weekly reminder while the drift lasts and is neither acknowledged nor muted. ${OPERATIONAL}`,
    drift,
    DRIFT_EXAMPLE,
  ),
  'drift.cleared': defineEvent(
    `A drift of the scoring model has ended: two consecutive checks were below 80 % of the threshold, or found no samples of the stage or feature. ${OPERATIONAL}`,
    drift,
    { ...DRIFT_EXAMPLE, score: 0.11, checkedAt: '2026-02-02T09:30:00.000Z', features: [] },
  ),
  'endpoint.failing': defineEvent(
    `An endpoint fails: ten attempts in a row, or every attempt for an hour. Sent once until it has recovered. ${OWN}`,
    {
      endpointId,
      failures: z.int().min(1).describe('Number of failed attempts since the last success.'),
      since: z.iso.datetime().describe('Time of the first of these failures, to within some seconds.'),
    },
    { endpointId: 7, failures: 10, since: '2026-01-31T09:24:00.000Z' },
  ),
  'endpoint.disabled': defineEvent(
    `An endpoint was disabled: no deliveries are sent to it until a client enables it. ${OWN}`,
    {
      endpointId,
      reason: z
        .enum(['manual', 'gone', 'failing'])
        .describe(
          '`manual`: by a client; `gone`: its receiver asked for it; `failing`: after five days of failures.',
        ),
      disabledAt: z.iso.datetime().describe('Time of the change.'),
    },
    { endpointId: 7, reason: 'gone', disabledAt: '2026-01-31T09:30:00.000Z' },
  ),
  'endpoint.recovered': defineEvent(
    `An attempt has succeeded at an endpoint that \`endpoint.failing\` reported. ${OWN}`,
    { endpointId, recoveredAt: z.iso.datetime().describe('Time of the success, to within some seconds.') },
    { endpointId: 7, recoveredAt: '2026-01-31T10:02:00.000Z' },
  ),
  'delivery.exhausted': defineEvent(
    `All attempts of deliveries to an endpoint have failed. Sent at most once a minute for an endpoint, with their number. ${OWN}`,
    {
      endpointId,
      count: z.int().min(1).describe('Number of deliveries since the previous event of this type.'),
      since: z.iso.datetime().describe('Time of the first of them, to within some seconds.'),
    },
    { endpointId: 7, count: 3, since: '2026-01-31T09:29:10.000Z' },
  ),
  'meeting_sync.failed': defineEvent(
    `A meeting sync of the customer has failed. ${OWN_OPERATIONAL}`,
    {
      runId: text('Sync that has failed, as `meetingSyncRun` takes it.'),
      code: text('Error code, such as `PROVIDER_UNAVAILABLE`.'),
      message: text('Cause and next step.'),
      failedAt: z.iso.datetime().describe('Time of the end of the sync.'),
    },
    {
      runId: '665f1d52b8e4d3a1f0c9b840',
      code: 'PROVIDER_UNAVAILABLE',
      message: 'The provider is unreachable or fails. The next sync fetches the missing meetings.',
      failedAt: '2026-01-31T09:30:00.000Z',
    },
  ),
  'recorder_key.invalid': defineEvent(
    `The meeting provider does not accept the customer's API key any more: no meeting is fetched until the customer connects with a new one. Sent once for each key. ${OWN_OPERATIONAL}`,
    { detectedAt: z.iso.datetime().describe('Time of the refused request.') },
    { detectedAt: '2026-01-31T09:30:00.000Z' },
  ),
  'audit.recorded': defineEvent(
    `The audit log of the customer has a new entry: an administrative act, or refused requests. ${OWN_OPERATIONAL}`,
    {
      auditEntryId: text('Entry, as `auditEntry` takes it.'),
      action: text('Name of the operation, such as `updateWebhookEndpoint`.'),
      actorType: z
        .enum(['key', 'session', 'cli', 'job', 'anonymous'])
        .describe('Type of the actor: API key, console session, command line, job, or no valid key.'),
      actorId: orNull('API key, account or job; null for an anonymous caller.'),
      targetType: text('Type of what the act changes, such as `webhookEndpoint`.'),
      targetId: orNull('Identifier of it; null if the act concerns all of its type.'),
      outcome: z
        .enum(['done', 'unknown', 'refused'])
        .describe('`done`; `unknown` after a crash; `refused` without a valid key or the required scope.'),
      count: z.int().min(1).describe('Number of acts that the entry stands for.'),
      recordedAt: z.iso.datetime().describe('Time at which the act began.'),
    },
    {
      auditEntryId: '665f1d52b8e4d3a1f0c9b8a1',
      action: 'updateWebhookEndpoint',
      actorType: 'key',
      actorId: '665f1d40b8e4d3a1f0c9b810',
      targetType: 'webhookEndpoint',
      targetId: '7',
      outcome: 'done',
      count: 1,
      recordedAt: '2026-01-31T09:30:00.000Z',
    },
  ),
  'person.erased': defineEvent(
    `An erasure of a person has ended. It does not name the person: receivers that keep data themselves match it by the id of the erasure, which the answer to \`erasePerson\` contains. ${OWN_OPERATIONAL}`,
    {
      erasureId: text('Erasure, as `erasure` takes it.'),
      suppressed: z.boolean().describe("True if the person's identifiers are suppressed from now on."),
      counts: z
        .array(
          z.strictObject({
            kind: text('What was erased, such as `conversations`.'),
            count: z.int().min(0).describe('Number of objects.'),
          }),
        )
        .describe('What was erased, by kind.'),
      erasedAt: z.iso.datetime().describe('Time of the end.'),
    },
    {
      erasureId: '665f1d52b8e4d3a1f0c9b850',
      suppressed: true,
      counts: [{ kind: 'conversations', count: 3 }],
      erasedAt: '2026-01-31T09:30:00.000Z',
    },
  ),
  'key.expiring': defineEvent(
    `An API key of the customer expires soon. Sent 30, 7 and 1 days before, unless the operator has other times, for a key that was not rotated. It does not contain the key. ${OWN_OPERATIONAL}`,
    {
      keyId: text('API key, as the list of API keys shows it.'),
      name: orNull('Name of the key; null if it has none.'),
      scope: text('Scope of the key: `read` or `write`.'),
      expiresAt: z.iso.datetime().describe('Expiry time.'),
      lastUsedAt: z.iso
        .datetime()
        .nullable()
        .describe('Approximate time of last use; null if the key has not been used.'),
    },
    {
      keyId: '665f1c2ab8e4d3a1f0c9b700',
      name: 'CRM sync',
      scope: 'write',
      expiresAt: '2026-03-02T09:30:00.000Z',
      lastUsedAt: '2026-01-31T08:00:00.000Z',
    },
  ),
} as const;

/** Type of an event as documents store it: all custom types have the same one. */
export type EventName = keyof typeof CATALOG;

/** Events about the service itself and its endpoints: sent only to endpoints that name them. */
const OPERATIONAL_EVENTS = [
  'drift.detected',
  'drift.cleared',
  'endpoint.failing',
  'endpoint.disabled',
  'endpoint.recovered',
  'delivery.exhausted',
  'meeting_sync.failed',
  'recorder_key.invalid',
  'audit.recorded',
  'person.erased',
  'key.expiring',
] as const satisfies EventName[];

/** Events about the account of a customer: for endpoints, feeds and readers with a key without a limit to resources. */
export const ACCOUNT_EVENTS: readonly EventName[] = [
  'audit.recorded',
  'person.erased',
  'key.expiring',
] satisfies (typeof OPERATIONAL_EVENTS)[number][];

export const isAccountEvent = (name: string): boolean => ACCOUNT_EVENTS.some((event) => event === name);

/** Event types about an endpoint. */
export type EndpointEventName = Extract<EventName, `endpoint.${string}` | 'delivery.exhausted'>;

const NAMED_ONLY: readonly EventName[] = [CUSTOM_EVENT, ...OPERATIONAL_EVENTS];

/** Returns true if endpoints that name no event types receive an event type. */
export const isCustomerEvent = (name: EventName): boolean => !NAMED_ONLY.includes(name);

/** Data of an event type, without the two tenant keys, which the outbox adds. */
export type EventData<N extends EventName = EventName> = Omit<
  z.infer<(typeof CATALOG)[N]['data']>,
  'customerId' | 'orgId'
>;

export const EVENT_NAMES = Object.keys(CATALOG) as EventName[];

/** An event type as a client sees it. */
export interface EventType {
  name: EventName;
  description: string;
  /** JSON Schema (2020-12) of the envelope's `data`. */
  schema: Record<string, unknown>;
  /** A value of `data` that is valid against `schema`. */
  example: Record<string, unknown>;
}

/** The catalog as `GET /event-types` returns it. */
export const EVENT_TYPES: EventType[] = EVENT_NAMES.map((name) => ({
  name,
  description: CATALOG[name].description,
  schema: zodJsonSchema(CATALOG[name].data),
  example: CATALOG[name].example,
}));
