import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { createEndpoint, deliveryLike, endpointsPath, postConversion, receiving } from './support.ts';

const UPDATE = `mutation ($id: Int!, $input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(id: $id, input: $input) { url }
}`;

async function start(env: Record<string, string> = {}): Promise<TestApp> {
  const app = await startApp(env);
  onTestFinished(() => app.stop());
  return app;
}

test('an endpoint with the port of another protocol is refused at creation and at a change', async () => {
  const app = await start();
  const tenant = await app.newTenant();
  const endpoint = await createEndpoint(app, tenant, { url: 'https://receiver.example.com/hooks' });
  const requests = [
    ['POST', endpointsPath(tenant.customerId)],
    ['PATCH', endpoint.path],
  ] as const;
  for (const port of [22, 25, 6379]) {
    const url = `https://receiver.example.com:${port}/hooks`;
    const problem = { path: 'url', message: expect.stringContaining(`must not use port ${port}:`) };
    for (const [method, path] of requests) {
      const { status, body } = await app.request(method, path, { key: tenant.write, body: { url } });
      expect([status, body.error?.details]).toEqual([422, [problem]]);
    }
    const { body } = await app.graphql(UPDATE, { id: endpoint.id, input: { url } }, tenant.write);
    expect(body.errors?.[0]?.extensions?.code).toBe('VALIDATION_FAILED');
  }
});

test('WEBHOOK_BLOCKED_PORTS replaces the list, and blocks the deliveries of endpoints that exist', async () => {
  const env = { MONGODB_URI: freshDatabase(), CONNECTOR_ENCRYPTION_KEY: randomBytes(32).toString('hex') };
  const receiver = await receiving();
  const before = await startApp({ ...env, WEBHOOK_BLOCKED_PORTS: 'none' });
  const tenant = await before.newTenant();
  const endpoint = await createEndpoint(before, tenant, { url: receiver.url });
  await createEndpoint(before, tenant, {
    url: 'https://receiver.example.com:6379/',
    events: ['outcome.marked'],
  });
  await before.stop();

  const app = await start({ ...env, WEBHOOK_BLOCKED_PORTS: new URL(receiver.url).port });
  await postConversion(app, tenant);

  await deliveryLike(app, tenant, endpoint, { error: 'blocked_port', responseStatus: null });
  expect(receiver.received).toEqual([]);
});
