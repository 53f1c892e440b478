import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, TestApp, TestTenant } from '../support/app.ts';
import { startApp } from '../support/app.ts';
import {
  createEndpoint,
  deliveryLike,
  endpointsPath,
  missEvents,
  type TestEndpoint,
} from '../webhooks/support.ts';

const UNKNOWN_ID = 2_147_483_647;
const UNKNOWN_DELIVERY = 'f'.repeat(24);
let app: TestApp;
let tenant: TestTenant;
let other: TestTenant;
let foreign: TestEndpoint;
let delivery: string;

beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
  other = await app.newTenant();
  foreign = await createEndpoint(app, other, { url: 'https://receiver.example.com' });
  await missEvents(app, other, foreign, 1);
  delivery = (await deliveryLike(app, other, foreign, { status: 'cancelled' })).id;
});
afterAll(() => app.stop());

/** An answer without what differs by request: its id, and the id that was asked for. */
const comparable = ({ status, body, headers }: Answer, asked: string | number) => ({
  status,
  body: JSON.parse(
    JSON.stringify(body, (name, value) => {
      if (name === 'requestId') return '-';
      return typeof value === 'string' ? value.replaceAll(new RegExp(`\\b${asked}\\b`, 'g'), '-') : value;
    }),
  ),
  headers: [...headers.keys()].toSorted(),
});

const ROUTES = [
  ['GET', '', undefined],
  ['PATCH', '', { description: 'x' }],
  ['DELETE', '', undefined],
  ['POST', '/rotate-secret', undefined],
  ['GET', '/deliveries', undefined],
  ['POST', '/test', { event: 'outcome.marked' }],
  ['POST', '/cancel-backlog', undefined],
  ['POST', '/replay', { deliveryIds: ['f'.repeat(24)], dryRun: true }],
  ['POST', '/retry-backlog', undefined],
  ['POST', '/recover', { since: new Date(Date.now() - 60_000).toISOString() }],
] as const;

describe('a resource of another tenant is indistinguishable from an unknown one', () => {
  test.each(ROUTES)('%s …/:endpointId%s', async (method, path, body) => {
    const ask = async (id: number) => {
      const request = { key: tenant.write, body };
      return comparable(
        await app.request(method, `${endpointsPath(tenant.customerId)}/${id}${path}`, request),
        id,
      );
    };
    const answer = await ask(foreign.id);
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    expect(answer).toEqual(await ask(UNKNOWN_ID));
  });

  test.each(ROUTES)('%s …/customers/:customerId/…/:endpointId%s', async (method, path, body) => {
    const ask = async (customerId: number) => {
      const request = { key: tenant.write, body };
      return comparable(
        await app.request(method, `${endpointsPath(customerId)}/${foreign.id}${path}`, request),
        customerId,
      );
    };
    const answer = await ask(other.customerId);
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    expect(answer).toEqual(await ask(UNKNOWN_ID));
  });

  test.each([
    ['GET', ''],
    ['POST', '/resend'],
  ])('%s …/deliveries/:deliveryId%s', async (method, path) => {
    const own = await createEndpoint(app, tenant, { url: 'https://receiver.example.com' });
    const ask = async (id: string) =>
      comparable(await app.request(method, `${own.path}/deliveries/${id}${path}`, { key: tenant.write }), id);
    expect((await ask(delivery)).status).toBe(404);
    expect(await ask(delivery)).toEqual(await ask(UNKNOWN_DELIVERY));
  });

  test.each([
    ['mutation ($id: Int!) { deleteWebhookEndpoint(id: $id) { id } }', 'endpoint'],
    ['mutation ($id: Int!) { rotateWebhookSecret(id: $id) { id } }', 'endpoint'],
    ['mutation ($id: Int!) { updateWebhookEndpoint(id: $id, input: {}) { id } }', 'endpoint'],
    ['mutation ($id: Int!) { sendTestWebhook(endpointId: $id, event: "outcome.marked") { id } }', 'endpoint'],
    ['query ($id: Int!) { webhookEndpoint(id: $id) { id } }', 'endpoint'],
    ['query ($id: Int!) { webhookDeliveries(endpointId: $id) { edges { cursor } } }', 'endpoint'],
    ['mutation ($id: ID!) { resendWebhookDelivery(id: $id) { id } }', 'delivery'],
    ['query ($id: ID!) { webhookDelivery(id: $id) { id } }', 'delivery'],
  ] as const)('%s', async (query, kind) => {
    const [known, unknown] = kind === 'endpoint' ? [foreign.id, UNKNOWN_ID] : [delivery, UNKNOWN_DELIVERY];
    const ask = async (id: string | number) => comparable(await app.graphql(query, { id }, tenant.write), id);
    const answer = await ask(known);
    expect(answer).toEqual(await ask(unknown));
    expect(JSON.stringify(answer.body)).toMatch(/NOT_FOUND|null/);
  });

  test('and it is unchanged', async () => {
    const { status, body } = await app.request('GET', foreign.path, { key: other.read });
    expect([status, body.description, body.enabled]).toEqual([200, null, true]);
    const detail = await app.request('GET', `${foreign.path}/deliveries/${delivery}`, { key: other.read });
    expect(detail.body).toMatchObject({ status: 'cancelled', attempts: [] });
  });

  test('and it is in no list', async () => {
    const query =
      '{ webhookEndpoints { edges { node { customerId } } } webhookDeliveries { edges { cursor } } webhookEvents { edges { cursor } } }';
    const { body } = await app.graphql(query, {}, tenant.read);
    expect(body.data?.webhookEvents?.edges).toEqual([]);
    expect(body.data?.webhookDeliveries?.edges).toEqual([]);
    expect(JSON.stringify(body)).not.toContain(String(other.customerId));
  });
});
