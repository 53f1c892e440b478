import { expect, onTestFinished, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { createEndpoint, endpointsPath } from './support.ts';

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
    const problem = { path: 'url', message: expect.stringContaining(`must not use port ${port},`) };
    for (const [method, path] of requests) {
      const { status, body } = await app.request(method, path, { key: tenant.write, body: { url } });
      expect([status, body.error?.details]).toEqual([422, [problem]]);
    }
    const { body } = await app.graphql(UPDATE, { id: endpoint.id, input: { url } }, tenant.write);
    expect(body.errors?.[0]?.extensions?.code).toBe('VALIDATION_FAILED');
  }
}, 60_000);
