import { getNamedType, isLeafType } from 'graphql';
import { Types } from 'mongoose';
import { buildSchemas } from '../../schema/index.ts';
import { keyOf } from '../../src/features/meetings/stored-meetings/meeting-documents.ts';
import { collectRoutes, type Route } from '../../src/http/rest/rest-routes.ts';
import { startConversation } from '../conversations/support.ts';
import { eventually, type TestApp, type TestTenant } from '../support/app.ts';
import { createEndpoint, deliveryLike, missEvents } from '../webhooks/support.ts';

const schemas = buildSchemas();

/** Every REST route that there is, from the schemas themselves: a new one is in the matrix at once. */
export const ROUTES: Route[] = [
  ...collectRoutes(schemas.v1, 'v1', '/api/v1'),
  ...collectRoutes(schemas.preview, 'preview', '/v1'),
  ...(schemas.rpc ? collectRoutes(schemas.rpc, 'rpc', '/api') : []),
];

/** Every GraphQL mutation. */
export const MUTATIONS = Object.values(schemas.graphql.getMutationType()?.getFields() ?? {});

/** A mutation with a variable for each of its arguments. */
export function documentOf({ name, args, type }: (typeof MUTATIONS)[number]): string {
  const variables = args.map((arg) => `$${arg.name}: ${arg.type}`).join(', ');
  const given = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const call = args.length ? `${name}(${given})` : name;
  const operation = args.length ? `mutation (${variables})` : 'mutation';
  return `${operation} { ${call}${isLeafType(getNamedType(type)) ? '' : ' { __typename }'} }`;
}

/** Resources that the samples use: an endpoint and a delivery of the tenant, and of another tenant. */
export interface Fixture {
  tenant: TestTenant;
  other: TestTenant;
  /** `customer` is the target of an act of an admin key. */
  ids: Ids & { keyId: string; sessionId: string; customer: number };
  /** A cursor of the tenant's feed. */
  cursor: string;
  otherIds: Ids;
}

/** By the names of the routes' parameters. */
type Ids = {
  customerId: number;
  endpointId: number;
  deliveryId: string;
  eventId: string;
  conversation_id: string;
  /** A conversation that a sample deletes. */
  conversationId: string;
  /** An entry of the audit log. */
  id: string;
  erasureId: string;
  suppressionId: string;
  meetingId: string;
  /** A feed of events. */
  name: string;
};

/** Ids of a drift alert and a planned change, which belong to no tenant. */
const DRIFT_ALERT = 'a'.repeat(24);
const PLANNED_CHANGE = 'b'.repeat(24);

/** Stores a meeting without a transcript, as a sync does. */
export async function storeMeeting({ models }: TestApp, tenant: TestTenant): Promise<string> {
  const at = new Date();
  const recorderMeetingId = `m_${tenant.customerId}`;
  await models.Meeting.create({
    ...{ _id: keyOf(tenant, recorderMeetingId), customerId: tenant.customerId, recorderMeetingId },
    ...{ startedAt: at, createdAt: at, participantsJson: [], awaitingTranscript: false },
    ...{ terms: [], order: recorderMeetingId, storedBy: 'sample' },
  });
  return recorderMeetingId;
}

/** Erases a person that has no data, which leaves an erasure, a suppression and an entry of the audit log. */
async function erasePerson(app: TestApp, { customerId, write }: TestTenant) {
  const path = `/api/v1/customers/${customerId}`;
  const read = async (list: string) => (await app.request('GET', `${path}/${list}`, { key: write })).body;
  const body = { visitorId: 'v_erased' };
  const erasure = await app.request('POST', `${path}/erasures`, { key: write, body });
  const erasureId = String(erasure.body.id);
  await eventually(async () => String((await read(`erasures/${erasureId}`)).status) === 'completed');
  return {
    erasureId,
    suppressionId: String((await read('suppressions')).data?.[0]?.id),
    id: String((await read('audit-log')).data?.[0]?.id),
  };
}

const START = 'mutation { startConversation(input: { visitorId: "v_1" }) { id } }';

/** The organization id of a customer of `newTenant`. */
const orgOf = (customerId: number): string => `org_${customerId}`;

