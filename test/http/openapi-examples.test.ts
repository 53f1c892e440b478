import { Types } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALERT_EXAMPLE, PLANNED_CHANGE_EXAMPLE } from '../../schema/drift/drift-rest-examples.ts';
import { startConversation } from '../conversations/support.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { type FakeSidecar, startFakeSidecar } from '../support/sidecar.ts';
import { conformanceOf, type Document, type Documented } from './openapi-conformance.ts';

/** Sends the examples of the documents as they are, as a reader does who tries out each operation. */
type WithExample = Documented & {
  parameters: { name?: string; in?: string; example?: unknown }[];
  requestBody?: { content: { 'application/json': { example: unknown } } };
};

let app: TestApp;
let sidecar: FakeSidecar;
let tenant: TestTenant;

beforeAll(async () => {
  sidecar = await startFakeSidecar();
  app = await startApp({
    ML_SIDECAR_URL: sidecar.url,
    DRIFT_CHECK_SCHEDULE: 'off',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false',
  });
  tenant = await app.newTenant();
});
afterAll(async () => {
  await app.stop();
  await sidecar.stop();
});

const fetchDocument = async (base: string): Promise<Document> =>
  (await app.request('GET', `${base}/openapi.json`)).body as unknown as Document;

/** Sends the example of an operation. @returns the body of the response, which is valid by the document */
async function tryOut(
  document: Document,
  operation: WithExample,
  ids: Record<string, string | number>,
  body: unknown = operation.requestBody?.content['application/json'].example,
) {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => String(ids[name]));
  const query = operation.parameters.flatMap(({ name, in: place, example }) =>
    place === 'query' && example !== undefined
      ? [`${name}=${encodeURIComponent(String(ids[name ?? ''] ?? example))}`]
      : [],
  );
  const url = operation.base + path + (query.length > 0 ? `?${query.join('&')}` : '');
  const answer = await app.request(operation.method.toUpperCase(), url, {
    key: operation['x-required-scope'] === 'admin' ? app.admin : tenant.write,
    body,
  });
  expect(answer.status, `${operation.operationId} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  conformanceOf(document).expect(operation, answer);
  return answer.body;
}

test('every example of /api/v1 is accepted in the order of the document, deletion last', async () => {
  const document = await fetchDocument('/api/v1');
  const operations = conformanceOf(document).operations as WithExample[];
  const byId = (operationId: string) =>
    operations.find((operation) => operation.operationId === operationId) as WithExample;
  const ids: Record<string, string | number> = { customerId: tenant.customerId };
  ids.customer = (await app.newTenant()).customerId;
  const created = await tryOut(document, byId('createWebhookEndpoint'), ids);
  ids.endpointId = Number(created.endpoint?.id);
  const test = await tryOut(document, byId('sendTestWebhook'), ids);
  ids.deliveryId = String(test.id);
  ids.eventId = String(test.eventId);
  // Both immediate attempts fail: the host of the example receives nothing.
  const delivery = byId('getWebhookDelivery');
  await eventually(async () => String((await tryOut(document, delivery, ids)).status) === 'retrying');

  const inOrder = operations.toSorted(
    (a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'),
  );
  expect(inOrder).toHaveLength(48);
  ids.name = 'crm';
  // The cursor of the example belongs to customer 42.
  const { cursor } = await tryOut(document, byId('pullEventFeed'), ids);
  const acknowledgement = { cursor, consumer: 'worker-1' };
  const list = async (operationId: string) =>
    (await tryOut(document, byId(operationId), ids)).data as unknown as { id: string }[];
  ids.id = (await list('listAuditEntries'))[0]?.id ?? expect.fail();
  const erased = await tryOut(document, byId('erasePerson'), ids, { visitorId: 'v_erased' });
  ids.erasureId = String(erased.id);
  ids.suppressionId = (await list('listSuppressions'))[0]?.id ?? expect.fail();
  ids.conversationId = (await startConversation(app, tenant)).id;
  ids.keyId = String((await tryOut(document, byId('createApiKey'), ids)).apiKey?.id);
  const deletion = { orgId: `org_${ids.customer}`, dryRun: true };
  await tryOut(document, byId('deleteTenant'), ids, deletion);
  const bodies: Record<string, object> = { ackEventFeed: acknowledgement, deleteTenant: deletion };
  for (const operation of inOrder) {
    // There is no meeting without a provider.
    if (operation.operationId === 'deleteMeeting') continue;
    // The consumer of the earlier examples holds the feed for 15 seconds.
    if (operation.operationId === 'deleteEventFeed') app.clock.advance(16_000);
    await tryOut(document, operation, ids, bodies[operation.operationId]);
  }
});

test('every example of /v1 is accepted in the order of the document', async () => {
  const document = await fetchDocument('/v1');
  const { id } = await startConversation(app, tenant);
  const operations = conformanceOf(document).operations as WithExample[];
  for (const operation of operations) await tryOut(document, operation, { conversation_id: id });
  expect(operations).toHaveLength(4);
});

/** Stores the alert and the planned change that the examples name. */
async function createDriftExamples(): Promise<void> {
  const at = new Date();
  const scope = { model: 'default', stage: null };
  await app.models.DriftAlert.create({
    ...{ _id: new Types.ObjectId(ALERT_EXAMPLE.id), ...scope, feature: null, since: at, remindAt: at },
    ...{ score: 0.3, threshold: 0.2, features: [] },
  });
  await app.models.DriftPlannedChange.create({
    ...{ _id: new Types.ObjectId(PLANNED_CHANGE_EXAMPLE.id), ...scope, type: 'release', title: 'v2' },
    ...{ startsAt: at, endsAt: at, createdAt: at },
  });
}

test('every example of the drift procedures is accepted in the order of the document', async () => {
  const document = await fetchDocument('/api');
  const operations = (conformanceOf(document).operations as WithExample[]).filter(
    (operation) => operation.operationId !== 'getMetrics',
  );
  await createDriftExamples();
  for (const operation of operations) await tryOut(document, operation, {});
  expect(operations).toHaveLength(19);
});
