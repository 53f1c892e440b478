import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { CHROMIUM, type ConsolePage, expectFit, startBrowser, type TestBrowser } from '../support/browser.ts';

type Page = ConsolePage['page'];

const PHONE = { width: 390, height: 844 };
const MINUTE_MS = 60_000;

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const pathOf = (page: Page): string => {
  const { pathname, search } = new URL(page.url());
  return pathname + search;
};

describe.skipIf(!CHROMIUM)('sessions of the console', () => {
  let app: TestApp;
  let browser: TestBrowser;
  let tenant: TestTenant;
  let other: TestTenant;
  beforeAll(async () => {
    app = await startApp();
    browser = await startBrowser();
    tenant = await app.newTenant();
    other = await app.newTenant();
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await app.stop();
  });

  /** Address of a page for a customer. */
  const at = ({ customerId }: TestTenant, path = '') => `/console/customers/${customerId}${path}`;
  const newKey = (expiresAt: Date | null = null) =>
    app.services.keys.create({ scope: 'read', customerId: tenant.customerId, expiresAt });
  async function signIn(page: Page, key: string): Promise<void> {
    await page.getByRole('textbox', { name: 'API key' }).fill(key);
    await page.keyboard.press('Enter');
  }
  const ended = (page: Page, reason: string) => page.getByRole('status').getByText(reason);

  test('cover new tabs and links, without a trace of the key, and end in all tabs', async () => {
    await using tab = await browser.open(app.url, tenant.read, { path: '/webhooks', ...PHONE });
    await heading(tab.page, 'Webhook endpoints').waitFor();
    expect(pathOf(tab.page)).toBe(at(tenant, '/webhooks'));
    const stored = await tab.page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect(stored).not.toContain(tenant.read.slice(5));
    expect(await tab.page.context().cookies()).toEqual([
      expect.objectContaining({
        name: expect.stringMatching(/^engagement-session-/),
        path: '/',
        httpOnly: true,
        sameSite: 'Strict',
      }),
    ]);

    const second = await tab.page.context().newPage();
    await second.goto(app.url + at(tenant, '/deliveries?status=retrying'));
    await heading(second, 'Deliveries').waitFor();
    // An address without a customer leads to the key's customer.
    await second.goto(`${app.url}/console/conversations?status=active`);
    await heading(second, 'Conversations').waitFor();
    expect(pathOf(second)).toBe(at(tenant, '/conversations?status=active'));
    tab.expectQuiet();

    await second.getByRole('button', { name: 'Sign out', exact: true }).click();
    await second.getByLabel('API key').waitFor();
    expect(await second.evaluate('localStorage.getItem("engagement.session")')).toBeNull();
    await ended(tab.page, 'You signed out in another tab.').waitFor();
    await tab.expectAccessible();
    const { cookies } = await tab.page.context().storageState();
    expect(cookies).toEqual([]);

    await signIn(tab.page, tenant.read);
    await heading(tab.page, 'Webhook endpoints').waitFor();
    await heading(second, 'Overview').waitFor();
    await second.goto(app.url + at(other));
    await second.getByText(`There is no customer ${other.customerId} for this session`).waitFor();
    await second.getByRole('link', { name: 'Show your customer' }).click();
    await heading(second, 'Overview').waitFor();
    expect(pathOf(second)).toBe(at(tenant));
  });

  test('end in other browsers with "Sign out everywhere", and after 30 minutes without use', async () => {
    const { key } = await newKey();
    await using first = await browser.open(app.url, key, { path: '/webhooks', width: 1440, height: 900 });
    await using second = await browser.open(app.url, key, { path: '/my-sessions', width: 1440, height: 900 });
    await heading(first.page, 'Webhook endpoints').waitFor();
    await heading(second.page, 'Sessions').waitFor();
    await second.page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await second.page.getByLabel('API key').waitFor();
    await first.page.reload();
    await ended(first.page, 'The session was ended by a sign-out.').waitFor();

    app.clock.advance(MINUTE_MS);
    await signIn(first.page, key);
    await heading(first.page, 'Webhook endpoints').waitFor();
    app.clock.advance(30 * MINUTE_MS);
    await first.page.reload();
    await ended(first.page, 'The session has ended after 30 minutes without use.').waitFor();
  });

  test('are listed with those of other browsers, and each can be ended alone', async () => {
    const input = { scope: 'write', customerId: tenant.customerId, expiresAt: null } as const;
    const { key } = await app.services.keys.create(input);
    await using first = await browser.open(app.url, key, { path: '/webhooks', width: 1440, height: 900 });
    await using second = await browser.open(app.url, key, { path: '/webhooks', width: 1440, height: 900 });
    const { page } = second;
    await page.getByRole('link', { name: 'Sessions' }).press('Enter');
    await heading(page, 'Sessions').waitFor();
    const row = page.getByRole('row').filter({ hasText: '127.0.0.1' });
    await expect.poll(() => row.count()).toBe(2);
    await row.getByText('this session').waitFor();
    await second.expectAccessible();
    await page.setViewportSize(PHONE);
    await expectFit(page);
    await second.expectAccessible();
    await page.getByRole('button', { name: 'End the session from 127.0.0.1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
    await expect.poll(() => row.count()).toBe(1);
    await first.page.reload();
    await ended(first.page, 'The session was ended by a sign-out.').waitFor();
    second.expectQuiet();
  });

  test('that end by themselves name the reason, and sign-in returns to the page', async () => {
    const { key, apiKey } = await newKey();
    await using tab = await browser.open(app.url, key, { path: '/deliveries', width: 1440, height: 900 });
    const { page } = tab;
    await page.getByText('Live', { exact: true }).waitFor();
    // Without a click, since the live updates end with the key.
    await app.services.keys.revoke(apiKey.id);
    await ended(page, 'The API key of this session was revoked.').waitFor();
    await tab.expectAccessible();
    await page.reload();
    await ended(page, 'The API key of this session was revoked.').waitFor();

    const expiring = await newKey(new Date(app.clock.now().getTime() + 20 * MINUTE_MS));
    await signIn(page, expiring.key);
    await heading(page, 'Deliveries').waitFor();
    app.clock.advance(20 * MINUTE_MS);
    await page.reload();
    await ended(page, 'The API key of this session has expired.').waitFor();

    // The service refuses the page, as it does behind a proxy that rewrites `Host`.
    await page.route('**/console/session', (route, request) => {
      const { 'x-engagement-console': _, ...headers } = request.headers();
      return route.continue({ headers });
    });
    await signIn(page, tenant.read);
    const refused = 'Only the console of this service can start or end a session';
    await page.getByRole('alert').getByText(refused).waitFor();
    await page.unroute('**/console/session');
    await signIn(page, 'eg_r_unknown');
    await page.getByRole('alert').getByText('This API key is not valid or has expired.').waitFor();
    await signIn(page, tenant.read);
    await heading(page, 'Deliveries').waitFor();
    app.clock.advance(12 * 60 * MINUTE_MS);
    await page.reload();
    await ended(page, 'The session has expired: a session lasts 12 hours.').waitFor();
    await page.context().clearCookies();
    await page.reload();
    await ended(page, 'The browser no longer has the session').waitFor();
    await signIn(page, tenant.read);
    await heading(page, 'Deliveries').waitFor();
    expect(pathOf(page)).toBe(at(tenant, '/deliveries'));
  });

  test('of an admin keep the customer in the address, in each tab', async () => {
    const { endpoint } = await app.services.endpoints.create(tenant.tenant, {
      url: 'http://127.0.0.1:9/hook',
    });
    await using tab = await browser.open(app.url, app.admin, { path: '/webhooks' });
    const { page } = tab;
    const active = (of: Page) => of.getByRole('combobox', { name: 'Active customer' });
    async function select({ customerId }: TestTenant): Promise<void> {
      await active(page).click();
      await page.getByRole('option', { name: `(${customerId})` }).click();
    }
    await page.getByRole('heading', { name: 'Select a customer' }).waitFor();

    const second = await page.context().newPage();
    /** Selects a customer in the first tab; resolves when the second tab has processed the notification. */
    async function selectBesideSecond(customer: TestTenant): Promise<void> {
      // A tab in the background renders slowly.
      await page.bringToFront();
      const notified = second.evaluate(
        'new Promise((resolve) => addEventListener("storage", () => setTimeout(resolve, 50), { once: true }))',
      );
      await select(customer);
      await notified;
    }
    const newKeyDialog = second.getByRole('dialog').getByText(/^eg_a_\S{30,}$/);
    async function createKey(): Promise<string | null> {
      await second.bringToFront();
      await heading(second, 'API keys').waitFor();
      await second.getByRole('button', { name: 'Create key' }).click();
      await second.getByRole('radio', { name: 'Admin' }).check();
      await second.getByRole('button', { name: 'Create', exact: true }).click();
      return newKeyDialog.textContent();
    }
    await second.goto(`${app.url}/console/keys`);
    const created = await createKey();
    await selectBesideSecond(tenant);
    expect(await newKeyDialog.textContent({ timeout: 10_000 })).toBe(created);
    expect(pathOf(second)).toBe('/console/keys');

    await page.getByRole('link', { name: endpoint.url }).click();
    await heading(page, endpoint.url).waitFor();
    expect(pathOf(page)).toBe(at(tenant, `/webhooks/${endpoint.id}`));
    await page.reload();
    await heading(page, endpoint.url).waitFor();

    await second.goto(`${app.url}/console/keys`);
    const another = await createKey();
    expect(pathOf(second)).toBe(at(tenant, '/keys'));

    // The endpoint is of the first customer: the other one's list is shown.
    await selectBesideSecond(other);
    expect(await newKeyDialog.textContent({ timeout: 10_000 })).toBe(another);
    await page.getByText('No endpoints yet').waitFor();
    expect(pathOf(page)).toBe(at(other, '/webhooks'));
    await page.goBack();
    await heading(page, endpoint.url).waitFor();
    await expect
      .poll(() => active(page).inputValue(), { timeout: 10_000 })
      .toContain(`(${tenant.customerId})`);
    await page.goForward();
    await page.getByText('No endpoints yet').waitFor();
    await second.goto(app.url + at(tenant, '/deliveries'));
    await second.getByText('Live', { exact: true }).waitFor();
    let streams = 0;
    second.on('request', (request) => {
      if (request.headers().accept === 'text/event-stream') streams += 1;
    });
    await selectBesideSecond(tenant);
    expect([streams, await second.getByText('Live', { exact: true }).count()]).toEqual([0, 1]);
    await second.reload();
    await heading(second, 'Deliveries').waitFor();
    await expect
      .poll(() => active(second).inputValue(), { timeout: 10_000 })
      .toContain(`(${tenant.customerId})`);
    tab.expectQuiet();

    for (const size of [PHONE, { width: 1440, height: 900 }]) {
      await page.setViewportSize(size);
      await tab.goto('/customers/2147483647/meetings');
      await heading(page, 'Customer not found').waitFor();
      await tab.expectAccessible();
      await expectFit(page);
    }
    await page.getByRole('link', { name: 'Show all customers' }).focus();
    await page.keyboard.press('Enter');
    await heading(page, 'Customers').waitFor();
    expect(pathOf(page)).toBe(at(tenant, '/customers'));
  });
});