export async function createFixture(app: TestApp, url: string): Promise<Fixture> {
  const own = async () => {
    const tenant = await app.newTenant();
    const endpoint = await createEndpoint(app, tenant, { url, events: ['conversion.recorded'] });
    await missEvents(app, tenant, endpoint, 1);
    const { id: deliveryId, eventId } = await deliveryLike(app, tenant, endpoint, { status: 'cancelled' });
    const { body } = await app.graphql(START, {}, tenant.write);
    const ids: Ids = {
      customerId: tenant.customerId,
      endpointId: endpoint.id,
      deliveryId,
      eventId,
      conversation_id: String(body.data?.startConversation?.id),
      conversationId: (await startConversation(app, tenant)).id,
      meetingId: await storeMeeting(app, tenant),
      name: 'crm',
      ...(await erasePerson(app, tenant)),
    };
    return { tenant, ids };
  };
  const [{ tenant, ids }, other] = [await own(), await own()];
  await createDriftResources(app);
  // A job publishes the events about the endpoints.
  await eventually(async () => !(await app.models.Endpoint.exists({ 'unpublished.0': { $exists: true } })));
  const spare = { scope: 'read', customerId: ids.customerId, expiresAt: null } as const;
  const { apiKey } = await app.services.keys.create(spare);
  const writer = await app.services.keys.authenticate(`Bearer ${tenant.write}`);
  const { id: sessionId } = await app.services.consoleSessions.start(writer, null);
  const deleted = other.ids.customerId;
  await app.services.tenantDeletions.start(deleted, { orgId: orgOf(deleted), dryRun: true }, null);
  const feed = `/api/v1/customers/${ids.customerId}/event-feeds/${ids.name}`;
  const { body: pulled } = await app.request('GET', feed, { key: tenant.write });
  return {
    tenant,
    other: other.tenant,
    ids: { ...ids, keyId: apiKey.id, sessionId, customer: other.ids.customerId },
    otherIds: other.ids,
    cursor: String(pulled.cursor),
  };
}

async function createDriftResources({ models }: TestApp): Promise<void> {
  const at = new Date();
  const everywhere = { model: 'default', stage: null };
  await models.DriftAlert.create({
    ...{ _id: new Types.ObjectId(DRIFT_ALERT), ...everywhere, feature: null, since: at, remindAt: at },
    ...{ score: 0.3, threshold: 0.2, features: [] },
  });
  await models.DriftPlannedChange.create({
    ...{ _id: new Types.ObjectId(PLANNED_CHANGE), ...everywhere, type: 'release', title: 'v2' },
    ...{ startsAt: at, endsAt: at, createdAt: at },
  });
}

/** A value that is wrong in a way that no type tells: which field, and what. */
type WrongValue = [field: string, value: unknown];

interface RestSample {
  /** Required query parameters. */
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  wrong?: WrongValue[];
}

const URL = 'https://receiver.example.com/hooks';
const ADDRESSES: WrongValue[] = [
  'http://receiver.example.com/hooks',
  'https://127.0.0.1/hooks',
  'https://10.0.0.1/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[64:ff9b::a00:1]/',
  'https://localhost/',
  'https://hooks.localhost./',
  'https://metadata.google.internal/',
  'https://user:secret@receiver.example.com/',
  'ftp://receiver.example.com/',
  'receiver.example.com',
].map((url) => ['url', url]);
const EVENTS: WrongValue[] = [
  ['events', []],
  ['events', ['conversation.paused']],
  ['events', ['outcome.marked', 'outcome.marked']],
  ['events', [null]],
];
/** Wrong values of settings that steer deliveries. */
const STEERING: WrongValue[] = [
  ['timeoutSeconds', 0],
  ['timeoutSeconds', 31],
  ['rateLimit', { count: 0, perSeconds: 60 }],
  ['rateLimit', { count: 1, perSeconds: 86_401 }],
];
const SETTINGS_WRONG: WrongValue[] = [
  ['features.0.feature', ''],
  ['features.0.weight', -1],
  ['features.0.weight', 1_001],
  ['features.0.threshold', 0],
  ['features.1.weight', 2],
  ['features.1.feature', 'visits'],
];
const PAST = '2000-01-01T00:00:00Z';
/** Wrong values of what an API key permits. */
const KEY_WRONG: WrongValue[] = [
  ['expiresAt', PAST],
  ['name', ''],
  ['name', 'x'.repeat(101)],
  ['resources', []],
  ['resources', ['webhooks', 'webhooks']],
  ['networks', []],
  ['networks', ['192.0.2.0/33']],
];
const aMinuteAgo = new Date(Date.now() - 60_000).toISOString();

