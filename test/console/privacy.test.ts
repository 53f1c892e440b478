import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { append, apply, startConversation } from '../conversations/support.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { CHROMIUM, startBrowser, type TestBrowser } from '../support/browser.ts';
import { runJob } from '../support/jobs.ts';
import { expectPhoneLayout } from './phone-support.ts';

const DAY_MS = 86_400_000;
const EMAIL = 'ada@engines.example';

describe.skipIf(!CHROMIUM)('privacy on the console', () => {
  let app: TestApp;
  let browser: TestBrowser;
  beforeAll(async () => {
    app = await startApp({ DELIVERY_RETENTION: '400d' });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await app.stop();
  });

  /** Starts a conversation with Ada, who has an identity. */
  async function withAda(tenant: TestTenant): Promise<string> {
    const { id } = await startConversation(app, tenant, { visitorId: 'v_ada' });
    await append(app, tenant, id, [{ role: 'visitor', text: 'Can I see a demo?' }]);
    const person = `{ resolvedPersonId: "p_7", firstName: "Ada", email: "${EMAIL}" }`;
    await apply(app, tenant, id, `resolveIdentity(conversationId: $id, identity: ${person})`);
    return id;
  }

  const retentionRow = (page: Page, label: string) =>
    page.getByRole('table', { name: 'Retention times' }).getByRole('row').filter({ hasText: label });

  test('shows what a retention time would remove before it is saved, and the latest run', async () => {
    const tenant = await app.newTenant();
    await startConversation(app, tenant, { visitorId: 'v_old' });
    app.clock.advance(40 * DAY_MS);
    await startConversation(app, tenant, { visitorId: 'v_new' });
    await using tab = await browser.open(app.url, tenant.write, { path: '/privacy' });
    const { page } = tab;
    const row = retentionRow(page, 'Conversations');
    const cell = (index: number) => row.getByRole('cell').nth(index);
    await expect.poll(() => cell(2).textContent()).toBe('0');
    expect(await page.getByLabel('Days: Audit log').isDisabled()).toBe(true);
    await tab.expectAccessible();

    await page.getByLabel('Days: Conversations').fill('30');
    await expect.poll(() => cell(2).textContent()).toBe('1');
    expect(await app.models.Conversation.countDocuments({ customerId: tenant.customerId })).toBe(2);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByText('conversations (1)').waitFor();
    await tab.expectAccessible();
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await runJob(app, 'privacy.retain');
    await expect
      .poll(() => app.models.Conversation.countDocuments({ customerId: tenant.customerId }), {
        timeout: 20_000,
      })
      .toBe(1);
    const { customerId } = tenant;
    const hasEnded = { customerId, lastRunAt: { $exists: true } };
    await expect.poll(() => app.models.RetentionPolicy.exists(hasEnded), { timeout: 20_000 }).not.toBeNull();
    await page.reload();
    await expect.poll(() => cell(3).textContent(), { timeout: 20_000 }).toBe('1');
    await page.getByText('Latest run:').waitFor();
    expect(await page.getByLabel('Days: Conversations').inputValue()).toBe('30');
    await app.models.RetentionPolicy.updateOne(
      { customerId: tenant.customerId },
      { $set: { failed: ['meetings'] } },
    );
    await page.reload();
    await retentionRow(page, 'Meetings').getByText('failed').waitFor();
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('leads from a found conversation to deliveries, meetings and the erasure of its person', async () => {
    const tenant = await app.newTenant();
    const id = await withAda(tenant);
    await using tab = await browser.open(app.url, tenant.write, {
      path: `/conversations?by=email&find=${EMAIL}`,
      width: 1440,
    });
    const { page } = tab;
    const row = page.getByRole('row').filter({ hasText: 'Ada' });
    const target = async (name: string) =>
      new URL((await row.getByRole('link', { name }).getAttribute('href')) ?? '', app.url);
    const deliveries = await target('Deliveries');
    expect(deliveries.pathname.endsWith('/deliveries')).toBe(true);
    expect(deliveries.searchParams.get('conversation')).toBe(id);
    expect((await target('Meetings')).searchParams.get('search')).toBe(EMAIL);
    await tab.expectAccessible();
    await row.getByRole('link', { name: 'Erase' }).click();
    await page.getByRole('heading', { level: 1, name: 'Privacy' }).waitFor();
    expect(await page.getByLabel('Email address').inputValue()).toBe(EMAIL);
    expect(await page.getByLabel('Visitor ID').inputValue()).toBe('v_ada');
    expect(await page.getByLabel('Person ID').inputValue()).toBe('p_7');

    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('Would be erased').waitFor();
    await page.getByRole('status').getByText('conversations: 1').waitFor();
    await tab.expectAccessible();
    expect(await app.models.Conversation.countDocuments({ customerId: tenant.customerId })).toBe(1);
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await page.getByRole('dialog').getByText(EMAIL).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Erase', exact: true }).click();
    await page.getByText('Erased', { exact: true }).waitFor();
    await page.getByRole('status').getByText('completed').waitFor();
    expect(await app.models.Conversation.countDocuments({ customerId: tenant.customerId })).toBe(0);
    const list = page.getByRole('table', { name: 'Latest erasures' }).getByRole('row');
    await expect.poll(() => list.count()).toBe(3);
    await tab.expectAccessible();
    await page.setViewportSize({ width: 390, height: 844 });
    await expectPhoneLayout(tab);
    tab.expectQuiet();
  });

  test('a read key sees times and erasures without a way to change them', async () => {
    const tenant = await app.newTenant();
    const id = await withAda(tenant);
    await using tab = await browser.open(app.url, tenant.read, { path: '/privacy' });
    const { page } = tab;
    await page.getByText('No person was erased yet.').waitFor();
    await expect.poll(() => page.getByLabel('Days: Conversations').isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: /Erase|Preview|Save/ }).count()).toBe(0);
    await tab.goto(`/conversations/${id}`);
    await page.getByRole('link', { name: 'Meetings', exact: true }).last().waitFor();
    expect(await page.getByRole('link', { name: 'Erase' }).count()).toBe(0);
    tab.expectQuiet();
  });
});
