import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import {
  createEndpoint,
  deliveriesOf,
  endpointsPath,
  listening,
  postConversion,
  scheduled,
} from './support.ts';

const GET = `query ($id: ID!) {
  webhookDelivery(id: $id) { id payload attempts { number manual responseStatus responseBody error } }
}`;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('getting a delivery', () => {
  test('requires authentication', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    const [delivery] = await deliveriesOf(app, tenant, endpoint);
    const path = `${endpoint.path}/deliveries/${delivery?.id}`;
    await expectProtected(app, { method: 'GET', path, scope: 'read' }, tenant);
    await expectProtectedGraphQL(app, GET, { id: delivery?.id }, []);
    const stranger = await app.newTenant();
    const { body } = await app.graphql(GET, { id: delivery?.id }, stranger.read);
    expect(body).toEqual({ data: { webhookDelivery: null } });
  });

  test('returns the payload and every attempt, in order', async () => {
    const { tenant, endpoint, receiver } = await listening(app, (_request, index) => ({
      status: index === 0 ? 503 : 500,
      body: `answer ${index}`,
    }));
    await postConversion(app, tenant);
    const { id } = await scheduled(app, tenant, endpoint, 2);
    const { status, body } = await app.request('GET', `${endpoint.path}/deliveries/${id}`, {
      key: tenant.read,
    });
    expect(status).toBe(200);
    const attempt = { manual: false, at: expect.any(String), durationMs: expect.any(Number) };
    expect(body).toEqual({
      id,
      endpointId: endpoint.id,
      eventId: receiver.received[0]?.headers['webhook-id'],
      event: 'conversion.recorded',
      status: 'retrying',
      attempt: 2,
      nextRetryAt: expect.any(String),
      waitingFor: null,
      createdAt: expect.any(String),
      lastAttemptAt: expect.any(String),
      responseStatus: 500,
      error: 'http_500',
      durationMs: expect.any(Number),
      payload: receiver.received[0]?.body,
      attempts: [
        { ...attempt, number: 1, responseStatus: 503, responseBody: 'answer 0', error: 'http_503' },
        { ...attempt, number: 2, responseStatus: 500, responseBody: 'answer 1', error: 'http_500' },
      ],
    });
    const graphql = await app.graphql(GET, { id }, tenant.read);
    expect(graphql.body.data?.webhookDelivery).toMatchObject({
      payload: receiver.received[0]?.body,
      attempts: [
        { number: 1, error: 'http_503' },
        { number: 2, responseBody: 'answer 1' },
      ],
    });
  });

  test('returns 404 for an unknown or malformed id, and for one of another endpoint or tenant', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    const [delivery] = await deliveriesOf(app, tenant, endpoint);
    const sibling = await createEndpoint(app, tenant, { url: receiver.url });
    const stranger = await app.newTenant();
    const elsewhere = await createEndpoint(app, stranger, { url: receiver.url });
    for (const [key, path] of [
      [tenant.read, `${endpoint.path}/deliveries/${'0'.repeat(24)}`],
      [tenant.read, `${endpoint.path}/deliveries/nope`],
      [tenant.read, `${endpoint.path}/deliveries/${delivery?.id.toUpperCase()}x`],
      [tenant.read, `${sibling.path}/deliveries/${delivery?.id}`],
      [stranger.read, `${elsewhere.path}/deliveries/${delivery?.id}`],
      [stranger.read, `${endpointsPath(stranger.customerId)}/${endpoint.id}/deliveries/${delivery?.id}`],
    ] as const)
      expect(await app.request('GET', path, { key })).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      });
  });
});
