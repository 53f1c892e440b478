import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConnectionError, EngagementClient, VERSION } from '../../packages/client/src/index.ts';
import { MOUNT_BASE } from '../../src/http/rest/rest-routes.ts';
import { startConversation } from '../conversations/support.ts';
import { storeMeeting } from '../http/samples.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import {
  CHECK,
  type FakeSidecar,
  FEATURE,
  HISTORY,
  PERFORMANCE,
  SETTINGS,
  STAGES,
  STATUS,
  startFakeSidecar,
} from '../support/sidecar.ts';
import { clientOf, startProxy } from './support.ts';

const ROOT = resolve(import.meta.dirname, '../..');

let app: TestApp;
let tenant: TestTenant;
let sidecar: FakeSidecar;
let receiver: Receiver;
beforeAll(async () => {
  sidecar = await startFakeSidecar();
  receiver = await startReceiver();
  app = await startApp({ ML_SIDECAR_URL: sidecar.url });
  tenant = await app.newTenant();
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
  await sidecar.stop();
});

/** Requests that passed through `recording`. */
const sent: { method: string; path: string; headers: Headers }[] = [];

/** The real fetch, which records what it sends. */
const recording: typeof fetch = (input, init) => {
  const { method, url, headers } = new Request(input, init);
  sent.push({ method, path: new URL(url).pathname, headers });
  return fetch(input, init);
};

