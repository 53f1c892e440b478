import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { createEndpoint, deliveryLike, endpointsPath, listening, postConversion } from './support.ts';

const PUBLIC = 'https://engagement.example.com/base';
const CREATE = `mutation ($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) { endpoint { id payload } }
}`;
const UPDATE = `mutation ($id: Int!, $input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(id: $id, input: $input) { payload }
}`;
let app: TestApp;

beforeAll(async () => {
  app = await startApp({ PUBLIC_URL: `${PUBLIC}/` });
});
afterAll(() => app.stop());

describe('thin deliveries', () => {
  test('have ids and a URL that shows the rest, signed like any other', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { payload: 'thin' });
    const full = await createEndpoint(app, tenant, { url: `${receiver.url}/full` });
    const { id } = await postConversion(app, tenant, { visitor_id: 'v_secret', value: 7 });
    const requests = await receiver.waitFor(2);
    const thin = requests.find(({ envelope }) => 'url' in envelope);
    const whole = requests.find(({ envelope }) => !('url' in envelope));
    const now = Number(thin?.headers['x-svc-timestamp']);
    expect(thin && receiver.verifies(thin, endpoint.secret, now)).toBe(true);
    expect(whole && receiver.verifies(whole, full.secret, now)).toBe(true);
    const { customerId } = tenant;
    const delivery = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    const path = `${endpointsPath(customerId)}/${endpoint.id}/deliveries/${delivery.id}`;
    expect(thin?.envelope).toEqual({
      event: 'conversion.recorded',
      data: { customerId, orgId: tenant.tenant.orgId, conversationId: null, conversionEventId: id },
      ts: whole?.envelope.ts,
      url: PUBLIC + path,
    });
    const { body } = await app.request('GET', path, { key: tenant.read });
    expect(JSON.parse(String(body.payload))).toEqual(whole?.envelope);
  });

  test('are those of attempts that begin after the change, and null restores whole events', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    const patch = async (payload: unknown) =>
      (await app.request('PATCH', endpoint.path, { key: tenant.write, body: { payload } })).body.payload;
    expect(await patch('thin')).toBe('thin');
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    const { id } = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    expect(await patch(null)).toBe('full');
    await eventually(
      async () =>
        (await app.request('POST', `${endpoint.path}/deliveries/${id}/resend`, { key: tenant.write }))
          .status === 202,
    );
    await receiver.waitFor(2);
    expect(receiver.received.map(({ envelope }) => 'url' in envelope)).toEqual([true, false]);
  });

  test('work over GraphQL, and other values are refused', async () => {
    const tenant = await app.newTenant();
    const input = { url: 'https://receiver.example.com', payload: 'thin' };
    const created = await app.graphql(CREATE, { input }, tenant.write);
    const endpoint = created.body.data?.createWebhookEndpoint?.endpoint;
    expect(endpoint?.payload).toBe('thin');
    const changed = await app.graphql(UPDATE, { id: endpoint?.id, input: { payload: null } }, tenant.write);
    expect(changed.body).toEqual({ data: { updateWebhookEndpoint: { payload: 'full' } } });
    const refused = await app.request('POST', endpointsPath(tenant.customerId), {
      key: tenant.write,
      body: { ...input, payload: 'tiny' },
    });
    expect(refused).toMatchObject({ status: 422, body: { error: { details: [{ path: 'payload' }] } } });
  });
});
