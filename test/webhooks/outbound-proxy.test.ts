import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { connectedTenant, connector } from '../meetings/support.ts';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { type ConnectProxy, startConnectProxy } from '../support/connect-proxy.ts';
import { readMetrics } from '../support/metrics.ts';
import {
  createEndpoint,
  deliveriesOf,
  deliveryLike,
  endpointsPath,
  listening,
  postConversion,
} from './support.ts';

const CREDENTIALS = 'service:pr0xy-s3cret';

/** The service behind a proxy. */
async function startBehind(
  proxy: ConnectProxy,
  { credentials = '', ...env }: Record<string, string> = {},
): Promise<TestApp> {
  const app = await startApp({
    OUTBOUND_PROXY: `http://${credentials && `${credentials}@`}127.0.0.1:${proxy.port}`,
    ...env,
  });
  onTestFinished(() => app.stop());
  return app;
}

const healthOf = async (app: TestApp) => (await app.request('GET', '/api/health')).body;

describe('deliveries behind a proxy', () => {
  test('pass through it with its credentials, and the token requests of their endpoints as well', async () => {
    const proxy = await startConnectProxy({ credentials: CREDENTIALS });
    const app = await startBehind(proxy, { credentials: CREDENTIALS });
    const tokens = createServer((request, response) =>
      request.resume().on('end', () => response.end('{"access_token":"t-1","token_type":"Bearer"}')),
    );
    await new Promise<void>((resolve) => tokens.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void tokens.close());
    const tokenPort = (tokens.address() as AddressInfo).port;
    const { tenant, endpoint, receiver } = await listening(app, 200, {
      authentication: {
        oauth2: { tokenUrl: `http://127.0.0.1:${tokenPort}/token`, clientId: 'c', clientSecret: 's' },
      },
    });
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded', attempt: 1 });
    expect(receiver.received[0]?.headers).toMatchObject({ authorization: 'Bearer t-1' });
    expect(receiver.received[0]?.headers).not.toHaveProperty('proxy-authorization');
    expect(proxy.requests.map(({ target }) => target)).toEqual([
      `127.0.0.1:${tokenPort}`,
      new URL(receiver.url).host,
    ]);
    expect(await healthOf(app)).toMatchObject({ outboundProxy: { status: 'up', error: null } });
  });

  test('are sent without it to the targets of NO_PROXY', async () => {
    const proxy = await startConnectProxy();
    const app = await startBehind(proxy, { NO_PROXY: 'example.com,127.0.0.0/8' });
    const { tenant, receiver } = await listening(app);
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    expect(proxy.requests).toEqual([]);
  });
});

test('requests to the meeting provider pass through the proxy', async () => {
  const proxy = await startConnectProxy();
  const { app, provider } = await connector({ count: 1 }, { OUTBOUND_PROXY: proxy.url });
  await connectedTenant(app);
  expect(provider.requests.length).toBeGreaterThan(0);
  expect(proxy.requests[0]?.target).toBe(new URL(provider.url).host);
});