/** Every route of the OpenAPI documents, as a method and a pattern of its path. */
const routes = Object.entries(MOUNT_BASE).flatMap(([mount, base]) => {
  const file = resolve(ROOT, `schema/printed/openapi.${mount}.json`);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, object> };
  // A path with a server of its own is none of the mount's: the metrics, which are for operators.
  const ofMount = Object.entries(paths).filter(
    ([, item]) => !Object.values(item).some((o) => 'servers' in o),
  );
  return ofMount.flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map((method) => ({
        name: `${method.toUpperCase()} ${base}${path}`,
        method: method.toUpperCase(),
        pattern: new RegExp(`^${base}${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      })),
  );
});

test('the client calls every route of the documents, and the service understands each call', async () => {
  const client = clientOf(app, tenant, { fetch: recording, maxRetries: 0 });
  const admin = new EngagementClient({ baseUrl: app.url, apiKey: app.admin, fetch: recording });

  const { endpoint, secret } = await client.webhookEndpoints.create({
    url: receiver.url,
    description: 'All routes',
    events: ['conversion.recorded', 'outcome.marked'],
  });
  expect(secret).toMatch(/^whsec_/);
  expect(await client.webhookEndpoints.get(endpoint.id)).toEqual(endpoint);
  expect((await client.webhookEndpoints.list({ limit: 10 })).data).toEqual([endpoint]);
  expect(await client.webhookEndpoints.update(endpoint.id, { events: null })).toMatchObject({
    id: endpoint.id,
    events: null,
  });
  const rotated = await client.webhookEndpoints.rotateSecret(endpoint.id, { overlapSeconds: 60 });
  expect(rotated.secret).not.toBe(secret);
  expect((await client.webhookEndpoints.get(endpoint.id)).previousSecretExpiresAt).toBe(
    rotated.previousSecretExpiresAt,
  );
  const { id: deliveryId } = await client.webhookEndpoints.sendTest(endpoint.id, { event: 'outcome.marked' });

  const delivery = await eventually(async () => {
    const { data } = await client.webhookDeliveries.list(endpoint.id, { status: 'succeeded' });
    return data.find(({ id }) => id === deliveryId);
  });
  expect(await client.webhookDeliveries.get(endpoint.id, deliveryId)).toMatchObject({
    ...delivery,
    attempts: [{ number: 1, manual: false, responseStatus: 200 }],
  });
  expect(await client.webhookDeliveries.resend(endpoint.id, deliveryId)).toMatchObject({ id: deliveryId });
  const published = await client.events.get(delivery.eventId);
  expect(published).toMatchObject({ event: 'outcome.marked', deliveries: [{ id: deliveryId }] });
  expect((await client.events.list({ until: new Date(Date.now() + 60_000) })).data).toContainEqual(published);
  expect(await client.events.explain(delivery.eventId, { endpointId: endpoint.id })).toMatchObject({
    reason: 'delivered',
    deliveryId,
  });
  const { cursor } = await client.eventFeeds.pull('crm', { wait: 0, consumer: 'one' });
  expect(await client.eventFeeds.ack('crm', { cursor, consumer: 'one' })).toMatchObject({
    name: 'crm',
    cursor,
  });
  expect(await client.eventFeeds.seek('crm', { to: cursor, consumer: 'one' })).toMatchObject({ cursor });
  expect((await client.eventFeeds.list()).data).toMatchObject([{ name: 'crm', consumer: 'one', behind: 0 }]);
  await client.eventFeeds.seek('spare', { to: 'end' });
  expect(await client.eventFeeds.delete('spare')).toMatchObject({
    name: 'spare',
    cursor: expect.any(String),
  });
  const range = { since: new Date(Date.now() - 3_600_000), until: new Date() };
  expect(await client.webhookEndpoints.recover(endpoint.id, range)).toEqual({ queued: 0, open: 0 });
  const replay = { ...range, deliveryIds: [deliveryId], dryRun: true };
  expect(await client.webhookEndpoints.replay(endpoint.id, replay)).toEqual({ count: 1 });
  expect(await client.webhookEndpoints.statistics(endpoint.id, { step: 'day' })).toMatchObject({
    step: 'day',
  });
  expect(await client.webhookEndpoints.retryBacklog(endpoint.id, range)).toEqual({ count: 0 });
  expect(await client.webhookEndpoints.cancelBacklog(endpoint.id)).toEqual({ cancelled: 0 });
  expect(await client.webhookEndpoints.delete(endpoint.id)).toEqual({ id: endpoint.id, deleted: true });
  expect((await client.eventTypes.list()).data.map(({ name }) => name)).toContain('conversion.recorded');

  expect((await admin.customers.suspend(tenant.customerId)).suspendedAt).toEqual(expect.any(String));
  await expect(client.eventTypes.list()).rejects.toMatchObject({ code: 'CUSTOMER_SUSPENDED' });
  expect((await admin.customers.resume(tenant.customerId)).suspendedAt).toBeNull();
  const counted = await admin.customers.delete(tenant.customerId, {
    orgId: tenant.tenant.orgId,
    dryRun: true,
  });
  expect(await admin.customers.getDeletion(tenant.customerId)).toMatchObject({
    id: counted.id,
    dryRun: true,
  });
  const created = await admin.apiKeys.create({ scope: 'read', customerId: tenant.customerId, name: 'CRM' });
  const { apiKey } = created;
  expect(await admin.apiKeys.get(apiKey.id)).toEqual(apiKey);
  expect((await admin.apiKeys.list({ text: 'crm', state: 'active' })).data).toEqual([apiKey]);
  expect(await admin.apiKeys.update(apiKey.id, { resources: ['events'] })).toMatchObject({
    resources: ['events'],
  });
  const successor = await admin.apiKeys.rotate(apiKey.id, { overlapSeconds: 60 });
  expect(successor.apiKey).toMatchObject({ name: 'CRM', resources: ['events'], state: 'active' });
  expect(await admin.apiKeys.revoke(apiKey.id)).toMatchObject({ id: apiKey.id, state: 'revoked' });

  const [act] = (await client.auditLog.list({ action: 'deleteWebhookEndpoint' })).data;
  expect(act).toMatchObject({ outcome: 'done', target: { id: String(endpoint.id) } });
  expect(await client.auditLog.get(act?.id ?? '')).toEqual(act);

  const erased = await client.privacy.erasePerson({ visitorId: 'v_erased' });
  expect(await client.privacy.getErasure(erased.id)).toMatchObject({ id: erased.id });
  expect((await client.privacy.listErasures()).data).toMatchObject([{ id: erased.id }]);
  const lines = await Array.fromAsync(client.privacy.export({ kind: 'erasures' }));
  expect(lines).toMatchObject([
    { kind: 'erasures', row: { id: erased.id } },
    { end: true, rows: 1 },
  ]);
  await expect(client.privacy.export({ cursor: 'WyIiLCIiXQ' }).next()).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
  });
  const people = [{ visitorId: 'v_erased' }, { email: 'ada@example.com' }];
  const { erasureIds } = await client.privacy.erasePeople({ people, dryRun: true });
  expect(erasureIds).toHaveLength(2);
  const truncated = { status: 200, body: '{"kind":"erasures","row":{}}\n{"end":tr' };
  const proxy = await startProxy(app.url, [truncated]);
  const cut = clientOf(proxy, tenant).privacy.export({ kind: 'erasures' });
  expect(await cut.next()).toMatchObject({ value: { kind: 'erasures' } });
  await expect(cut.next()).rejects.toBeInstanceOf(ConnectionError);
  const [suppression] = (await client.privacy.listSuppressions()).data;
  expect(suppression).toMatchObject({ type: 'visitor_id', erasureId: erased.id });
  expect(await client.privacy.liftSuppression(suppression?.id ?? '')).toEqual(suppression);
  const kept = await client.privacy.updateRetention({ conversations: 365 });
  expect(kept).toMatchObject({ conversations: 365, meetings: null });
  expect(await client.privacy.getRetention()).toMatchObject({ conversations: 365, failed: [] });
  expect(await client.privacy.previewRetention({ conversations: 1 })).toMatchObject({ conversations: 0 });
  const { id: deleted } = await startConversation(app, tenant, { visitorId: 'v_2' });
  expect(await client.privacy.deleteConversation(deleted)).toMatchObject({ id: deleted });
  const meeting = await storeMeeting(app, tenant);
  const { suppressionId } = await client.privacy.deleteMeeting(meeting);
  expect((await client.privacy.listSuppressions()).data).toMatchObject([
    { id: suppressionId, type: 'meeting', erasureId: null },
  ]);
  await storeMeeting(app, tenant);
  expect(await client.privacy.deleteMeeting(meeting, { suppress: false })).toMatchObject({
    id: meeting,
    suppressionId: null,
  });
  await expect(client.privacy.deleteMeeting(meeting)).rejects.toMatchObject({ code: 'NOT_FOUND' });

  const { id } = await startConversation(app, tenant, { visitorId: 'v_1' });
  const occurredAt = new Date('2026-01-31T09:30:00.000Z');
  const event = await client.preview.events.create({
    type: 'conversion',
    goal: 'demo_booked',
    visitor_id: 'v_1',
    conversation_id: id,
    occurred_at: occurredAt,
  });
  expect(event).toMatchObject({ goal: 'demo_booked', occurred_at: occurredAt.toISOString() });
  const custom = await client.preview.events.create({ type: 'page.viewed', visitor_id: 'v_1' });
  const since = new Date(Date.now() - 60_000);
  expect((await client.preview.events.list({ since, type: 'page.viewed' })).data).toEqual([custom]);
  expect((await client.preview.conversations.list({ since, converted: true })).data).toMatchObject([{ id }]);
  expect(await client.preview.conversations.get(id)).toMatchObject({ id, conversion: { id: event.id } });
  const asAdmin = admin.forCustomer(tenant.customerId);
  expect(await asAdmin.preview.conversations.get(id)).toMatchObject({ id });

  expect(await client.drift.getStatus()).toEqual(STATUS);
  expect(await client.drift.getStatus({ stage: 'trial' })).toEqual({ ...STATUS, stage: 'trial' });
  expect(await client.drift.getFeature({ feature: 'visits' })).toEqual(FEATURE);
  expect(await client.drift.getStages()).toEqual(STAGES);
  expect(await client.drift.getPerformance()).toEqual(PERFORMANCE);
  expect(await client.drift.getModels()).toEqual(['default']);
  expect(await admin.drift.getHistory({ limit: 2 })).toEqual(HISTORY);
  expect(await admin.drift.triggerCheck({ stage: 'trial' })).toEqual(CHECK);
  expect(await admin.drift.getFeatureSettings()).toEqual(SETTINGS);
  const features = [{ feature: 'age', weight: 0, threshold: null }];
  expect(await admin.drift.setFeatureSettings({ features })).toEqual(features);
  await admin.drift.triggerCheck();
  await admin.drift.triggerCheck();
  const [alert] = await admin.drift.getAlerts({ status: 'active' });
  expect(alert).toMatchObject({ scope: 'overall', score: 0.31, status: 'active' });
  const until = new Date(Date.now() + 86_400_000);
  const alertId = alert?.id ?? '';
  expect(await admin.drift.acknowledgeAlert({ id: alertId, note: 'Known', until })).toMatchObject({
    status: 'acknowledged',
    acknowledgement: { note: 'Known', until: until.toISOString() },
  });
  expect(await admin.drift.withdrawAcknowledgement({ id: alertId })).toMatchObject({ status: 'active' });
  const mute = await admin.drift.muteFeature({ feature: 'visits', until });
  expect(await admin.drift.getMutes()).toEqual([mute]);
  expect(await admin.drift.unmuteFeature({ feature: 'visits' })).toEqual(mute);
  const change = await admin.drift.createPlannedChange({
    type: 'release',
    title: 'v2',
    startsAt: occurredAt,
  });
  expect(await admin.drift.getPlannedChanges({ since: occurredAt, until })).toEqual([change]);
  expect(await admin.drift.deletePlannedChange({ id: change.id })).toEqual(change);
  expect(await client.health()).toMatchObject({ database: { status: 'up' }, sidecar: { status: 'up' } });

  const missing = routes.filter(
    ({ method, pattern }) => !sent.some((request) => request.method === method && pattern.test(request.path)),
  );
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test('requests name the client and its version', () => {
  const { version } = JSON.parse(readFileSync(resolve(ROOT, 'packages/client/package.json'), 'utf8'));
  expect(VERSION).toBe(version);
  for (const { headers } of sent) {
    expect(headers.get('user-agent')).toBe(`engagement-client/${version}`);
    expect(headers.get('x-client-version')).toBe(`engagement-client/${version}`);
  }
});

test('only POST requests carry an idempotency key, and the health no API key', () => {
  for (const { method, path, headers } of sent) {
    expect(headers.has('idempotency-key')).toBe(method === 'POST');
    expect(headers.has('authorization')).toBe(path !== '/api/health');
  }
});
