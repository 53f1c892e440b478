import {
  type GraphQLObjectType,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { CATALOGUE, EVENT_TYPES } from '../../features/outbox/event-catalogue.ts';
import { isRequired, type Slot } from '../rest/check.ts';

const [EVENT_TYPE] = EVENT_TYPES;
const EVENT = 'conversion.recorded';
const EVENT_ID = '665f1c9db8e4d3a1f0c9b801';
const CONVERSATION = '665f1c2ab8e4d3a1f0c9b7e6';
const AT = '2026-01-31T09:30:00.000Z';

/**
 * Example values by `Type.field`, by the name of a scalar or an enum type, or, where it means the same everywhere,
 * by the name of a field or an argument. What is not here is null where it may be, else made from its type.
 */
const VALUES: Record<string, unknown> = {
  Int: 1,
  Float: 0.5,
  Boolean: true,
  String: 'text',
  ID: EVENT_ID,
  DateTime: AT,
  Instant: AT,
  JSON: {},
  WebhookDeliveryStatus: 'succeeded',
  ConversationStatus: 'converted',
  MessageRole: 'visitor',

  customerId: 42,
  url: 'https://example.com/hooks/engagement',
  description: 'Production receiver',
  events: [EVENT, 'conversation.ended'],
  enabled: true,
  secret: 'whsec_dGhpcy1pcy1hbi1leGFtcGxlLXNlY3JldA==',
  'WebhookEndpoint.id': 7,
  'RotatedWebhookSecret.id': 7,
  'DeletedWebhookEndpoint.id': 7,
  hasMore: false,
  has_more: false,

  endpointId: 7,
  deliveryId: '665f1d02b8e4d3a1f0c9b811',
  'WebhookDelivery.id': '665f1d02b8e4d3a1f0c9b811',
  'WebhookDeliveryDetail.id': '665f1d02b8e4d3a1f0c9b811',
  event: EVENT,
  lastAttemptAt: AT,
  responseStatus: 200,
  responseBody: 'ok',
  durationMs: 84,
  manual: false,
  payload: JSON.stringify({ event: EVENT, data: CATALOGUE[EVENT].example, ts: Date.parse(AT) / 1000 }),
  queued: 128,
  since: '2026-01-30T00:00:00.000Z',

  'EventType.name': EVENT_TYPE?.name,
  'EventType.description': EVENT_TYPE?.description,
  'EventType.schema': EVENT_TYPE?.schema,
  'EventType.example': EVENT_TYPE?.example,

  type: 'conversion',
  'RecordedConversion.type': 'demo_booked',
  goal: 'demo_booked',
  visitor_id: 'v_8f3a',
  conversation_id: CONVERSATION,
  'ConversationItem.id': CONVERSATION,
  'ConversationDetail.id': CONVERSATION,
  value: 250,
  properties: { plan: 'team' },
  ended_at: '2026-01-31T09:42:00.000Z',
  'TranscriptMessage.id': '665f1c31b8e4d3a1f0c9b7e8',
  text: 'Can I book a demo?',
  person_id: 'p_1024',
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Byron',
  company: 'Example Ltd',
  job_title: 'Head of Operations',

  stage: 'trial',
  feature: 'visits_30d',
  driftScore: 0.22,
  isDrifted: true,
  threshold: 0.2,
  method: 'psi',
  lastChecked: AT,
  'FeatureDrift.score': 1.32,
  'DriftCheck.id': '665f1d40b8e4d3a1f0c9b822',
};

const known = (owner: string, name: string) =>
  [`${owner}.${name}`, name].find((key) => name !== '' && Object.hasOwn(VALUES, key));

/**
 * An example of a type's values.
 * @param owner name of the type that has the field
 * @param name name of the field or argument; empty where it is the value of none
 */
export function exampleOf(type: GraphQLType, owner = '', name = ''): unknown {
  if (isNonNullType(type)) return exampleOf(type.ofType, owner, name);
  const key = known(owner, name);
  if (key && !isEnumType(type)) return VALUES[key];
  if (isListType(type)) return [exampleOf(type.ofType)];
  if (isObjectType(type)) return outputExample(type);
  if (isInputObjectType(type)) return inputExample(Object.values(type.getFields()), type.name);
  if (Object.hasOwn(VALUES, type.name)) return VALUES[type.name];
  return isEnumType(type) ? type.getValues()[0]?.name : null;
}

/** Every field, null where it may be and nothing better is known. */
function outputExample(type: GraphQLObjectType): Record<string, unknown> {
  const fields = Object.values(type.getFields()).map((field) => {
    const worthwhile = isNonNullType(field.type) || isObjectType(field.type) || known(type.name, field.name);
    return [field.name, worthwhile ? exampleOf(field.type, type.name, field.name) : null];
  });
  return Object.fromEntries(fields);
}

/** What is required, and what else is known: the rest is better left out. */
export function inputExample(slots: readonly Slot[], owner = ''): Record<string, unknown> {
  const given = slots.filter((slot) => isRequired(slot) || known(owner, slot.name));
  return Object.fromEntries(given.map((slot) => [slot.name, exampleOf(slot.type, owner, slot.name)]));
}
