import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startConversation } from '../conversations/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { CHROMIUM, startBrowser, type TestBrowser } from '../support/browser.ts';
import { deliveriesOf, listening, postConversion } from '../webhooks/support.ts';
import { button, tableRows } from './locators.ts';

/** Starts a token server that ends with the test; its token is `token-1`. */
async function startTokenServer(): Promise<string> {
  const server = createServer((request, response) =>
    request.resume().on('end', () => response.end('{"access_token":"token-1","token_type":"Bearer"}')),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
}

/** Value of a setting in the card of the endpoint. */
const setting = (page: Page, name: string): Locator =>
  page.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd[1]');

describe.skipIf(!CHROMIUM)('an endpoint in the console', () => {
  let app: TestApp;
  let browser: TestBrowser;
  beforeAll(async () => {
    app = await startApp();
    // The test types a time of the service, which is UTC.
    browser = await startBrowser({ timezoneId: 'UTC' });
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await app.stop();
  });

  test('is steered by its form, which shows each message of the service beside its field', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { description: 'CRM' });
    const stored = async () => (await app.request('GET', endpoint.path, { key: tenant.read })).body;
    const before = await stored();
    await using tab = await browser.open(app.url, tenant.write, { path: `/webhooks/${endpoint.id}` });
    const { page } = tab;
    const rows = tableRows(page, 'Deliveries');
    const dialog = page.getByRole('dialog');
    // Labels of required fields end with an asterisk.
    const field = (label: string) => dialog.getByLabel(new RegExp(`^${label}( \\*)?$`));
    const isInvalid = async (label: string) => (await field(label).getAttribute('aria-invalid')) === 'true';
    /** Waits for a message of the service in the part of the form that belongs to a field. */
    const messageBeside = async (label: string, message: RegExp) => {
      await expect.poll(() => isInvalid(label)).toBe(true);
      const wrapper = field(label).locator('xpath=ancestor::*[contains(@class, "InputWrapper-root")][1]');
      await wrapper.getByText(message).first().waitFor();
    };

    await button(page, 'Edit').click();
    await field('Rate limit').fill('20000');
    // Without leaving the field, which would correct the number.
    await field('Rate limit').press('Enter');
    await messageBeside('Rate limit', /10,?000/);
    await field('Rate limit').fill('1');
    await field('Period in seconds').fill('3600');
    await field('Filter').fill('{"data.url": {"$gte": 100}}');
    await button(page, 'Save').click();
    await messageBeside('Filter', /data\.url/);
    expect([await isInvalid('URL'), await isInvalid('Rate limit')]).toEqual([false, false]);
    await field('Filter').fill('{"data.value": {"$gte": 100}}');
    await button(page, 'Add header').click();
    await field('Name of header 1').fill('Content-Type');
    await field('Value of header 1').fill('sales');
    await button(page, 'Save').click();
    await dialog.getByText('The service sets this header or it frames the request').waitFor();
    await field('Name of header 1').fill('X-Team');
    await field('Authentication').selectOption('oauth2');
    await field('Token URL').fill('ftp://auth.example.com/token');
    await field('Client ID').fill('engagement');
    await field('Client secret').fill('a-secret');
    await button(page, 'Save').click();
    await messageBeside('Token URL', /./);
    expect([await isInvalid('URL'), await isInvalid('Client ID')]).toEqual([false, false]);
    await tab.expectAccessible();
    expect(await stored()).toEqual(before);

    await field('Token URL').fill(await startTokenServer());
    await field('Timeout in seconds').fill('1');
    await field('Body').selectOption('thin');
    await field('Order').selectOption('conversation');
    await dialog.getByRole('switch', { name: 'Recover after outages' }).click();
    await button(page, 'Save').click();
    await dialog.waitFor({ state: 'detached' });
    for (const [name, value] of [
      ['Filter', '{"data.value":{"$gte":100}}'],
      ['Body', 'IDs and a URL only'],
      ['Headers', 'X-Team'],
      ['Rate limit', '1 attempt in 3600 s'],
      ['Timeout', '1 s'],
      ['Order', 'by conversation'],
      ['After an outage', 'failed deliveries are sent again automatically'],
    ] as const)
      await expect.poll(() => setting(page, name).innerText(), { message: name }).toBe(value);
    expect(await setting(page, 'Authentication').innerText()).toContain('OAuth 2.0, client engagement');
    expect(await stored()).toMatchObject({
      filter: { 'data.value': { $gte: 100 } },
      rateLimit: { count: 1, perSeconds: 3_600 },
      payload: 'thin',
      timeoutSeconds: 1,
      ordering: 'conversation',
      autoRecover: true,
    });

    // The first event is left out, the second is sent, and the third waits for the rate limit.
    for (const value of [50, 100]) await postConversion(app, tenant, { value });
    await rows.getByText('succeeded').waitFor();
    await postConversion(app, tenant, { value: 200 });
    await rows.filter({ hasText: 'waits for the rate limit of its endpoint' }).waitFor();
    expect(await rows.count()).toBe(2);
    const [request] = await receiver.waitFor(1);
    expect(request?.headers).toMatchObject({ 'x-team': 'sales', authorization: 'Bearer token-1' });
    expect(request?.envelope).toMatchObject({ url: expect.any(String) });
    expect(request?.envelope.data).not.toHaveProperty('value');

    await button(page, 'Pause').click();
    await button(page, 'Resume').waitFor();
    await page.getByText('Deliveries wait. They are sent, oldest first').waitFor();
    await postConversion(app, tenant, { value: 300 });
    await rows.filter({ hasText: 'waits for the end of the pause of its endpoint' }).first().waitFor();
    await button(page, 'Cancel backlog').click();
    await button(page, 'Cancel deliveries').click();
    await page.getByText('2 deliveries cancelled.').waitFor();
    await expect.poll(() => rows.filter({ hasText: 'cancelled' }).count()).toBe(2);

    await button(page, 'Edit').click();
    await field('Rate limit').fill('');
    await button(page, 'Save').click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => setting(page, 'Rate limit').count()).toBe(0);
    await button(page, 'Resume').click();
    await button(page, 'Pause').waitFor();
    expect(receiver.received).toHaveLength(1);

    await button(page, 'Replay deliveries').click();
    await dialog.getByLabel(/^Since/).fill('2020-01-01T00:00');
    await button(page, 'Count').click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel(/^Since/).fill(String(before.createdAt).slice(0, 16));
    await dialog.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'cancelled' }).click();
    await button(page, 'Count').click();
    await dialog.getByText('2 deliveries found.').waitFor();
    expect(receiver.received).toHaveLength(1);
    await tab.expectAccessible();
    await button(page, 'Replay').click();
    await dialog.getByText('2 deliveries queued for replay.').waitFor();
    await button(page, 'Close').click();
    await receiver.waitFor(3);
    await expect.poll(() => rows.filter({ hasText: 'succeeded' }).count()).toBe(3);

    // The time limit of an attempt, and the order of a conversation.
    receiver.behave('hang');
    const { id, visitorId } = await startConversation(app, tenant);
    const inConversation = { visitor_id: visitorId, conversation_id: id, value: 400 };
    for (let event = 0; event < 2; event += 1) await postConversion(app, tenant, inConversation);
    await rows.filter({ hasText: 'Timed out' }).waitFor();
    await rows.filter({ hasText: 'waits for earlier deliveries of its conversation' }).waitFor();
    const [, timedOut] = await deliveriesOf(app, tenant, endpoint);
    expect(timedOut).toMatchObject({ error: 'timeout' });
    tab.expectQuiet();
  });
});