/** A valid request for each route, by the field that it projects. */
export const REST_SAMPLES: Record<string, RestSample> = {
  'Query.listWebhookEndpoints': {},
  'Query.getWebhookEndpoint': {},
  'Query.listWebhookDeliveries': {},
  'Query.getWebhookDelivery': {},
  'Query.listEventTypes': {},
  'Query.listPublishedEvents': {},
  'Query.listEventFeeds': {},
  'Query.pullEventFeed': {},
  'Mutation.ackEventFeed': { body: { cursor: 'WzQyLCJbXCJldmVudEZlZWRcIiw0Ml0iXQ' } },
  'Mutation.seekEventFeed': { body: { to: 'beginning' }, wrong: [['to', 'somewhere']] },
  'Mutation.deleteEventFeed': {},
  'Query.getWebhookEndpointStatistics': {},
  'Mutation.suspendTenant': { body: {} },
  'Mutation.resumeTenant': { body: {} },
  'Query.tenantDeletion': {},
  'Mutation.deleteTenant': {
    body: { orgId: 'org_42', dryRun: true },
    wrong: [
      ['orgId', ''],
      ['orgId', 'org_of_another'],
    ],
  },
  'Query.listApiKeys': {},
  'Query.apiKey': {},
  'Mutation.createApiKey': { body: { scope: 'admin', name: 'On-call' }, wrong: KEY_WRONG },
  'Mutation.updateApiKey': { body: { name: 'CRM', networks: ['127.0.0.0/8'] }, wrong: KEY_WRONG },
  'Mutation.rotateApiKey': { body: {}, wrong: [['overlapSeconds', 2_592_001]] },
  'Mutation.revokeApiKey': {},
  'Query.listAuditEntries': {},
  'Query.getAuditEntry': {},
  'Query.erasure': {},
  'Query.listErasures': {},
  'Query.exportCustomer': { query: { kind: 'settings' } },
  'Query.listSuppressions': {},
  'Query.retention': {},
  'Query.retentionPreview': { query: { conversations: '365' } },
  'Mutation.erasePerson': { body: { visitorId: 'v_9', dryRun: true }, wrong: [['email', 'no address']] },
  'Mutation.erasePeople': {
    body: { people: [{ visitorId: 'v_9' }, { email: 'ada@example.com' }], dryRun: true },
    wrong: [
      ['people', []],
      ['people.0.email', 'no address'],
      ['people.0', {}],
      ['people', Array(1_001).fill({ visitorId: 'v_9' })],
    ],
  },
  'Mutation.updateRetention': { body: { conversations: 365 }, wrong: [['conversations', 0]] },
  'Mutation.liftSuppression': {},
  'Mutation.deleteConversation': {},
  'Mutation.deleteMeeting': {},
  'Query.getPublishedEvent': {},
  'Query.explainDelivery': { query: { endpointId: '1' } },
  'Query.listEvents': {},
  'Query.listConversations': {},
  'Query.getConversation': {},
  'Query.driftStatus': {},
  'Query.driftStages': {},
  'Query.driftModels': {},
  'Query.driftPerformance': {},
  'Query.driftFeature': { query: { feature: 'visits' } },
  'Query.driftFeatureSettings': {},
  'Query.driftHistory': {},
  'Mutation.triggerDriftCheck': { body: { stage: 'trial' } },
  'Mutation.setDriftFeatureSettings': {
    body: { features: [{ feature: 'visits', weight: 2, threshold: 0.5 }, { feature: 'prediction' }] },
    wrong: SETTINGS_WRONG,
  },
  'Query.driftAlerts': {},
  'Query.driftMutes': {},
  'Query.driftPlannedChanges': {},
  'Mutation.acknowledgeDriftAlert': {
    body: { id: DRIFT_ALERT, note: 'Known' },
    wrong: [
      ['note', ''],
      ['note', 'x'.repeat(2_001)],
      ['until', PAST],
    ],
  },
  'Mutation.withdrawDriftAcknowledgement': { body: { id: DRIFT_ALERT } },
  'Mutation.muteDriftFeature': { body: { feature: 'visits', note: 'New plan' }, wrong: [['until', PAST]] },
  'Mutation.unmuteDriftFeature': { body: { feature: 'visits' } },
  'Mutation.createDriftPlannedChange': {
    body: { type: 'campaign', title: 'Spring', startsAt: aMinuteAgo },
    wrong: [
      ['title', 'two\nlines'],
      ['endsAt', PAST],
    ],
  },
  'Mutation.deleteDriftPlannedChange': { body: { id: PLANNED_CHANGE } },
  'Mutation.createWebhookEndpoint': {
    body: { url: URL, description: 'CRM', events: ['outcome.marked'] },
    wrong: [...ADDRESSES, ...EVENTS, ...STEERING],
  },
  'Mutation.updateWebhookEndpoint': {
    body: { url: URL, description: null, events: null, enabled: true },
    wrong: [...ADDRESSES, ...EVENTS, ...STEERING],
  },
  'Mutation.rotateWebhookSecret': { body: {} },
  'Mutation.sendTestWebhook': {
    body: { event: 'outcome.marked' },
    wrong: [
      ['event', 'conversation.paused'],
      ['data', []],
      ['data', { goal: 'x' }],
    ],
  },
  'Mutation.recoverWebhookDeliveries': {
    body: { since: aMinuteAgo },
    wrong: [
      ['since', '2000-01-01T00:00:00Z'],
      ['since', '2999-01-01T00:00:00Z'],
      ['until', '2000-01-01T00:00:00Z'],
    ],
  },
  'Mutation.replayWebhookDeliveries': {
    body: { since: aMinuteAgo, status: 'failed', dryRun: true },
    wrong: [
      ['since', '2000-01-01T00:00:00Z'],
      ['until', '2000-01-01T00:00:00Z'],
      ['status', 'pending'],
      ['deliveryIds', Array(501).fill('a'.repeat(24))],
    ],
  },
  'Mutation.retryWebhookBacklog': {
    body: { since: aMinuteAgo, event: 'outcome.marked', dryRun: true },
    wrong: [
      ['until', '2000-01-01T00:00:00Z'],
      ['event', 'conversation.paused'],
      ['error', 'x'.repeat(101)],
    ],
  },
  'Mutation.cancelWebhookBacklog': { body: {} },
  'Mutation.resendWebhookDelivery': { body: {} },
  'Mutation.createEvent': {
    body: { type: 'conversion', goal: 'signup', visitor_id: 'v_1', value: 1, properties: { a: 1 } },
    wrong: [
      ['type', 'Conversion'],
      ['goal', null],
      ['conversation_id', 'x'.repeat(501)],
      ['properties', { a: { b: { c: { d: { e: {} } } } } }],
    ],
  },
  'Mutation.deleteWebhookEndpoint': {},
};

