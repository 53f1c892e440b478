import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { act, conversionsOf, pull } from '../event-feeds/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { CHROMIUM, startBrowser, type TestBrowser } from '../support/browser.ts';
import { runJob } from '../support/jobs.ts';
import { postConversion } from '../webhooks/support.ts';
import { menuLink, tableRows } from './locators.ts';
import { expectPhoneLayout, expectReachableActions, long } from './phone-support.ts';

const HOUR = 3_600_000;

describe.skipIf(!CHROMIUM)('the page of event feeds in the console', () => {
  let app: TestApp;
  let browser: TestBrowser;
  beforeAll(async () => {
    app = await startApp({ DELIVERY_RETENTION: '1h' });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await app.stop();
  });

  test('says how to create the first one', async () => {
    const tenant = await app.newTenant();
    await using tab = await browser.open(app.url, tenant.read);
    const { page } = tab;
    await menuLink(page, 'Event feeds').press('Enter');
    await page.getByText(`GET /api/v1/customers/${tenant.customerId}/event-feeds/crm?wait=20`).waitFor();
    await tab.expectAccessible();
    await page.setViewportSize({ width: 390, height: 844 });
    await expectPhoneLayout(tab);
    tab.expectQuiet();
  });

  test('names consumers and how far each feed is behind, to a read key without actions', async () => {
    const tenant = await app.newTenant();
    for (let i = 0; i < 3; i += 1) await postConversion(app, tenant);
    const { cursor } = await pull(app, tenant, '?consumer=worker-1&limit=1', 'warehouse');
    await act(app, tenant, { action: 'ack', name: 'warehouse', cursor, consumer: 'worker-1' });
    await act(app, tenant, { action: 'seek', name: long('unread', 100), to: 'end' });
    await using tab = await browser.open(app.url, tenant.read, { path: '/event-feeds', width: 1440 });
    const { page } = tab;
    const rows = tableRows(page, 'Event feeds');
    const row = rows.filter({ hasText: 'warehouse' });
    await row.getByText('2 events behind').waitFor();
    await row.getByText(/^h(olds|eld) the feed until/).waitFor();
    await rows.filter({ hasText: 'none yet' }).getByText('up to date').waitFor();
    expect(await page.getByRole('button', { name: /^(Seek|Delete)/ }).count()).toBe(0);
    await tab.expectAccessible();
    await page.setViewportSize({ width: 390, height: 844 });
    await expectPhoneLayout(tab);
    tab.expectQuiet();
  });

  test('sets positions and deletes feeds with the keyboard, once no consumer holds them, not even one with the same key', async () => {
    const tenant = await app.newTenant();
    const ids = [];
    for (let i = 0; i < 2; i += 1) ids.push(String((await postConversion(app, tenant)).id));
    const { cursor } = await pull(app, { ...tenant, read: tenant.write });
    await act(app, tenant, { action: 'ack', cursor });
    await using tab = await browser.open(app.url, tenant.write, { path: '/event-feeds', width: 390 });
    const { page } = tab;
    await page.getByText('up to date').waitFor();
    await expectReachableActions(page);
    const seek = page.getByRole('button', { name: 'Seek crm' });
    await seek.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Set position' }).press('Enter');
    await dialog.getByText(/held by the consumer key:\w+ until/).waitFor();
    await expectPhoneLayout(tab);

    app.clock.advance(16_000);
    await dialog.getByRole('radio', { name: 'Time' }).press('Space');
    expect(await dialog.getByRole('button', { name: 'Set position' }).isDisabled()).toBe(true);
    await dialog.getByLabel('From').fill('2000-01-01T00:00');
    await tab.expectAccessible();
    await dialog.getByRole('button', { name: 'Set position' }).press('Enter');
    await page.getByText('2 events behind').waitFor();
    await expect
      .poll(() => seek.evaluate((element) => element === element.ownerDocument.activeElement))
      .toBe(true);
    expect(conversionsOf(await pull(app, tenant, '?consumer=worker-2'))).toEqual(ids);

    const remove = page.getByRole('button', { name: 'Delete crm' });
    await remove.press('Enter');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
    await dialog.getByText(/held by the consumer worker-2 until/).waitFor();
    app.clock.advance(16_000);
    await dialog.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
    await page.getByText('No event feeds yet').waitFor();
    tab.expectQuiet();
  });

  test('says what retention has removed of a feed, and how to continue', async () => {
    const tenant = await app.newTenant();
    for (let i = 0; i < 3; i += 1) await postConversion(app, tenant);
    await pull(app, tenant, '?consumer=a');
    app.clock.advance(HOUR + 61_000);
    await postConversion(app, tenant);
    await pull(app, tenant, '?consumer=a');
    await runJob(app, 'webhooks.retention');
    await using tab = await browser.open(app.url, tenant.read, { path: '/event-feeds' });
    await tab.page.getByText('Retention has removed up to 3 events after it.').waitFor();
    await tab.page.getByText('1 event behind').waitFor();
    await tab.expectAccessible();
    tab.expectQuiet();
  });
});
