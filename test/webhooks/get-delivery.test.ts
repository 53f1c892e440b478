import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
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
const COUNTS = `query ($id: ID!) {
  webhookDelivery(id: $id) { attempt scheduledAttempts manualAttempts }
}`;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

interface Header {
  name: string;
  value: string;
}

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
    const attempt = {
      manual: false,
      probe: false,
      at: expect.any(String),
      durationMs: expect.any(Number),
      requestHeaders: expect.any(Array),
      responseHeaders: expect.any(Array),
    };
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
      failureReason: null,
      durationMs: expect.any(Number),
      payload: receiver.received[0]?.body,
      attempts: [
        { ...attempt, number: 1, responseStatus: 503, responseBody: 'answer 0', error: 'http_503' },
        { ...attempt, number: 2, responseStatus: 500, responseBody: 'answer 1', error: 'http_500' },
      ],
      scheduledAttempts: 2,
      manualAttempts: 0,
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

  test('returns the headers of request and response of each attempt, with secrets masked', async () => {
    const long = 'x'.repeat(300);
    const { tenant, endpoint, receiver } = await listening(
      app,
      {
        status: 500,
        headers: { 'X-Request-Id': 'r_1', 'Set-Cookie': 'sid=hidden', 'X-Api-Key': 'hidden', 'X-Long': long },
      },
      { headers: { 'X-Tenant': 'hidden', Authorization: 'Bearer hidden' } },
    );
    await postConversion(app, tenant);
    const { id } = await scheduled(app, tenant, endpoint, 2);
    const { body } = await app.request('GET', `${endpoint.path}/deliveries/${id}`, { key: tenant.read });
    const [attempt] = body.attempts as unknown as { requestHeaders: Header[]; responseHeaders: Header[] }[];
    const sent = receiver.received[0]?.headers ?? {};
    const MASKED = ['x-tenant', 'authorization', 'x-svc-signature', 'webhook-signature'];
    const shown = Object.fromEntries(
      (attempt?.requestHeaders ?? []).map(({ name, value }) => [name.toLowerCase(), value]),
    );
    const own = Object.keys(sent).filter(
      (name) => !['host', 'connection', 'content-length', 'traceparent'].includes(name),
    );
    expect(Object.keys(shown).sort()).toEqual(own.sort());
    for (const [name, value] of Object.entries(shown))
      expect(value, name).toBe(MASKED.includes(name) ? '***' : sent[name]);
    const answered = Object.fromEntries(
      (attempt?.responseHeaders ?? []).map(({ name, value }) => [name, value]),
    );
    expect(answered).toMatchObject({
      'x-request-id': 'r_1',
      'set-cookie': '***',
      'x-api-key': '***',
      'x-long': long.slice(0, 200),
    });
    expect(JSON.stringify(body)).not.toContain('hidden');
    expect(JSON.stringify(await app.models.Delivery.findById(id).lean())).not.toContain('hidden');
  });

  test('returns no response headers of a connection that fails, and none of an attempt of an earlier build', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500);
    await receiver.stop();
    await postConversion(app, tenant);
    const { id } = await scheduled(app, tenant, endpoint, 2);
    const read = async () =>
      (await app.request('GET', `${endpoint.path}/deliveries/${id}`, { key: tenant.read })).body.attempts;
    expect(await read()).toMatchObject([{ requestHeaders: expect.any(Array), responseHeaders: null }, {}]);
    await app.models.Delivery.updateOne({ _id: id }, { $unset: { 'attempts.0.responseHeaders': '' } });
    expect(await read()).toMatchObject([{ requestHeaders: null, responseHeaders: null }, {}]);
  });

  test('counts scheduled and manual attempts apart', async () => {
    const { tenant, endpoint } = await listening(app, 500);
    await postConversion(app, tenant);
    const { id } = await scheduled(app, tenant, endpoint, 2);
    const path = `${endpoint.path}/deliveries/${id}`;
    await app.request('POST', `${path}/resend`, { key: tenant.write });
    const body = await eventually(async () => {
      const found = (await app.request('GET', path, { key: tenant.read })).body;
      return Number(found.manualAttempts) === 1 ? found : null;
    });
    expect(body).toMatchObject({ attempt: 2, scheduledAttempts: 2, manualAttempts: 1 });
    expect(body.attempts).toHaveLength(3);
    const { body: answer } = await app.graphql(COUNTS, { id }, tenant.read);
    expect(answer.data?.webhookDelivery).toEqual({ attempt: 2, scheduledAttempts: 2, manualAttempts: 1 });
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
