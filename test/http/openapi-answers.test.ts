import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { append, apply, CALLS, MOVES, startConversation } from '../conversations/support.ts';
import { type Answer, eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type FakeSidecar, startFakeSidecar } from '../support/sidecar.ts';
import { createEndpoint, deliveryLike, postConversion, setEnabled } from '../webhooks/support.ts';
import { type Conformance, conformanceOf, type Document, type Documented } from './openapi-conformance.ts';
import { storeMeeting } from './samples.ts';

/** Validates the responses of the running service against its OpenAPI documents. */
let app: TestApp;
let receiver: Receiver;
let sidecar: FakeSidecar;
let tenant: TestTenant;
/** Value of each path parameter. */
let ids: Record<string, string | number>;

const documents: Conformance[] = [];
let operations: Documented[];
/** Statuses that were answered, by operation. */
/** Ids of resources that do not exist. */
const UNKNOWN = {
  id: 'f'.repeat(24),
  erasureId: 'f'.repeat(24),
  suppressionId: 'f'.repeat(24),
  conversationId: 'f'.repeat(24),
  meetingId: 'm_unknown',
};
const seen = new Map<string, Set<string>>();

beforeAll(async () => {
  sidecar = await startFakeSidecar();
  app = await startApp({ ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: 'off' });
  receiver = await startReceiver();
  tenant = await app.newTenant();
  for (const base of ['/api/v1', '/v1', '/api']) {
    const { body } = await app.request('GET', `${base}/openapi.json`);
    documents.push(conformanceOf(body as unknown as Document));
  }
  operations = documents
    .flatMap((document) => document.operations)
    .filter((operation) => operation['x-required-scope'] !== undefined);
  const endpoint = await createEndpoint(app, tenant, { url: receiver.url });
  const conversation = await startConversation(app, tenant);
  const { id: deliveryId, eventId } = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
  ids = {
    customerId: tenant.customerId,
    endpointId: endpoint.id,
    deliveryId,
    eventId,
    conversation_id: conversation.id,
    ...UNKNOWN,
    name: 'crm',
  };
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
  await sidecar.stop();
});

/** Operations that call the sidecar. */
const CALLING_SIDECAR = [
  ...[
    'driftStatus',
    'driftStages',
    'driftModels',
    'driftPerformance',
    'driftHistory',
    'driftFeature',
    'driftFeatureSettings',
  ],
  ...['triggerDriftCheck', 'setDriftFeatureSettings'],
];

const byId = (operationId: string): Documented => {
  const found = operations.find((operation) => operation.operationId === operationId);
  if (!found) throw new Error(`${operationId} is not documented`);
  return found;
};

interface Call {
  key?: string;
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
  ids?: Record<string, string | number>;
  app?: TestApp;
}

/** Makes a call, with a permitted key by default, and checks the response. */
async function call(operation: Documented, options: Call = {}): Promise<Answer> {
  const may = operation['x-required-scope'] === 'admin' ? app.admin : tenant.write;
  const { key = may, query = '', body, headers = {}, app: asked = app } = options;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
    String({ ...ids, ...options.ids }[name]),
  );
  const answer = await asked.request(operation.method.toUpperCase(), operation.base + path + query, {
    key,
    body,
    headers,
  });
  documents.find((document) => document.operations.includes(operation))?.expect(operation, answer);
  const { operationId } = operation;
  seen.set(operationId, (seen.get(operationId) ?? new Set()).add(String(answer.status)));
  return answer;
}

