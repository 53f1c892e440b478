import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { CHROMIUM, expectFit, startBrowser, type TestBrowser } from '../support/browser.ts';
import { createEndpoint, deliveryLike, listening, postConversion, setEnabled } from '../webhooks/support.ts';
import { tableRows } from './locators.ts';
import { expectPhoneLayout } from './phone-support.ts';

const DAY_MS = 86_400_000;

describe.skipIf(!CHROMIUM)('the list of webhook endpoints', () => {
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

  test('begins with the endpoints that need attention, each with its problem, and has the newest first otherwise', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500, { description: 'Failing' });
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 2 });
    const create = (description: string) =>
      createEndpoint(app, tenant, { url: receiver.url, description, events: ['handoff.requested'] });
    const set = ({ id }: { id: number }, fields: Record<string, unknown>) =>
      app.models.Endpoint.updateOne({ customerId: tenant.customerId, id }, { $set: fields });
    const since = app.clock.now();
    const probeAt = new Date(since.getTime() + DAY_MS);
    await set(await create('Down'), {
      circuit: { state: 'open', since, reason: 'timeout', probeAt, failedProbes: 0 },
    });
    await set(await create('Gone'), { enabled: false, disabledReason: 'gone' });
    await create('Healthy');
    await setEnabled(app, tenant, await create('Disabled on purpose'), false);
    await create('Newest');

    await using tab = await browser.open(app.url, tenant.read, { path: '/webhooks', width: 1440 });
    const { page } = tab;
    const rows = tableRows(page, 'Webhook endpoints');
    const names = async () =>
      (await rows.getByRole('link').and(page.locator('[href*="/webhooks/"]')).allInnerTexts()).map(
        (text) => text.split('\n')[0],
      );
    await page.getByText('3 of 6 endpoints need attention, listed first.').waitFor();
    expect(await names()).toEqual(['Gone', 'Down', 'Failing', 'Newest', 'Disabled on purpose', 'Healthy']);
    const row = (name: string) => rows.filter({ has: page.getByRole('link', { name }) });
    await row('Gone').getByText('by its receiver').waitFor();
    await row('Down').getByText('not accepting', { exact: true }).waitFor();
    await row('Down').getByText('Endpoint failing now (Timed out)').waitFor();
    await row('Down').getByText('One delivery at a time is tried').waitFor();
    await row('Failing').getByText('Endpoint failing now (HTTP 500)').waitFor();
    expect(await rows.getByText('failing now').count()).toBe(2);
    await tab.expectAccessible();
    await expectFit(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await tab.expectAccessible();
    await expectPhoneLayout(tab);

    await row('Down').getByRole('link', { name: 'Down' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Its receiver accepts no deliveries' });
    await alert.getByText('One delivery at a time is tried, at least every minute').waitFor();
    await page.getByText('not accepting', { exact: true }).waitFor();
    expect(await page.getByText(/circuit/i).count()).toBe(0);
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('says nothing of attention while no endpoint needs it', async () => {
    const { tenant } = await listening(app, 200, { description: 'Our CRM' });
    await using tab = await browser.open(app.url, tenant.read, { path: '/webhooks' });
    await tableRows(tab.page, 'Webhook endpoints').getByText('Our CRM').waitFor();
    expect(await tab.page.getByText('attention').count()).toBe(0);
    tab.expectQuiet();
  });

  test('loads 50 endpoints, as many as a customer can have, within the limit of cost', async () => {
    const { tenant, receiver } = await listening(app, 200, { description: 'Oldest' });
    for (let count = 1; count < 50; count += 1)
      await createEndpoint(app, tenant, { url: receiver.url, events: ['handoff.requested'] });
    await using tab = await browser.open(app.url, tenant.read, { path: '/webhooks' });
    await expect.poll(() => tableRows(tab.page, 'Webhook endpoints').count()).toBe(50);
    tab.expectQuiet();
  });
});
