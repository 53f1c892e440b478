import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { CHROMIUM, startBrowser, type TestBrowser } from '../support/browser.ts';

describe.skipIf(!CHROMIUM)('signing in to the console', () => {
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

  test('is where / leads to, and takes an API key', async () => {
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

  test('says so in words when the key does not work, and keeps nothing', async () => {
    await using tab = await browser.open(app.url, null);
    await tab.page.getByLabel('API key').fill('eg_r_nobody');
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await tab.page.getByRole('alert').getByText('The key does not work').waitFor();
    expect(await tab.page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
  });

  test('lasts for the tab alone, through a reload, until one signs out or the key is revoked', async () => {
    await using tab = await browser.open(app.url, tenant.read);
    await tab.page.reload();
    await tab.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await tab.page.evaluate('localStorage.length')).toBe(0);
    await tab.page.getByRole('button', { name: 'Sign out' }).click();
    await tab.page.getByLabel('API key').waitFor();
    expect(await tab.page.evaluate('sessionStorage.length')).toBe(0);
  });

  test('ends when the key is revoked', async () => {
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

  test('lets an admin choose whom to act for', async () => {
    await using tab = await browser.open(app.url, app.admin);
    await tab.page.getByRole('heading', { name: 'Choose a customer' }).waitFor();
    await tab.page.getByRole('combobox', { name: 'Customer to act for' }).click();
    await tab.page.getByRole('option', { name: `(${tenant.customerId})` }).click();
    await tab.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('works on a phone, with the menu folded away', async () => {
    await using tab = await browser.open(app.url, tenant.read, { width: 375, height: 800 });
    await tab.page.getByRole('button', { name: 'Menu' }).click();
    await tab.page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'Conversations' })
      .click();
    await tab.expectAccessible();
    const overflow = await tab.page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  });
});