/** Calls that succeed, as the operation's own document has it. */
async function succeeds(operationId: string, options: Call = {}): Promise<Answer> {
  const answer = await call(byId(operationId), options);
  expect(answer.status, `${operationId} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer;
}

async function fails(operationId: string, status: number, options: Call = {}): Promise<void> {
  expect((await call(byId(operationId), options)).status).toBe(status);
}

describe('successful responses', () => {
  test('of conversations: empty, and with every field set', async () => {
    const { id } = await startConversation(app, tenant, { visitorId: 'v_all', goal: 'demo' });
    await succeeds('getConversation', { ids: { conversation_id: id } });
    await append(app, tenant, id, [
      { role: 'visitor', text: 'Hello' },
      { role: 'operator', text: 'Hi', sentAt: '2026-01-31T09:30:00Z' },
    ]);
    for (const step of [CALLS.resolveIdentity, CALLS.markOutcome, CALLS.recordConversion, MOVES.close])
      await apply(app, tenant, id, step);
    const { body } = await succeeds('getConversation', { ids: { conversation_id: id } });
    expect(body.identity).not.toBeNull();
    expect(body.conversion).not.toBeNull();
    for (const query of ['', '?limit=1', '?status=closed&converted=true', '?since=2999-01-01T00:00:00Z'])
      await succeeds('listConversations', { query });
  });

  test('of events: minimal, with every field set, and replayed', async () => {
    await succeeds('createEvent', { body: { type: 'page.viewed', visitor_id: 'v' } });
    const body = {
      type: 'conversion',
      goal: 'demo',
      visitor_id: 'v_1',
      conversation_id: ids.conversation_id,
      value: 1.5,
      occurred_at: '2026-01-31T09:30:00+01:00',
      properties: { plan: 'pro' },
    };
    const headers = { 'idempotency-key': 'once' };
    await succeeds('createEvent', { body, headers });
    const again = await succeeds('createEvent', { body, headers });
    expect(again.headers.get('idempotent-replayed')).toBe('true');

    for (const [type, count] of Object.entries({ 'page.viewed': 1, 'never.sent': 0 })) {
      const { body: page } = await succeeds('listEvents', { query: `?type=${type}` });
      expect(page.data).toHaveLength(count);
    }
  });

  test('of endpoints and event types, from creation to deletion', async () => {
    const url = `${receiver.url}/documented`;
    const created = await succeeds('createWebhookEndpoint', { body: { url, events: ['outcome.marked'] } });
    const endpointId = Number(created.body.endpoint?.id);
    const own = { ids: { endpointId } };
    await succeeds('getWebhookEndpoint', own);
    await succeeds('updateWebhookEndpoint', { ...own, body: { events: null, description: 'Ours' } });
    await succeeds('updateWebhookEndpoint', { ...own, body: { enabled: false } });
    await succeeds('rotateWebhookSecret', own);
    await succeeds('listWebhookDeliveries', own);
    await succeeds('deleteWebhookEndpoint', own);
    for (const query of ['', '?limit=1']) await succeeds('listWebhookEndpoints', { query });
    await succeeds('listEventTypes');
    for (const query of ['', '?limit=1&type=conversation.started'])
      await succeeds('listPublishedEvents', { query });
    await succeeds('getPublishedEvent');
    await succeeds('explainDelivery', { query: `?endpointId=${ids.endpointId}` });
  });

  test('of deliveries that succeeded, failed, were cancelled or were resent', async () => {
    const failing = await startReceiver(500);
    const endpoint = await createEndpoint(app, tenant, { url: failing.url, events: ['conversion.recorded'] });
    const own = { ids: { endpointId: endpoint.id } };
    await postConversion(app, tenant);
    const { id: deliveryId } = await deliveryLike(app, tenant, endpoint, { attempt: 2, status: 'retrying' });
    await succeeds('getWebhookDelivery', { ids: { ...own.ids, deliveryId } });
    await succeeds('sendTestWebhook', { ...own, body: { event: 'outcome.marked' } });
    await setEnabled(app, tenant, endpoint, false);
    await succeeds('getWebhookDelivery', { ids: { ...own.ids, deliveryId } });
    const { body } = await succeeds('listWebhookDeliveries', { ...own, query: '?status=cancelled&limit=1' });
    expect(body.data).toHaveLength(1);
    await setEnabled(app, tenant, endpoint, true);
    failing.behave(200);
    const since = new Date(app.clock.now().getTime() - 3_600_000).toISOString();
    await succeeds('recoverWebhookDeliveries', { ...own, body: { since } });
    await deliveryLike(app, tenant, endpoint, { id: deliveryId, status: 'succeeded' });
    await succeeds('replayWebhookDeliveries', { ...own, body: { since, status: 'succeeded', dryRun: true } });
    await succeeds('retryWebhookBacklog', { ...own, body: { dryRun: true } });
    await succeeds('cancelWebhookBacklog', own);
    await succeeds('resendWebhookDelivery', { ids: { ...own.ids, deliveryId } });
    await deliveryLike(app, tenant, endpoint, { id: deliveryId, status: 'succeeded' });
    await succeeds('getWebhookDelivery', { ids: { ...own.ids, deliveryId } });
    await succeeds('getWebhookDelivery');
    await failing.stop();
  });
});

describe('responses about API keys', () => {
  test('on the suspension of a customer', async () => {
    const { customerId: customer } = await app.newTenant();
    const other = await app.newTenant();
    for (const operationId of ['suspendTenant', 'resumeTenant']) {
      const headers = { 'idempotency-key': operationId };
      await succeeds(operationId, { headers, ids: { customer } });
      await fails(operationId, 409, { headers, ids: { customer: other.customerId } });
      await fails(operationId, 404, { ids: { customer: 2 ** 31 - 1 } });
    }
  });

  test('on the deletion of a customer', async () => {
    const { customerId: customer } = await app.newTenant();
    const ids = { customer };
    await fails('tenantDeletion', 404, { ids });
    const body = { orgId: `org_${customer}`, dryRun: true };
    const headers = { 'idempotency-key': 'deletion' };
    await succeeds('deleteTenant', { headers, ids, body });
    await fails('deleteTenant', 409, { headers, ids, body: { ...body, dryRun: false } });
    await succeeds('tenantDeletion', { ids });
    await fails('deleteTenant', 404, { ids: { customer: 2 ** 31 - 1 }, body });
  });

  test('on success, and on conflicts', async () => {
    await succeeds('listApiKeys', { query: '?state=active&scope=admin' });
    const body = { scope: 'admin', name: 'On-call', networks: ['127.0.0.0/8'] };
    const { body: created } = await succeeds('createApiKey', { body });
    const of = (id: unknown) => ({ ids: { keyId: String(id) } });
    const key = of(created.apiKey?.id);
    await succeeds('apiKey', key);
    await succeeds('updateApiKey', { ...key, body: { name: null } });
    const { body: next } = await succeeds('rotateApiKey', { ...key, body: { overlapSeconds: 60 } });
    for (const { id } of [created.apiKey, next.apiKey] as unknown as { id: string }[])
      await succeeds('revokeApiKey', of(id));
    await fails('updateApiKey', 409, { ...key, body: {} });
    await fails('rotateApiKey', 409, { ...key, body: {} });
    const { keyId } = await app.services.keys.authenticate(`Bearer ${app.admin}`);
    await fails('revokeApiKey', 409, of(keyId));
    const headers = { 'idempotency-key': 'key' };
    await succeeds('createApiKey', { headers, body });
    await fails('createApiKey', 409, { headers, body: { scope: 'admin' } });
  });

  test('to unknown ids', async () => {
    const unknown = { ids: { keyId: 'f'.repeat(24) } };
    for (const operationId of ['apiKey', 'revokeApiKey']) await fails(operationId, 404, unknown);
    for (const operationId of ['updateApiKey', 'rotateApiKey'])
      await fails(operationId, 404, { ...unknown, body: {} });
  });
});

describe('responses of feeds, the audit log and erasures', () => {
  test('on success', async () => {
    await succeeds('getWebhookEndpointStatistics');
    const { body: pulled } = await succeeds('pullEventFeed');
    await succeeds('ackEventFeed', { body: { cursor: pulled.cursor } });
    await succeeds('seekEventFeed', { body: { to: 'beginning' } });
    await succeeds('listEventFeeds');
    await succeeds('deleteEventFeed');
    const { body: log } = await succeeds('listAuditEntries');
    await succeeds('getAuditEntry', { ids: { id: String(log.data?.[0]?.id) } });
    const { body: erased } = await succeeds('erasePerson', { body: { visitorId: 'v_erased' } });
    await succeeds('erasePeople', { body: { people: [{ visitorId: 'v_4' }], dryRun: true } });
    await succeeds('erasure', { ids: { erasureId: String(erased.id) } });
    await succeeds('listErasures');
    for (const query of ['', '?kind=conversations', '?email=a@example.com'])
      await succeeds('exportCustomer', { query });
    await succeeds('retention');
    await succeeds('retentionPreview', { query: '?conversations=1' });
    await succeeds('updateRetention', { body: { conversations: 365 } });
    const { body: suppressions } = await succeeds('listSuppressions');
    await succeeds('liftSuppression', { ids: { suppressionId: String(suppressions.data?.[0]?.id) } });
    await succeeds('deleteConversation', {
      ids: { conversationId: (await startConversation(app, tenant)).id },
    });
    const ids = { meetingId: await storeMeeting(app, tenant) };
    const { customerId } = tenant;
    const { collection } = app.models.Suppression;
    const most = Array.from({ length: 200_000 }, (_, index) => ({ customerId, hash: `planted ${index}` }));
    await collection.insertMany(most);
    await fails('deleteMeeting', 409, { ids });
    await collection.deleteMany({ customerId, hash: /^planted / });
    await succeeds('deleteMeeting', { ids });
  });

  test('to another consumer of a feed, and to the same key with another request', async () => {
    const own = { ids: { name: 'held' } };
    const { body } = await succeeds('pullEventFeed', { ...own, query: '?consumer=first' });
    await fails('pullEventFeed', 409, { ...own, query: '?consumer=second' });
    await fails('ackEventFeed', 409, { ...own, body: { cursor: body.cursor, consumer: 'second' } });
    await fails('seekEventFeed', 409, { ...own, body: { to: 'end', consumer: 'second' } });
    await fails('deleteEventFeed', 409, own);
    await using _export = await app.services.exports.open(tenant.tenant, null, { waits: false });
    await fails('exportCustomer', 409);
    const headers = { 'idempotency-key': 'erasure' };
    await succeeds('erasePerson', { headers, body: { visitorId: 'v_2', dryRun: true } });
    await fails('erasePerson', 409, { headers, body: { visitorId: 'v_3', dryRun: true } });
    const people = { people: [{ visitorId: 'v_2' }], dryRun: true };
    await succeeds('erasePeople', { headers, body: people });
    await fails('erasePeople', 409, { headers, body: { people: [{ visitorId: 'v_3' }], dryRun: true } });
  });

  test('to unknown ids', async () => {
    const missing = ['getAuditEntry', 'erasure', 'liftSuppression', 'deleteConversation', 'deleteMeeting'];
    for (const operationId of missing) await fails(operationId, 404);
    await fails('getWebhookEndpointStatistics', 404, { ids: { endpointId: 2 ** 31 - 1 } });
  });
});

describe('responses of the drift procedures', () => {
  test('on success', async () => {
    for (const query of ['', '?stage=trial']) await succeeds('driftStatus', { query });
    for (const query of ['', '&stage=trial'])
      await succeeds('driftFeature', { query: `?feature=visits${query}` });
    for (const operationId of ['driftStages', 'driftModels', 'driftPerformance', 'driftFeatureSettings'])
      await succeeds(operationId);
    const features = [{ feature: 'visits', weight: 2, threshold: null }];
    await succeeds('setDriftFeatureSettings', { body: { features } });
    for (const query of ['', '?limit=1', '?stage=trial']) await succeeds('driftHistory', { query });
    for (const body of [undefined, {}, { stage: 'trial' }]) await succeeds('triggerDriftCheck', { body });
  });

  test('about alerts, mutes and planned changes', async () => {
    for (const query of ['', '?status=active&limit=1']) await succeeds('driftAlerts', { query });
    const { body } = await succeeds('driftAlerts', { query: '?status=active' });
    const { id } = (body as unknown as { id: string }[])[0] ?? {};
    const until = '2999-01-01T00:00:00.000Z';
    await succeeds('acknowledgeDriftAlert', { body: { id, note: 'Known', until } });
    await succeeds('withdrawDriftAcknowledgement', { body: { id } });
    const cleared = (await app.models.DriftAlert.create({
      ...{ model: 'default', feature: 'age', score: 0.3, threshold: 0.2, features: [] },
      ...{ since: new Date(), clearedAt: new Date(), remindAt: new Date() },
    })) as { _id: unknown };
    for (const operationId of ['acknowledgeDriftAlert', 'withdrawDriftAcknowledgement']) {
      const note = operationId === 'acknowledgeDriftAlert' ? { note: 'Late' } : {};
      await fails(operationId, 409, { body: { id: String(cleared._id), ...note } });
      await fails(operationId, 404, { body: { id: 'f'.repeat(24), ...note } });
    }

    await succeeds('muteDriftFeature', { body: { feature: 'visits', stage: 'trial', note: 'New', until } });
    await succeeds('driftMutes', { query: '?stage=trial' });
    await succeeds('unmuteDriftFeature', { body: { feature: 'visits', stage: 'trial' } });
    await fails('unmuteDriftFeature', 404, { body: { feature: 'visits', stage: 'trial' } });

    const change = { type: 'campaign', title: 'Spring', startsAt: '2026-03-01T00:00:00.000Z', endsAt: until };
    const created = await succeeds('createDriftPlannedChange', { body: change });
    await succeeds('driftPlannedChanges', { query: `?since=${change.startsAt}&until=${until}` });
    await succeeds('deleteDriftPlannedChange', { body: { id: created.body.id } });

    const headers = { 'idempotency-key': 'other input' };
    const samples: [operationId: string, body: object, other: object][] = [
      ['muteDriftFeature', { feature: 'a' }, { feature: 'b' }],
      ['unmuteDriftFeature', { feature: 'a' }, { feature: 'b' }],
      ['createDriftPlannedChange', change, { ...change, title: 'Summer' }],
    ];
    for (const [operationId, body, other] of samples) {
      await succeeds(operationId, { headers, body });
      await fails(operationId, 409, { headers, body: other });
    }
    const { body: changes } = await succeeds('driftPlannedChanges');
    const [first] = changes as unknown as { id: string }[];
    await succeeds('deleteDriftPlannedChange', { headers, body: { id: first?.id } });
    await fails('deleteDriftPlannedChange', 409, { headers, body: { id: 'f'.repeat(24) } });
  });

  test('when the sidecar prevents success', async () => {
    sidecar.behave({ status: 500 });
    for (const operationId of [
      'driftStatus',
      'driftStages',
      'driftModels',
      'driftPerformance',
      'driftHistory',
      'driftFeatureSettings',
      'triggerDriftCheck',
    ])
      await fails(operationId, 503);
    await fails('driftFeature', 503, { query: '?feature=visits' });
    await fails('setDriftFeatureSettings', 503, { body: { features: [] } });
    sidecar.behave('well');
    // So many failures have opened the circuit.
    await eventually(async () => (await call(byId('driftStatus'))).status === 200, 10_000);
  });
});

test('responses of health and metrics', async () => {
  const [rpc] = documents.slice(-1);
  const probe = (operationId: string) =>
    rpc?.operations.find((operation) => operation.operationId === operationId) as Documented;
  rpc?.expect(probe('getHealth'), await app.request('GET', '/api/health'));
  const metrics = await app.request('GET', '/metrics');
  expect(metrics.status).toBe(200);
  expect(probe('getMetrics').responses[200]).toHaveProperty(
    ['content', 'text/plain', 'schema', 'type'],
    'string',
  );
  expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/);
});

describe('error responses', () => {
  test('to an unauthorized caller, of every operation', async () => {
    for (const operation of operations) {
      expect((await call(operation, { key: '' })).status).toBe(401);
      const scope = operation['x-required-scope'];
      if (scope === 'read') continue;
      const key = scope === 'admin' ? tenant.write : tenant.read;
      expect((await call(operation, { key })).status).toBe(403);
    }
  });

  test('to conditions: content that the client has, a resource that has changed', async () => {
    const reads = [
      'listEventTypes',
      'getWebhookEndpoint',
      'getWebhookDelivery',
      'getPublishedEvent',
      'getConversation',
    ];
    for (const operationId of reads) await fails(operationId, 304, { headers: { 'if-none-match': '*' } });
    await fails('updateWebhookEndpoint', 412, { headers: { 'if-match': '"other"' }, body: {} });
  });

  test('to an unreadable body, of every operation that has one', async () => {
    for (const operation of operations.filter(({ method }) => ['post', 'patch'].includes(method))) {
      expect((await call(operation, { body: '{"open' })).status).toBe(400);
      expect((await call(operation, { body: JSON.stringify('x'.repeat(1_048_577)) })).status).toBe(413);
      const headers = { 'content-type': 'text/plain' };
      expect((await call(operation, { body: '{}', headers })).status).toBe(415);
    }
  });

  test('to an unknown resource or field, of every operation', async () => {
    const nothing = {
      endpointId: 2 ** 31 - 1,
      deliveryId: '0123456789abcdef01234567',
      eventId: '0123456789abcdef01234567',
      conversation_id: '0123456789abcdef01234567',
    };
    for (const operation of operations) {
      const body = operation.requestBody && { nonsense: 1 };
      expect((await call(operation, { query: '?nonsense=1', body })).status).toBe(422);
      const headers = { 'x-customer-id': '2147483647' };
      // It has to name the same customer as a path that names the one to change.
      const status = operation.path.includes('{customer}') ? 422 : 404;
      expect((await call(operation, { headers, body: operation.requestBody && {} })).status).toBe(status);
    }
    for (const operationId of [
      'getWebhookEndpoint',
      'getWebhookDelivery',
      'getPublishedEvent',
      'getConversation',
    ])
      await fails(operationId, 404, { ids: nothing });
    await fails('explainDelivery', 404, { query: `?endpointId=${nothing.endpointId}` });
    await fails('listConversations', 404, { query: `?starting_after=${nothing.conversation_id}` });
    const event = { type: 'conversion', goal: 'g', visitor_id: 'v' };
    await fails('createEvent', 404, { body: { ...event, conversation_id: nothing.conversation_id } });
    await fails('createEvent', 422, { body: { ...event, conversation_id: ids.conversation_id } });
  });

  test('to a conflict with the current state', async () => {
    const crowded = await app.newTenant();
    const theirs = { key: crowded.write, ids: { customerId: crowded.customerId } };
    const body = { url: receiver.url };
    for (let count = 0; count < 50; count += 1) await createEndpoint(app, crowded, body);
    await fails('createWebhookEndpoint', 409, { ...theirs, body });

    const headers = { 'idempotency-key': 'conflict' };
    const event = { type: 'page.viewed', visitor_id: 'v' };
    await succeeds('createEvent', { headers, body: event });
    await fails('createEvent', 409, { headers, body: { ...event, visitor_id: 'w' } });
    await succeeds('triggerDriftCheck', { headers, body: {} });
    await fails('triggerDriftCheck', 409, { headers, body: { stage: 'trial' } });
    await succeeds('setDriftFeatureSettings', { headers, body: { features: [] } });
    await fails('setDriftFeatureSettings', 409, { headers, body: { features: [{ feature: 'visits' }] } });

    const { path, id: endpointId } = await createEndpoint(app, tenant, { url: receiver.url });
    await succeeds('rotateWebhookSecret', { headers, ids: { endpointId } });
    await fails('rotateWebhookSecret', 409, { headers });
    await succeeds('cancelWebhookBacklog', { headers, ids: { endpointId } });
    await fails('cancelWebhookBacklog', 409, { headers });
    await succeeds('sendTestWebhook', { ids: { endpointId }, body: { event: 'outcome.marked' } });
    const { id: deliveryId } = await deliveryLike(app, tenant, { path }, { status: 'succeeded' });
    await setEnabled(app, tenant, { path }, false);
    const own = { ids: { endpointId, deliveryId } };
    await fails('resendWebhookDelivery', 409, own);
    await fails('sendTestWebhook', 409, { ...own, body: { event: 'outcome.marked' } });
    const since = new Date(app.clock.now().getTime() - 3_600_000).toISOString();
    await fails('recoverWebhookDeliveries', 409, { ...own, body: { since } });
    await fails('replayWebhookDeliveries', 409, { ...own, body: { since } });
    await fails('retryWebhookBacklog', 409, { ...own, body: {} });
  });

  test('to too many requests, of every operation', async () => {
    const limited = await startApp({ RATE_LIMIT: '1/min' });
    const { write: key } = await limited.newTenant();
    await limited.request('GET', '/v1/conversations', { key });
    for (const operation of operations)
      expect((await call(operation, { app: limited, key })).status).toBe(429);
    await limited.stop();
  });
});

// Every route documents 500 and 503 for failures of the service itself; only the sidecar's are caused here. A position that
// retention has passed (410) is in `test/event-feeds/`.
test('every documented response was observed, except internal failures', () => {
  const withoutFailures = (statuses: Iterable<string>) =>
    [...statuses].filter((status) => !['410', '500', '503'].includes(status)).sort();
  for (const { operationId, responses } of operations) {
    const statuses = Object.keys(responses).filter((status) => status !== 'default');
    expect(withoutFailures(seen.get(operationId) ?? []), operationId).toEqual(withoutFailures(statuses));
    if (CALLING_SIDECAR.includes(operationId)) expect(seen.get(operationId)).toContain('503');
  }
});

test('the response of an unknown address has the common error format, too', async () => {
  for (const { error, operations } of documents)
    for (const [method, path, status] of [
      ['GET', `${operations[0]?.base}/nothing`, 404],
      ['PUT', `${operations[0]?.base}${operations[0]?.path}`, 405],
    ] as const) {
      const answer = await app.request(method, path, { key: tenant.write });
      expect(answer.status).toBe(status);
      expect(error(answer.body), JSON.stringify(error.errors)).toBe(true);
    }
});

test('a response with an additional or missing field, or another status, is detected', async () => {
  const operation = byId('getConversation');
  const check = documents.find((document) => document.operations.includes(operation));
  const answer = await call(operation);
  const { status: _, ...less } = answer.body;
  for (const changed of [
    { ...answer, body: { ...answer.body, customer_id: 1 } },
    { ...answer, body: less },
    { ...answer, body: { ...answer.body, converted: null } },
    { ...answer, status: 201 },
    { ...answer, headers: new Headers({ 'content-type': 'application/json; charset=utf-8' }) },
  ])
    expect(() => check?.expect(operation, changed as typeof answer)).toThrow();
});