/** The body of a route's sample, with what differs from fixture to fixture. */
export function restBody(fieldId: string, { cursor, ids }: Fixture): Record<string, unknown> | undefined {
  const body = REST_SAMPLES[fieldId]?.body;
  if (fieldId === 'Mutation.ackEventFeed') return { ...body, cursor };
  if (fieldId === 'Mutation.deleteTenant') return { ...body, orgId: orgOf(ids.customer) };
  return body;
}

export interface GraphQLSample {
  variables: Record<string, unknown>;
  /** Only an admin may. */
  admin?: true;
  wrong?: WrongValue[];
}

/** Valid variables for each mutation. */
export const graphqlSamples = ({ ids, cursor }: Fixture): Record<string, GraphQLSample> => ({
  createWebhookEndpoint: {
    variables: { input: { url: URL, description: 'CRM', events: ['outcome.marked'] } },
    wrong: [...ADDRESSES, ...EVENTS, ...STEERING].map(([field, value]) => [`input.${field}`, value]),
  },
  updateWebhookEndpoint: {
    variables: { id: ids.endpointId, input: { url: URL, description: null, events: null, enabled: true } },
    wrong: [...ADDRESSES, ...EVENTS, ...STEERING].map(([field, value]) => [`input.${field}`, value]),
  },
  rotateWebhookSecret: { variables: { id: ids.endpointId } },
  sendTestWebhook: {
    variables: { endpointId: ids.endpointId, event: 'outcome.marked' },
    wrong: [
      ['event', 'conversation.paused'],
      ['data', { goal: 'x' }],
    ],
  },
  // Before what else makes an attempt of it.
  resendWebhookDelivery: { variables: { id: ids.deliveryId } },
  recoverWebhookDeliveries: {
    variables: { endpointId: ids.endpointId, since: aMinuteAgo },
    wrong: [['since', '2999-01-01T00:00:00Z']],
  },
  replayWebhookDeliveries: {
    variables: { endpointId: ids.endpointId, since: aMinuteAgo, dryRun: true },
    wrong: [
      ['since', '2999-01-01T00:00:00Z'],
      ['status', 'retrying'],
    ],
  },
  retryWebhookBacklog: {
    variables: { endpointId: ids.endpointId, dryRun: true },
    wrong: [['event', 'conversation.paused']],
  },
  cancelWebhookBacklog: { variables: { endpointId: ids.endpointId } },
  recordEvent: {
    variables: { input: { type: 'conversion', goal: 'signup', visitorId: 'v_1', properties: { a: 1 } } },
    wrong: [
      ['input.type', 'Conversion'],
      ['input.goal', null],
    ],
  },
  startConversation: {
    variables: { input: { visitorId: 'v_2', goal: 'signup', startedAt: aMinuteAgo } },
    wrong: [['input.startedAt', '2999-01-01T00:00:00Z']],
  },
  appendMessages: {
    variables: {
      conversationId: ids.conversation_id,
      messages: [{ role: 'visitor', text: 'Hello', sentAt: aMinuteAgo }],
    },
    wrong: [['messages', Array(501).fill({ role: 'bot', text: 'x' })]],
  },
  resolveIdentity: {
    variables: {
      conversationId: ids.conversation_id,
      identity: { resolvedPersonId: 'p_1', company: 'Example' },
    },
  },
  recordConversion: {
    variables: { conversationId: ids.conversation_id, input: { goal: 'signup', value: 1, closes: false } },
  },
  recordResolution: {
    variables: { conversationId: ids.conversation_id, input: { resolvedCompany: 'Example' } },
    wrong: [['input', {}]],
  },
  requestHandoff: {
    variables: { conversationId: ids.conversation_id, input: { schemaName: 'sales', urgency: 'high' } },
    wrong: [['input.urgency', 'HIGH']],
  },
  markOutcome: { variables: { conversationId: ids.conversation_id, category: 'qualified' } },
  endConversation: { variables: { conversationId: ids.conversation_id } },
  closeConversation: { variables: { conversationId: ids.conversation_id } },
  createTenant: {
    variables: { input: { customerId: 2_000_000_001, orgId: 'org_new', name: 'New' } },
    admin: true,
    wrong: [['input.customerId', 0]],
  },
  createApiKey: {
    variables: { input: { scope: 'read', customerId: ids.customerId } },
    admin: true,
    wrong: KEY_WRONG.map(([field, value]) => [`input.${field}`, value]),
  },
  connectRecorder: { variables: { apiKey: 'rec_live_1' }, wrong: [['apiKey', 'two words']] },
  syncMeetings: {
    variables: {},
    wrong: [
      ['since', '2000-01-01T00:00:00Z'],
      ['until', '2999-01-01T00:00:00Z'],
    ],
  },
  pauseMeetingSync: { variables: {} },
  resumeMeetingSync: { variables: {} },
  cancelMeetingSync: { variables: {} },
  updateRecorderFieldMapping: {
    variables: {
      mappings: [
        { sourceField: 'id', targetField: 'externalId', transform: 'none', required: true },
        { sourceField: 'created_at', targetField: 'occurredAt' },
      ],
    },
    wrong: [
      ['mappings.0.sourceField', 'title'],
      ['mappings.1.targetField', 'externalId'],
      ['mappings.1.required', false],
      ['mappings', [{ sourceField: 'id', targetField: 'externalId' }]],
    ],
  },
  setRecorderWebhookSecret: {
    variables: { secret: 'whsec_bm90IGEgcmVhbCBzaWduaW5nIHNlY3JldA==' },
    wrong: [['secret', 'two words']],
  },
  rotateRecorderWebhook: { variables: {} },
  disconnectRecorder: { variables: {} },
  triggerDriftCheck: { variables: { stage: 'trial' }, admin: true },
  setDriftFeatureSettings: {
    variables: { features: [{ feature: 'visits', weight: 2, threshold: 0.5 }, { feature: 'prediction' }] },
    admin: true,
    wrong: SETTINGS_WRONG,
  },
  acknowledgeDriftAlert: {
    variables: { id: DRIFT_ALERT, note: 'Known' },
    admin: true,
    wrong: [
      ['note', ''],
      ['until', PAST],
    ],
  },
  withdrawDriftAcknowledgement: { variables: { id: DRIFT_ALERT }, admin: true },
  muteDriftFeature: { variables: { feature: 'visits' }, admin: true, wrong: [['until', PAST]] },
  unmuteDriftFeature: { variables: { feature: 'visits' }, admin: true },
  createDriftPlannedChange: {
    variables: { type: 'campaign', title: 'Spring', startsAt: aMinuteAgo },
    admin: true,
    wrong: [['endsAt', PAST]],
  },
  deleteDriftPlannedChange: { variables: { id: PLANNED_CHANGE }, admin: true },
  endConsoleSession: { variables: { id: ids.sessionId } },
  suspendTenant: { variables: { customerId: ids.customer }, admin: true },
  resumeTenant: { variables: { customerId: ids.customer }, admin: true },
  updateApiKey: {
    variables: { id: ids.keyId, input: { name: 'CRM' } },
    admin: true,
    wrong: KEY_WRONG.map(([field, value]) => [`input.${field}`, value]),
  },
  rotateApiKey: { variables: { id: ids.keyId, overlapSeconds: 60 }, admin: true },
  revokeApiKey: { variables: { id: ids.keyId }, admin: true },
  ackEventFeed: { variables: { name: ids.name, cursor } },
  seekEventFeed: { variables: { name: ids.name, to: 'beginning' } },
  deleteEventFeed: { variables: { name: ids.name } },
  erasePerson: {
    variables: { input: { visitorId: 'v_9', dryRun: true } },
    wrong: [
      ['input.email', 'no address'],
      ['input', {}],
    ],
  },
  erasePeople: {
    variables: { input: { people: [{ visitorId: 'v_9' }], dryRun: true } },
    wrong: [
      ['input.people', []],
      ['input.people.0', {}],
    ],
  },
  updateRetention: {
    variables: { input: { conversations: 365 } },
    wrong: [['input.conversations', 0]],
  },
  liftSuppression: { variables: { id: ids.suppressionId } },
  deleteMeeting: { variables: { id: ids.meetingId } },
  deleteConversation: { variables: { id: ids.conversationId } },
  deleteWebhookEndpoint: { variables: { id: ids.endpointId } },
  // Its customer is refused afterwards.
  deleteTenant: {
    variables: { customerId: ids.customer, input: { orgId: orgOf(ids.customer), dryRun: true } },
    admin: true,
    wrong: [['input.orgId', 'org_of_another']],
  },
});

