import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { CHROMIUM, type ConsolePage, startBrowser, type TestBrowser } from '../support/browser.ts';

describe.skipIf(!CHROMIUM)('customers and API keys on the console', () => {
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

  /** The row of a key in the table. */
  const rowOf = (tab: ConsolePage, key: string) =>
    tab.page.getByRole('row').filter({ hasText: `${key.slice(0, 11)}…` });

  const statusOf = async (key: string): Promise<number> =>
    (await app.request('GET', '/v1/conversations', { key })).status;

  test('are not offered to a tenant’s key, nor shown to it', async () => {
    const tenant = await app.newTenant();
    await using tab = await browser.open(app.url, tenant.write);
    expect(await tab.page.getByRole('link', { name: /Customers|API keys/ }).count()).toBe(0);
    for (const path of ['/customers', '/keys']) {
      await tab.page.goto(`${app.url}/console${path}`);
      await tab.page.getByText('There is nothing at this address').waitFor();
    }
    tab.expectQuiet();
  });

  test('a customer is created, refused when its number is taken, and acted for', async () => {
    const { customerId } = await app.newTenant();
    await using tab = await browser.open(app.url, app.admin);
    await tab.goto('/customers');
    const { page } = tab;
    await page.getByRole('button', { name: 'New customer' }).click();
    const dialog = page.getByRole('dialog', { name: 'New customer' });
    await dialog.getByLabel('Name').fill('Acme');
    await dialog.getByLabel('Customer number').fill(String(customerId));
    await dialog.getByLabel('Organisation').fill('org_acme');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').getByText(String(customerId)).first().waitFor();
    await tab.expectAccessible();
    await dialog.getByLabel('Customer number').fill('777001');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.waitFor({ state: 'detached' });
    const row = page.getByRole('row').filter({ hasText: '777001' });
    expect(await row.textContent()).toContain('Acme');
    expect(await row.textContent()).toContain('org_acme');
    await row.getByRole('button', { name: 'Act for Acme' }).click();
    await row.getByText('you do now').waitFor();
    const chosen = page.getByRole('combobox', { name: 'Customer to act for' });
    await expect.poll(() => chosen.inputValue()).toBe('Acme (777001)');
    await tab.expectAccessible();
    expect((await app.services.tenants.get(777001)).orgId).toBe('org_acme');
  });

  test('a key is created for a customer, shown once, and opens that customer alone', async () => {
    const { customerId } = await app.newTenant();
    await using tab = await browser.open(app.url, app.admin);
    await tab.goto('/keys');
    const { page } = tab;
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('radio', { name: 'Write' }).check();
    await page.getByRole('combobox', { name: 'Customer', exact: true }).fill(String(customerId));
    await page.getByLabel('Expires').fill('2999-12-31T12:00');
    await tab.expectAccessible();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Shown only now').waitFor();
    await page.getByRole('button', { name: 'Copy API key' }).waitFor();
    await tab.expectAccessible();
    const key =
      (await page
        .getByRole('dialog')
        .getByText(/^eg_w_\S{30,}$/)
        .textContent()) ?? '';
    expect(await statusOf(key)).toBe(200);
    await page.getByRole('button', { name: 'Done' }).click();
    const words = (await rowOf(tab, key).textContent()) ?? '';
    for (const word of ['write', String(customerId), 'active']) expect(words).toContain(word);
    expect(await page.getByText(key).count()).toBe(0);
    const [kept] = (await app.services.keys.list({ limit: 1, after: null })).edges;
    expect(kept?.node).toMatchObject({ scope: 'write', customerId });
    expect(kept?.node.expiresAt?.toISOString().slice(0, 10)).toMatch(/^2999-12-31|^3000-01-01/);
    await tab.screenshot('keys');
    tab.expectQuiet();
  });

  test('a key for an admin needs no customer; one for a customer that is not there is refused', async () => {
    await using tab = await browser.open(app.url, app.admin);
    await tab.goto('/keys');
    const { page } = tab;
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('combobox', { name: 'Customer', exact: true }).fill('nobody');
    await page.getByText('Must be a customer’s number.').waitFor();
    expect(await page.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
    await page.getByRole('combobox', { name: 'Customer', exact: true }).fill('999999');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText('999999').first().waitFor();
    await page.getByRole('radio', { name: 'Admin' }).check();
    expect(await page.getByRole('combobox', { name: 'Customer', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Create' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^eg_a_\S{30,}$/)
      .waitFor();
  });

  test('a key is revoked once that was confirmed, and opens nothing from then on', async () => {
    const tenant = await app.newTenant();
    await using tab = await browser.open(app.url, app.admin);
    await tab.goto('/keys');
    const { page } = tab;
    const row = rowOf(tab, tenant.read);
    await row.getByRole('button', { name: /^Revoke/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke this key?' });
    await tab.expectAccessible();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await statusOf(tenant.read)).toBe(200);
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await row.getByText('revoked', { exact: true }).waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
    expect(await statusOf(tenant.read)).toBe(401);
    expect(await statusOf(tenant.write)).toBe(200);
    tab.expectQuiet();
  });

  test('a key past its time is called expired', async () => {
    const { customerId } = await app.newTenant();
    const soon = new Date(Date.now() + 1_500);
    const { key } = await app.services.keys.create({ scope: 'read', customerId, expiresAt: soon });
    await new Promise((resolve) => setTimeout(resolve, soon.getTime() - Date.now() + 100));
    await using tab = await browser.open(app.url, app.admin);
    await tab.goto('/keys');
    await rowOf(tab, key).getByText('expired', { exact: true }).waitFor();
    await tab.expectAccessible();
  });

  test('the key that one is signed in with is marked, and revoking it signs out', async () => {
    const { key } = await app.services.keys.create({ scope: 'admin', customerId: null, expiresAt: null });
    await using tab = await browser.open(app.url, key);
    await tab.goto('/keys');
    const row = rowOf(tab, key);
    await row.getByText('yours').waitFor();
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await tab.page.getByText('you will be signed out').waitFor();
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await tab.page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  test('both fit on a phone', async () => {
    await using tab = await browser.open(app.url, app.admin, { width: 375, height: 800 });
    for (const [path, name] of [
      ['/customers', 'Customers'],
      ['/keys', 'API keys'],
    ] as const) {
      await tab.goto(path);
      await tab.page.getByRole('table', { name }).waitFor();
      await tab.expectAccessible();
      const overflow = 'document.documentElement.scrollWidth - window.innerWidth';
      expect(await tab.page.evaluate(overflow), path).toBeLessThanOrEqual(0);
    }
    tab.expectQuiet();
  });
});
