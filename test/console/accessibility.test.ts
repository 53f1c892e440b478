import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { append, startConversation } from '../conversations/support.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { CHROMIUM, expectFit, startBrowser, type TestBrowser } from '../support/browser.ts';
import { createEndpoint } from '../webhooks/support.ts';
import { type Focused, focused } from './keyboard-support.ts';

const STARTED_AT = '2025-01-15T14:30:05Z';
const VISITOR = 'v_grace';
const ENDPOINT_URL = 'https://example.com/hooks';

/** The browser is German, in New York, and has a touch screen. */
describe.skipIf(!CHROMIUM)('the console with a keyboard, a screen reader and a touch screen', () => {
  let app: TestApp;
  let browser: TestBrowser;
  let tenant: TestTenant;
  let conversationPath: string;
  let endpointPath: string;

  beforeAll(async () => {
    app = await startApp();
    browser = await startBrowser({ locale: 'de-DE', timezoneId: 'America/New_York', hasTouch: true });
    tenant = await app.newTenant();
    const { id } = await startConversation(app, tenant, { visitorId: VISITOR, startedAt: STARTED_AT });
    await append(app, tenant, id, [{ role: 'visitor', text: 'Hello' }]);
    conversationPath = `/conversations/${id}`;
    endpointPath = `/webhooks/${(await createEndpoint(app, tenant, { url: ENDPOINT_URL })).id}`;
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await app.stop();
  });

  const expectFocus = (page: Page, expected: Partial<Focused>) =>
    expect.poll(() => focused(page)).toMatchObject(expected);

  test('a route change moves the focus to the heading, which names the page; other changes do not', async () => {
    await using tab = await browser.open(app.url, tenant.write, { path: '/conversations' });
    const { page } = tab;
    await page.getByRole('link', { name: VISITOR }).waitFor();
    expect(await focused(page)).toMatchObject({ tag: 'BODY' });
    const title = () => page.title();
    expect(await title()).toBe('Conversations · Engagement console');

    await page.keyboard.press('Tab');
    await expectFocus(page, { tag: 'A', text: 'Skip to content', isVisible: true });
    await tab.expectAccessible();
    await page.keyboard.press('Enter');
    await expectFocus(page, { tag: 'MAIN' });
    expect(new URL(page.url()).hash).toBe('');
    await page.keyboard.press('Tab');
    await expectFocus(page, { tag: 'SELECT' });

    await page.getByLabel('Status').selectOption('active');
    await expect.poll(() => page.url()).toContain('status=active');
    await page.getByLabel('Status').focus();
    await page.goBack();
    await expect.poll(() => page.url()).not.toContain('status');
    await expectFocus(page, { tag: 'SELECT' });

    await page.getByRole('link', { name: VISITOR }).press('Enter');
    await page.getByText('Hello', { exact: true }).waitFor();
    await expectFocus(page, { tag: 'H1', text: VISITOR });
    expect(await title()).toBe(`${VISITOR} · Engagement console`);
    await page.goBack();
    await expectFocus(page, { tag: 'H1', text: 'Conversations' });
    await page.getByRole('link', { name: 'Webhook endpoints' }).press('Enter');
    await page.getByRole('link', { name: ENDPOINT_URL }).press('Enter');
    await page.getByRole('button', { name: 'Send test event' }).waitFor();
    await expectFocus(page, { tag: 'H1', text: ENDPOINT_URL });
    tab.expectQuiet();
  });

  test('a dialog returns the focus to the button that opened it', async () => {
    await using tab = await browser.open(app.url, tenant.write, { path: conversationPath });
    const { page } = tab;
    const open = (name: string) => page.getByRole('button', { name, exact: true }).press('Enter');
    await open('Mark outcome');
    await page.getByRole('dialog', { name: 'Mark outcome' }).waitFor();
    await page.keyboard.press('Escape');
    await expectFocus(page, { tag: 'BUTTON', text: 'Mark outcome' });
    await open('Close conversation');
    await open('Cancel');
    await expectFocus(page, { tag: 'BUTTON', text: 'Close conversation' });
    await open('Close conversation');
    await open('Close');
    // The button is gone.
    await expectFocus(page, { tag: 'H1', text: VISITOR });

    await tab.goto(endpointPath);
    await open('Rotate secret');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Rotate/ })
      .press('Enter');
    await open('I have saved the secret');
    await expectFocus(page, { tag: 'BUTTON', text: 'Rotate secret' });
    tab.expectQuiet();
  });

  test('times are text with the exact value as title, and follow the locale and the switches', async () => {
    await using tab = await browser.open(app.url, tenant.write, { path: '/conversations', width: 1440 });
    const { page } = tab;
    const time = page.getByRole('table').locator(`time[datetime^="2025-01-15T14:30:05"]`);
    await expect.poll(() => time.textContent()).toMatch(/^vor .+ Tagen$/);
    const [local, utc] = ['15.01.2025, 09:30:05 GMT-5', '15.01.2025, 14:30:05 UTC'];
    expect(await time.getAttribute('title')).toBe(local);
    expect(await page.locator('time').getByRole('button').count()).toBe(0);

    // One switch shows all exact values, in other tabs as well.
    const exact = page.getByRole('switch', { name: 'Exact times' });
    expect(await exact.getAttribute('aria-checked')).toBe('false');
    await exact.press('Space');
    expect(await time.textContent()).toBe(local);
    await tab.expectAccessible();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByText(local).waitFor();
    await expectFit(page);
    await tab.expectAccessible();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.reload();
    await expect.poll(() => time.textContent()).toBe(local);
    await exact.press('Space');
    await expect.poll(() => time.textContent()).toMatch(/^vor .+ Tagen$/);

    await page.getByLabel('Started since (local time)').fill('2025-01-15T09:00');
    await expect.poll(() => new URL(page.url()).searchParams.get('since')).toBe('2025-01-15T14:00:00.000Z');
    const zone = page.getByRole('switch', { name: 'Times in UTC' });
    expect(await zone.getAttribute('aria-checked')).toBe('false');
    await zone.press('Space');
    expect(await page.getByLabel('Started since (UTC)').inputValue()).toBe('2025-01-15T14:00');
    expect(await time.getAttribute('title')).toBe(utc);
    await page.getByRole('link', { name: VISITOR }).press('Enter');
    await page.getByRole('definition').getByText(utc).waitFor();
    // The time of the message follows the switch at once, and the selection is remembered.
    const sent = page.getByRole('region', { name: 'Transcript' }).locator('time');
    const text = (timeZone: string, at: string) =>
      new Intl.DateTimeFormat('de-DE', { timeStyle: 'short', timeZone }).format(new Date(at));
    const at = (await sent.getAttribute('datetime')) ?? '';
    expect(await sent.textContent()).toBe(text('UTC', at));
    await zone.press('Space');
    await expect.poll(() => sent.textContent()).toBe(text('America/New_York', at));
    await zone.press('Space');
    await page.reload();
    await page.getByRole('definition').getByText(utc).waitFor();
    tab.expectQuiet();
  });

  test('has no switch to UTC where that is the local time', async () => {
    await using utc = await startBrowser({ timezoneId: 'UTC' });
    await using tab = await utc.open(app.url, tenant.read);
    await tab.page.getByRole('switch', { name: 'Exact times' }).waitFor();
    expect(await tab.page.getByRole('switch', { name: 'Times in UTC' }).count()).toBe(0);
  });
});