describe('a failure of the proxy', () => {
  test('is no attempt: deliveries wait, nothing is charged to the endpoint, and they arrive afterwards', async () => {
    const proxy = await startConnectProxy();
    const app = await startBehind(proxy);
    const { tenant, endpoint, receiver } = await listening(app);
    const observer = await createEndpoint(app, tenant, {
      url: receiver.url,
      events: ['endpoint.failing', 'endpoint.disabled', 'delivery.exhausted'],
    });
    await proxy.stop();
    for (let i = 0; i < 12; i += 1) await postConversion(app, tenant);

    const delivery = await deliveryLike(app, tenant, endpoint, { error: 'proxy_refused' });
    expect(delivery).toMatchObject({
      status: 'pending',
      attempt: 0,
      responseStatus: null,
      lastAttemptAt: null,
    });
    const waitMs = Date.parse(delivery.nextRetryAt ?? '') - app.clock.now().getTime();
    expect(waitMs).toBeLessThan(30_000);
    const { body } = await app.request('GET', `${endpoint.path}/deliveries/${delivery.id}`, {
      key: tenant.read,
    });
    expect(body.attempts).toEqual([]);
    expect(await healthOf(app)).toMatchObject({
      status: 'degraded',
      outboundProxy: { status: 'down', error: 'proxy_refused' },
    });
    const metrics = await readMetrics(app);
    const failures = { outcome: 'proxy_refused' };
    expect(metrics.value('engagement_outbound_proxy_tunnels_total', failures)).toBeGreaterThanOrEqual(12);

    await proxy.restart();
    await receiver.waitFor(12);
    await eventually(async () => {
      const found = await deliveriesOf(app, tenant, endpoint, '?limit=200');
      return found.every(({ status, attempt, error }) => status === 'succeeded' && attempt === 1 && !error);
    });
    expect(await deliveriesOf(app, tenant, observer)).toEqual([]);
    const stored = await app.models.Endpoint.findOne({ id: endpoint.id }).lean();
    expect(stored).toMatchObject({ enabled: true, failures: 0 });
    expect(stored?.failingSince ?? null).toBeNull();
    expect(await healthOf(app)).toMatchObject({ outboundProxy: { status: 'up' } });
  });

  test('keeps the attempts that the receiver has refused, and a resend', async () => {
    const proxy = await startConnectProxy();
    const app = await startBehind(proxy);
    let answers = 0;
    const { tenant, endpoint, receiver } = await listening(app, () => {
      answers += 1;
      if (answers === 1) proxy.behave('close');
      return { status: answers === 1 ? 500 : 200, headers: { connection: 'close' } };
    });
    await postConversion(app, tenant);
    const waiting = await deliveryLike(app, tenant, endpoint, { error: 'proxy_closed' });
    expect(waiting).toMatchObject({ status: 'retrying', attempt: 1 });
    proxy.behave('tunnel');
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded', attempt: 2 });

    proxy.behave(407);
    await app.request('POST', `${endpoint.path}/deliveries/${waiting.id}/resend`, { key: tenant.write });
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded', error: 'proxy_authentication' });
    proxy.behave('tunnel');
    await receiver.waitFor(3);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded', error: null, attempt: 2 });
  });

  test('does not end the deliveries of an endpoint that is down behind a proxy that works', async () => {
    const proxy = await startConnectProxy();
    const app = await startBehind(proxy, { WEBHOOK_RETRY_DELAYS: '1s,1s,1s' });
    const { tenant, endpoint, receiver } = await listening(app);
    await receiver.stop();
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'failed', attempt: 5, error: 'connection_refused' });
    expect(await healthOf(app)).toMatchObject({ outboundProxy: { status: 'up' } });
  });

  test('makes the verification of a URL a 503, and appears in the log without the credentials', async () => {
    const proxy = await startConnectProxy({ credentials: 'other:credentials' });
    const lines: string[] = [];
    const app = await startApp(
      {
        OUTBOUND_PROXY: `http://${CREDENTIALS}@127.0.0.1:${proxy.port}`,
        WEBHOOK_VERIFICATION: 'required',
      },
      { log: createLogger('trace', { write: (line) => void lines.push(line) }) },
    );
    onTestFinished(() => app.stop());
    const tenant = await app.newTenant();
    const { status, body } = await app.request('POST', endpointsPath(tenant.customerId), {
      key: tenant.write,
      body: { url: 'http://127.0.0.1:9/hooks' },
    });
    expect([status, body.error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(body.error?.message).toContain('proxy_authentication');
    expect(lines.join('')).toContain('outbound proxy failed');
    for (const secret of ['pr0xy-s3cret', Buffer.from(CREDENTIALS).toString('base64')]) {
      expect(lines.join('')).not.toContain(secret);
      expect(JSON.stringify(body)).not.toContain(secret);
    }
  });
});
