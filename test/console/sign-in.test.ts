import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { CHROMIUM, startBrowser, type TestBrowser } from '../support/browser.ts';

describe.skipIf(!CHROMIUM)('the sign-in page of the console', () => {
  let app: TestApp;
  let browser: TestBrowser;
  let tenant: TestTenant;
  beforeAll(async () => {
    app = await startApp();
    browser = await startBrowser();
    tenant = await app.newTenant();
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await app.stop();
  });

  test('is the redirect target of / and accepts an API key', async () => {
    await using tab = await browser.open(app.url, null);
    await tab.page.goto(app.url);
    expect(new URL(tab.page.url()).pathname).toBe('/console');
    await tab.expectAccessible();
    await tab.page.getByLabel('API key').fill(tenant.read);
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await tab.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await tab.page.getByText(`Customer ${tenant.customerId}`).waitFor();
    tab.expectQuiet();
  });

  test('rejects an invalid key and stores nothing', async () => {
    await using tab = await browser.open(app.url, null);
    await tab.page.getByLabel('API key').fill('eg_r_unknown');
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await tab.page
      .getByRole('alert')
      .getByText('This API key is not valid or has expired.')
      .first()
      .waitFor();
    expect(await tab.page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
  });

  test('keeps the session in the tab, across a reload, until sign-out', async () => {
    await using tab = await browser.open(app.url, tenant.read);
    await tab.page.reload();
    await tab.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await tab.page.evaluate('localStorage.length')).toBe(0);
    await tab.page.getByRole('button', { name: 'Sign out' }).click();
    await tab.page.getByLabel('API key').waitFor();
    expect(await tab.page.evaluate('sessionStorage.length')).toBe(0);
  });

  test('ends the session when the key is revoked', async () => {
    const { key, apiKey } = await app.services.keys.create({
      scope: 'read',
      customerId: tenant.customerId,
      expiresAt: null,
    });
    await using tab = await browser.open(app.url, key);
    await app.services.keys.revoke(apiKey.id);
    await tab.page.reload();
    await tab.page.getByLabel('API key').waitFor();
  });

  test('lets an admin select the customer to act for', async () => {
    await using tab = await browser.open(app.url, app.admin);
    await tab.page.getByRole('heading', { name: 'Select a customer' }).waitFor();
    await tab.page.getByRole('combobox', { name: 'Active customer' }).click();
    await tab.page.getByRole('option', { name: `(${tenant.customerId})` }).click();
    await tab.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await tab.expectAccessible();
    tab.expectQuiet();
  });
});