/**
 * Collections that the service itself writes from time to time: schedules, leases of processes, progress of jobs, the
 * search index, and the audit log with the requests that were refused.
 */
const WRITTEN_BY_JOBS = [
  ...['agendaJobs', 'coherence', 'checkpoints', 'meetingSearchStates', 'meetingPostings'],
  ...['auditEntries', 'auditHeads', 'eventLog', 'eventLogs', 'eventSequencer'],
];

/** All that is stored, but for when keys were last used, jobs last ran, and meetings were indexed and re-projected. */
export async function everythingStored({ models }: TestApp): Promise<unknown[]> {
  const { db } = models.Tenant;
  const collections = (await db.listCollections())
    .map(({ name }) => name)
    .filter((name) => !WRITTEN_BY_JOBS.includes(name));
  const documentsOf = (collection: string) => [
    { $project: { lastUsedAt: 0, lastUsedAddress: 0, sessions: 0, indexedAs: 0, reprojection: 0 } },
    { $addFields: { storedIn: collection } },
  ];
  // One command instead of one per collection: the tests of bad input compare hundreds of times.
  const [first = '', ...others] = collections;
  const unions = others.map((coll) => ({ $unionWith: { coll, pipeline: documentsOf(coll) } }));
  const stored = await db
    .collection(first)
    .aggregate([...documentsOf(first), ...unions])
    .toArray();
  return JSON.parse(JSON.stringify(stored));
}
