import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { CHROMIUM, startBrowser, type TestBrowser } from '../support/browser.ts';
import { statisticsWith } from '../webhooks/statistics-support.ts';
import { deliveryLike, listening, postConversion } from '../webhooks/support.ts';
import { tableRows } from './locators.ts';
import { expectPhoneLayout } from './phone-support.ts';

describe.skipIf(!CHROMIUM)('the statistics of an endpoint in the console', () => {
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

  test('say what the last 24 hours brought and what waits, as charts and as a table for the keyboard', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200);
    for (let count = 0; count < 3; count += 1) await postConversion(app, tenant);
    await receiver.waitFor(3);
    receiver.behave(500);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 2, responseStatus: 500 });
    await statisticsWith(app, tenant, endpoint, { attempts: 5 });
    {
      await using tab = await browser.open(app.url, tenant.read, { path: '/webhooks' });
      await tableRows(tab.page, 'Webhook endpoints').getByText('none due; 1 scheduled for later').waitFor();
      await tab.goto(`/webhooks/${endpoint.id}`);
      await tab.page.getByText('none due; 1 scheduled for later').waitFor();
      tab.expectQuiet();
    }
    await app.request('PATCH', endpoint.path, { key: tenant.write, body: { paused: true } });
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { waitingFor: 'paused' });

    await using tab = await browser.open(app.url, tenant.read, {
      path: `/webhooks/${endpoint.id}`,
      width: 1440,
    });
    const { page } = tab;
    const card = page.locator('.mantine-Card-root').filter({ hasText: 'Last 24 hours' });
    await card.getByText('60% of 5 attempts').waitFor();
    await card.getByText('3 succeeded, 0 failed').waitFor();
    await card.getByText(/^p95 .* ms, median .* ms$/).waitFor();
    await card.getByText('1 due, until you resume the endpoint; 1 scheduled for later').waitFor();
    await card.getByText('Oldest waiting').waitFor();
    await card.getByText('First failure', { exact: true }).waitFor();
    await card.getByRole('img', { name: 'Bar chart of 5 attempts by hour, 2 failed.' }).waitFor();
    await card
      .getByRole('img', { name: /^Line chart of the duration of attempts by hour; highest/ })
      .waitFor();
    await tab.expectAccessible();

    const control = card.getByRole('button', { name: 'Show 25 hours as a table' });
    await page.getByRole('heading', { level: 1 }).focus();
    while (!(await control.evaluate((element) => element === element.ownerDocument.activeElement)))
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const rows = tableRows(card, 'Attempts by hour');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(25);
    const cells = await rows.getByRole('cell').allInnerTexts();
    // The third column, in every row.
    const failed = cells.filter((_, index) => index % 5 === 2).reduce((sum, cell) => sum + Number(cell), 0);
    expect(failed).toBe(2);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectPhoneLayout(tab);

    // The list compares the endpoints by the same figures.
    await tab.goto('/webhooks');
    const row = tableRows(page, 'Webhook endpoints').first();
    await row.getByText('60% of 5 attempts succeeded').waitFor();
    await row.getByText('1 due, until you resume the endpoint; 1 scheduled for later').waitFor();
    await expectPhoneLayout(tab);
    await page.setViewportSize({ width: 1440, height: 900 });
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('name what is not known of an endpoint without attempts', async () => {
    const { tenant, endpoint } = await listening(app);
    await using tab = await browser.open(app.url, tenant.read, { path: `/webhooks/${endpoint.id}` });
    const { page } = tab;
    await page.getByText('no attempts', { exact: true }).waitFor();
    await page.getByText('0 succeeded, 0 failed').waitFor();
    expect(await page.getByRole('img', { name: 'chart' }).count()).toBe(0);
    await tab.expectAccessible();
    tab.expectQuiet();
  });
});
