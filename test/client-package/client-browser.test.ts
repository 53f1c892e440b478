import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type * as Client from '../../packages/client/src/index.ts';
import { signatureHeaders } from '../../src/features/webhooks/signature/sign.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { CHROMIUM, sharedChromium } from '../support/browser.ts';
import { createEndpoint } from '../webhooks/support.ts';

const PACKAGE = resolve(import.meta.dirname, '../../packages/client');

/** A page of a customer, whose script loads the client. */
const HTML = `<!doctype html><script type="module">
  import * as engagement from '/index.js';
  globalThis.engagement = engagement;
</script>`;

interface PageGlobals {
  engagement: typeof Client;
}

describe.skipIf(!CHROMIUM)('on a page of another origin', () => {
  let build: string;
  let app: TestApp;
  let page: string;
  const server = createServer(async ({ url = '/' }, response) => {
    const isModule = /^\/[\w/-]+\.js$/.test(url);
    response.setHeader('content-type', isModule ? 'text/javascript' : 'text/html');
    response.end(isModule ? await readFile(join(build, url)) : HTML);
  });
  beforeAll(async () => {
    build = await mkdtemp(join(tmpdir(), 'engagement-client-build-'));
    const compiler = join(PACKAGE, 'node_modules/typescript/bin/tsc');
    const args = [compiler, '-p', join(PACKAGE, 'tsconfig.build.json'), '--outDir', build];
    await promisify(execFile)(process.execPath, args);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    page = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    app = await startApp({ CORS_ORIGINS: page });
  });
  afterAll(async () => {
    await app.stop();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await rm(build, { recursive: true, force: true });
  });

  test('the client sends requests, reads lists, errors and headers, and verifies webhooks', async () => {
    const tenant = await app.newTenant();
    for (const number of [1, 2, 3])
      await createEndpoint(app, tenant, { url: `http://127.0.0.1:9/${number}` });
    const payload = JSON.stringify({ event: 'outcome.marked', data: { category: 'qualified' }, ts: 1 });
    const secret = 'whsec_c2VjcmV0';
    const t = Math.floor(Date.now() / 1000);
    const signed = signatureHeaders({ secret, eventId: 'evt_1', body: payload, t });
    const tab = await (await sharedChromium()).newPage();
    onTestFinished(() => tab.close());
    await tab.goto(page);
    await tab.waitForFunction(() => 'engagement' in globalThis);

    const result = await tab.evaluate(
      async ({ options, webhook }) => {
        const { ApiError, EngagementClient, verifyWebhook } = (globalThis as unknown as PageGlobals)
          .engagement;
        const client = new EngagementClient(options);
        const event = { type: 'conversion', goal: 'demo_booked', visitor_id: 'v_browser' };
        const key = { idempotencyKey: 'order-17' };
        const first = await client.preview.events.create(event, key);
        const {
          data: second,
          headers,
          requestId,
        } = await client.preview.events.create(event, key).withResponse();
        const urls: string[] = [];
        for await (const { url } of client.webhookEndpoints.list({ limit: 2 })) urls.push(url);
        const error = await client.webhookEndpoints.get(0).catch((reason: unknown) => reason);
        const verified = await verifyWebhook(webhook);
        return {
          repeated: first.id === second.id,
          replayed: headers.get('idempotent-replayed'),
          requestId,
          urls,
          code: error instanceof ApiError && error.code,
          verified: verified.event === 'outcome.marked' && [verified.id, verified.data.category],
        };
      },
      {
        options: { baseUrl: app.url, apiKey: tenant.write, customerId: tenant.customerId },
        webhook: { payload, headers: signed, secret },
      },
    );

    expect(result).toEqual({
      repeated: true,
      replayed: 'true',
      requestId: expect.stringMatching(/^[\w.-]+$/),
      urls: [3, 2, 1].map((number) => `http://127.0.0.1:9/${number}`),
      code: 'NOT_FOUND',
      verified: ['evt_1', 'qualified'],
    });
  });
});
