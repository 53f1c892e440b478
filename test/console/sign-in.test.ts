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
    const { name } = await app.services.tenants.get(tenant.customerId);
    await tab.page.getByText(`${name} (${tenant.customerId})`).waitFor();
    await tab.page.getByText('Read-only', { exact: true }).waitFor();
    await tab.expectAccessible();
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

  test('lets an admin select the customer to act for', async () => {
    await using tab = await browser.open(app.url, app.admin);
    const { page } = tab;
    await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
    const menu = page.getByRole('navigation', { name: 'Pages' });
    // No page of a customer, since none is selected.
    expect(await menu.getByRole('link', { name: /Overview|Deliveries|Meetings/ }).count()).toBe(0);
    await tab.expectAccessible();
    await page.getByRole('combobox', { name: 'Active customer' }).click();
    await page.getByRole('option', { name: `(${tenant.customerId})` }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await tab.expectAccessible();
    // The longest menu fits, with room for the switch to UTC, which a browser in UTC does not have.
    await page.setViewportSize({ width: 1280, height: 800 });
    const last = await menu.getByRole('link', { name: 'Sessions' }).boundingBox();
    expect(last && last.y + last.height).toBeLessThan(740);
    tab.expectQuiet();
  });
});
