import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { CHROMIUM, startBrowser, type TestBrowser } from '../support/browser.ts';
import { endpointsPath } from '../webhooks/support.ts';

describe.skipIf(!CHROMIUM)('the audit log on the console', () => {
  let app: TestApp;
  let browser: TestBrowser;
  beforeAll(async () => {
    app = await startApp();
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await app.stop();
  });

  test('shows acts with their changes, and filters them by act', async () => {
    const tenant = await app.newTenant();
    const path = endpointsPath(tenant.customerId);
    const body = { url: 'https://receiver.example.com' };
    const created = await app.request('POST', path, { key: tenant.write, body });
    const { id } = created.body.endpoint as unknown as { id: number };
    await app.request('PATCH', `${path}/${id}`, { key: tenant.write, body: { paused: true } });

    await using tab = await browser.open(app.url, tenant.read, { path: '/audit' });
    const { page } = tab;
    const row = page.getByRole('row').filter({ hasText: 'updateWebhookEndpoint' });
    await row.getByText('paused: false → true').waitFor();
    await row.getByText(`key ${tenant.write.slice(0, 11)}…`).waitFor();
    await tab.expectAccessible();
    await page.getByRole('searchbox', { name: 'Act' }).fill('createWebhookEndpoint');
    await row.waitFor({ state: 'detached' });
    expect(await page.getByRole('row').filter({ hasText: 'createWebhookEndpoint' }).count()).toBe(1);
    await page.getByRole('searchbox', { name: 'Act' }).fill('nothing');
    await page.getByText('No matching entries').waitFor();
    await tab.expectAccessible();
    await page.getByRole('searchbox', { name: 'Act' }).fill('createWebhookEndpoint');
    await page.getByRole('link', { name: String(id), exact: true }).click();
    await page.getByRole('heading', { name: 'receiver.example.com' }).waitFor();
    tab.expectQuiet();
  });
});
