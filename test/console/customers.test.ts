import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startConversation } from '../conversations/support.ts';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { CHROMIUM, type ConsolePage, startBrowser, type TestBrowser } from '../support/browser.ts';
import { deliveryLike, listening, postConversion } from '../webhooks/support.ts';
import { expectPhoneLayout } from './phone-support.ts';

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

  test('are hidden from the key of a customer', async () => {
    const tenant = await app.newTenant();
    await using tab = await browser.open(app.url, tenant.write);
    expect(await tab.page.getByRole('link', { name: /Customers|API keys/ }).count()).toBe(0);
    for (const path of ['/customers', '/keys']) {
      await tab.page.goto(`${app.url}/console${path}`);
      await tab.page.getByText('There is no page at this address').waitFor();
    }
    tab.expectQuiet();
  });

  test('are listed with their health, which leads to their overview', async () => {
    const healthy = await listening(app);
    const failing = await listening(app, 410);
    await postConversion(app, failing.tenant);
    await deliveryLike(app, failing.tenant, failing.endpoint, { status: 'failed' });
    const idle = await app.newTenant();
    await using tab = await browser.open(app.url, app.admin, { width: 1440 });
    const { page } = tab;
    const healthOf = ({ customerId }: { customerId: number }) =>
      page
        .getByRole('row')
        .filter({ hasText: `${customerId}` })
        .getByRole('link');
    await healthOf(healthy.tenant).getByText('ok', { exact: true }).waitFor();
    await healthOf(idle).getByText('no endpoints').waitFor();
    await healthOf(failing.tenant).getByText('1 endpoint disabled').waitFor();
    await healthOf(failing.tenant).getByText('failed deliveries in 24 hours').waitFor();
    await app.services.tenants.suspend(healthy.tenant.customerId);
    await page.reload();
    await healthOf(healthy.tenant).getByText('deliveries held').waitFor();
    await app.services.tenants.resume(healthy.tenant.customerId);
    await tab.expectAccessible();
    await page.setViewportSize({ width: 390, height: 844 });
    await expectPhoneLayout(tab);
    await healthOf(failing.tenant).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/customers/${failing.tenant.customerId}`);
    tab.expectQuiet();
  });

  test('creates a customer, rejects a duplicate ID, and switches to the customer', async () => {
    const { customerId } = await app.newTenant();
    await using tab = await browser.open(app.url, app.admin, { path: '/customers' });
    const { page } = tab;
    await page.getByRole('button', { name: 'Create customer' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create customer' });
    await dialog.getByLabel('Name').fill('Acme');
    await dialog.getByLabel('Customer ID').fill(String(customerId));
    await dialog.getByLabel('Organization ID').fill('org_acme');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').getByText(String(customerId)).first().waitFor();
    await tab.expectAccessible();
    await dialog.getByLabel('Customer ID').fill('777001');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.waitFor({ state: 'detached' });
    const row = page.getByRole('row').filter({ hasText: '777001' });
    expect(await row.textContent()).toContain('Acme');
    expect(await row.textContent()).toContain('org_acme');
    await row.getByRole('button', { name: 'Switch to Acme' }).click();
    await row.getByText('active', { exact: true }).waitFor();
    const selected = page.getByRole('combobox', { name: 'Active customer' });
    await expect.poll(() => selected.inputValue()).toBe('Acme (777001)');
    await tab.expectAccessible();
    expect((await app.services.tenants.get(777001)).orgId).toBe('org_acme');
  });

  test('creates a key for a customer, and shows it once', async () => {
    const { customerId } = await app.newTenant();
    await using tab = await browser.open(app.url, app.admin, { path: '/keys' });
    const { page } = tab;
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('radio', { name: 'Write' }).check();
    await page.getByRole('combobox', { name: 'Customer', exact: true }).fill(String(customerId));
    await page.getByLabel('Expires').fill('2999-12-31T12:00');
    await tab.expectAccessible();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Copy the key now').waitFor();
    await page.getByRole('button', { name: 'Copy API key' }).waitFor();
    await tab.expectAccessible();
    const key =
      (await page
        .getByRole('dialog')
        .getByText(/^eg_w_\S{30,}$/)
        .textContent()) ?? '';
    expect(await statusOf(key)).toBe(200);
    await page.getByRole('button', { name: 'Done' }).click();
    const text = (await rowOf(tab, key).textContent()) ?? '';
    for (const part of ['write', String(customerId), 'active']) expect(text).toContain(part);
    expect(await page.getByText(key).count()).toBe(0);
    const [stored] = (await app.services.keys.list({ limit: 1, after: null })).edges;
    expect(stored?.node).toMatchObject({ scope: 'write', customerId });
    expect(stored?.node.expiresAt?.toISOString().slice(0, 10)).toMatch(/^2999-12-31|^3000-01-01/);
    tab.expectQuiet();
  });

  test('creates a limited key, finds it by its name, and rotates it', async () => {
    const { customerId } = await app.newTenant();
    const name = `CRM sync of ${customerId}`;
    await using tab = await browser.open(app.url, app.admin, { path: '/keys' });
    const { page } = tab;
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('radio', { name: 'Write' }).check();
    await page.getByRole('combobox', { name: 'Customer', exact: true }).fill(String(customerId));
    await page.getByLabel('Key name').fill(name);
    await page.getByRole('checkbox', { name: 'events' }).check();
    await page.getByLabel('Client networks').fill('127.0.0.0/8, 192.0.2.1');
    await tab.expectAccessible();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('searchbox', { name: 'Search keys' }).fill(name.toLowerCase());
    const row = page.getByRole('row').filter({ hasText: name });
    await expect.poll(() => row.count()).toBe(1);
    const text = (await row.textContent()) ?? '';
    for (const part of ['events', '127.0.0.0/8, 192.0.2.1/32', 'active']) expect(text).toContain(part);
    await row.getByRole('button', { name: /^Rotate/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Rotate this API key?' });
    await tab.expectAccessible();
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByText('Copy the key now').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => row.count()).toBe(2);
  });

  test('suspends a customer, and lifts the suspension', async () => {
    const tenant = await app.newTenant();
    await using tab = await browser.open(app.url, app.admin, { path: '/customers' });
    const { page } = tab;
    const row = page.getByRole('row').filter({ hasText: tenant.tenant.name });
    await row.getByRole('button', { name: /^Suspend/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend', exact: true }).click();
    await row.getByText('suspended', { exact: true }).waitFor();
    expect(await statusOf(tenant.read)).toBe(403);
    await tab.expectAccessible();
    await row.getByRole('button', { name: /^Lift/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Lift suspension', exact: true }).click();
    await row.getByText('enabled', { exact: true }).waitFor();
    expect(await statusOf(tenant.read)).toBe(200);
  });

  test('deletes a customer once its ID is entered, and shows the progress until the receipt', async () => {
    const tenant = await app.newTenant();
    await startConversation(app, tenant);
    const { customerId } = tenant;
    await using tab = await browser.open(app.url, app.admin, { path: '/customers', width: 1440 });
    const { page } = tab;
    const isDeleting = async () => (await app.models.Tenant.findOne({ customerId }))?.deletion !== undefined;
    const expectUsable = async () => {
      await tab.expectAccessible();
      await page.setViewportSize({ width: 390, height: 844 });
      await expectPhoneLayout(tab);
      await page.setViewportSize({ width: 1440, height: 800 });
    };
    const row = page.getByRole('row').filter({ hasText: tenant.tenant.name });
    await row.getByRole('button', { name: /^Delete/ }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete this customer?' });
    await dialog.getByText(/conversations: 1/).waitFor();
    const field = dialog.getByLabel('Customer ID');
    await expect.poll(() => page.evaluate('document.activeElement.inputMode')).toBe('numeric');
    const confirm = dialog.getByRole('button', { name: 'Delete customer' });
    expect(await confirm.isDisabled()).toBe(true);
    await field.fill(`${customerId}1`);
    await field.press('Enter');
    expect(await confirm.isDisabled()).toBe(true);
    await expectUsable();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await isDeleting()).toBe(false);

    await row.getByRole('button', { name: /^Delete/ }).click();
    await field.fill(String(customerId));
    await field.press('Enter');
    const progress = page.getByRole('dialog', { name: `Deletion of ${tenant.tenant.name}` });
    await progress.getByText('running', { exact: true }).waitFor();
    expect(await isDeleting()).toBe(true);
    expect(await statusOf(tenant.read)).toBe(403);
    await expectUsable();
    await page.keyboard.press('Escape');
    await row.getByText('being deleted', { exact: true }).waitFor();
    await row.getByRole('button', { name: /^Show deletion/ }).click();
    await eventually(async () => {
      app.clock.advance(5_000);
      return (await progress.getByText('completed', { exact: true }).count()) > 0 || undefined;
    }, 60_000);
    await progress.getByText(/conversations: 1/).waitFor();
    await expectUsable();
    await page.keyboard.press('Escape');
    await expect.poll(() => row.count()).toBe(0);
    expect(await statusOf(tenant.read)).toBe(401);
    tab.expectQuiet();
  });

  test('does not delete the customer that it shows', async () => {
    const { customerId, tenant } = await app.newTenant();
    await using tab = await browser.open(app.url, app.admin, { path: `/customers/${customerId}/customers` });
    const { page } = tab;
    await page
      .getByRole('row')
      .filter({ hasText: tenant.name })
      .getByRole('button', { name: /^Delete/ })
      .click();
    await page.getByRole('dialog').getByText('Switch to another one first').waitFor();
    expect(await page.getByRole('button', { name: 'Delete customer' }).count()).toBe(0);
  });

  test('requires an existing customer, except for an admin key', async () => {
    await using tab = await browser.open(app.url, app.admin, { path: '/keys' });
    const { page } = tab;
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('combobox', { name: 'Customer', exact: true }).fill('unknown');
    await page.getByText('The customer ID must be a number.').waitFor();
    expect(await page.getByRole('button', { name: 'Create', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('combobox', { name: 'Customer', exact: true }).fill('999999');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('dialog').getByRole('alert').getByText('999999').first().waitFor();
    await page.getByRole('radio', { name: 'Admin' }).check();
    expect(await page.getByRole('combobox', { name: 'Customer', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page
      .getByRole('dialog')
      .getByText(/^eg_a_\S{30,}$/)
      .waitFor();
  });

  test('revokes a key after confirmation', async () => {
    const tenant = await app.newTenant();
    await using tab = await browser.open(app.url, app.admin, { path: '/keys' });
    const { page } = tab;
    const row = rowOf(tab, tenant.read);
    await row.getByRole('button', { name: /^Revoke/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke this API key?' });
    await tab.expectAccessible();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await statusOf(tenant.read)).toBe(200);
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await row.getByText('revoked', { exact: true }).waitFor();
    expect(await row.getByRole('button', { name: /^Revoke/ }).count()).toBe(0);
    expect(await statusOf(tenant.read)).toBe(401);
    expect(await statusOf(tenant.write)).toBe(200);
    tab.expectQuiet();
  });

  test('shows a key as expired after its expiry time', async () => {
    const { customerId } = await app.newTenant();
    const soon = new Date(app.clock.now().getTime() + 60_000);
    const { key } = await app.services.keys.create({ scope: 'read', customerId, expiresAt: soon });
    app.clock.advance(60_100);
    await using tab = await browser.open(app.url, app.admin, { path: '/keys' });
    await rowOf(tab, key).getByText('expired', { exact: true }).waitFor();
    await tab.expectAccessible();
  });

  test('marks the key of the session, and signs out when it is revoked', async () => {
    const { key } = await app.services.keys.create({ scope: 'admin', customerId: null, expiresAt: null });
    await using tab = await browser.open(app.url, key, { path: '/keys' });
    const row = rowOf(tab, key);
    await row.getByText('this session').waitFor();
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await tab.page.getByText('will be signed out').waitFor();
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await tab.page.getByRole('button', { name: 'Sign in' }).waitFor();
  });
});
