import { afterEach, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { type RestRequest, sendRest } from '../support/rest.ts';

const TOKEN = 'scrape-token-0123456789';

let app: TestApp | null = null;
afterEach(async () => {
  await app?.stop();
  app = null;
});

/** Starts a process and returns a function that sends GET requests to its second listener. */
async function start(env: Record<string, string>) {
  app = await startApp({ METRICS_PORT: '0', ...env });
  const url = app.probesUrl;
  if (!url) throw new Error('the process has no second listener');
  return (path: string, options?: RestRequest) => sendRest(url, 'GET', path, options);
}

describe('METRICS_PORT', () => {
  test('opens the only listener of a worker, with metrics and health', async () => {
    const get = await start({ ROLE: 'worker' });
    const metrics = await get('/metrics');
    expect(metrics.status).toBe(200);
    expect(metrics.text).toContain('engagement_webhook_queue_depth{');
    const health = await get('/api/health');
    expect(health.status).toBe(200);
    expect(JSON.parse(health.text)).toMatchObject({ database: { status: 'up' } });
    for (const path of [
      '/',
      '/graphql',
      '/v1/events',
      '/v1/openapi.json',
      '/console',
      '/api/drift.getStatus',
    ])
      expect((await get(path)).status).toBe(404);
  });

  test('closes with the process', async () => {
    const get = await start({ ROLE: 'worker' });
    expect((await get('/api/health')).status).toBe(200);
    await app?.stop();
    app = null;
    await expect(get('/api/health')).rejects.toThrow(/ECONNREFUSED/);
  });

  test('requires the metrics token on an address that is not loopback', async () => {
    const get = await start({ ROLE: 'worker', HOST: '0.0.0.0', METRICS_TOKEN: TOKEN });
    expect((await get('/metrics')).status).toBe(401);
    expect((await get('/metrics', { key: TOKEN })).status).toBe(200);
    expect((await get('/api/health')).status).toBe(200);
  });

  test('serves health only with METRICS=off', async () => {
    const get = await start({ METRICS: 'off' });
    expect((await get('/metrics')).status).toBe(404);
    expect((await get('/api/health')).status).toBe(200);
  });

  test('is a second listener in the other roles, and none if it is unset', async () => {
    const get = await start({ ROLE: 'api' });
    expect((await get('/metrics')).status).toBe(200);
    expect((await app?.request('GET', '/metrics'))?.status).toBe(200);
    await app?.stop();
    app = await startApp();
    expect(app.probesUrl).toBeNull();
  });
});
