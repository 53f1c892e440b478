import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startConversation } from '../conversations/support.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { CHROMIUM, startBrowser, type TestBrowser } from '../support/browser.ts';
import { createEndpoint, deliveryLike, postConversion, receiving } from '../webhooks/support.ts';
import { expectPhoneLayout } from './phone-support.ts';

describe.skipIf(!CHROMIUM)('the button Explain in the console', () => {
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

  const convert = async (tenant: TestTenant, value: number): Promise<string> =>
    String((await postConversion(app, tenant, { value })).event_id);

  test('says why an endpoint received an event, or did not', async () => {
    const tenant = await app.newTenant();
    const receiver = await receiving(200);
    const earlier = await convert(tenant, 500);
    const endpoint = await createEndpoint(app, tenant, {
      ...{ url: receiver.url, description: 'Our CRM', events: ['conversion.recorded'] },
      filter: { 'data.value': { $gte: 100 } },
    });
    await using tab = await browser.open(app.url, tenant.write, { path: `/webhooks/${endpoint.id}` });
    const { page } = tab;
    await page.getByRole('button', { name: 'Explain', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Explain' });
    const input = dialog.getByRole('textbox', { name: 'Event ID' });
    const change = (body: Record<string, unknown>) =>
      app.request('PATCH', endpoint.path, { key: tenant.write, body });

    async function expectExplained(eventId: string, reason: string, message: RegExp): Promise<void> {
      await input.fill(eventId);
      await page.keyboard.press('Enter');
      const explanation = dialog.getByRole('status').filter({ hasText: message });
      await explanation.waitFor();
      const text = await explanation.innerText();
      expect(text).toContain(reason);
      // Times follow the language and the switches, as everywhere.
      expect(text).not.toMatch(/\dT\d/);
    }

    await expectExplained('f'.repeat(24), 'no such event', /no event with this ID/);
    await expectExplained(earlier, 'endpoint created later', /The event was emitted at .*, the endpoint/);
    await startConversation(app, tenant, { visitorId: 'v_1' });
    const started = await app.models.Event.findOne({
      ...{ customerId: tenant.customerId, event: 'conversation.started' },
    }).orFail();
    await expectExplained(started.id, 'not subscribed', /do not include conversation\.started/);
    await expectExplained(await convert(tenant, 7), 'filtered out', /data\.value \$gte 100; its value is 7/);
    const delivered = await convert(tenant, 500);
    await deliveryLike(app, tenant, endpoint, { eventId: delivered, status: 'succeeded' });
    await expectExplained(delivered, 'delivered', /Attempt 1 at .* received HTTP 200 after \d+ ms/);
    await tab.expectAccessible();

    receiver.behave(500);
    const retried = await convert(tenant, 501);
    await deliveryLike(app, tenant, endpoint, { eventId: retried, status: 'retrying', attempt: 2 });
    await expectExplained(retried, 'retrying', /Attempt 3 is due at .*\. The last error is http_500/);
    await change({ paused: true });
    const held = await convert(tenant, 502);
    await expectExplained(held, 'paused', /The endpoint is paused/);
    await app.request('POST', `${endpoint.path}/cancel-backlog`, { key: tenant.write, body: {} });
    // The same event again.
    await expectExplained(held, 'cancelled', /cancelled at .*: its endpoint was disabled, or its backlog/);
    receiver.behave(410);
    await change({ paused: false });
    const refused = await convert(tenant, 503);
    await deliveryLike(app, tenant, endpoint, { eventId: refused, status: 'failed' });
    await expectExplained(refused, 'stopped by receiver', /ended the attempts after 1; .* is http_410/);
    await expectExplained(await convert(tenant, 504), 'disabled', /disabled at .*; recover sends/);

    await page.setViewportSize({ width: 390, height: 844 });
    await expectPhoneLayout(tab);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    tab.expectQuiet();
  });

  test('names an ID that is none', async () => {
    const tenant = await app.newTenant();
    const endpoint = await createEndpoint(app, tenant, { url: 'http://127.0.0.1:9', paused: true });
    await using tab = await browser.open(app.url, tenant.read, { path: `/webhooks/${endpoint.id}` });
    const { page } = tab;
    await page.getByRole('button', { name: 'Explain', exact: true }).click();
    await page.getByRole('textbox', { name: 'Event ID' }).fill('12ab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('no event with this ID').waitFor();
  });

  test('explains the event of the filter, and after a search the other event', async () => {
    const tenant = await app.newTenant();
    const earlier = await convert(tenant, 1);
    const endpoint = await createEndpoint(app, tenant, {
      url: 'http://127.0.0.1:9',
      events: ['conversation.started'],
    });
    const later = await convert(tenant, 2);
    await using tab = await browser.open(app.url, tenant.read, {
      path: `/deliveries?endpoint=${endpoint.id}&event_id=${earlier}`,
    });
    const { page } = tab;
    const dialog = page.getByRole('dialog', { name: 'Explain' });

    async function expectExplained(eventId: string, message: string, other: string): Promise<void> {
      await page.getByRole('button', { name: 'Explain', exact: true }).press('Enter');
      await dialog.getByText(message).waitFor();
      expect(await dialog.getByRole('textbox', { name: 'Event ID' }).inputValue()).toBe(eventId);
      expect(await dialog.getByText(other).count()).toBe(0);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
    }

    const [createdLater, notSubscribed] = ['endpoint created later', 'not subscribed'] as const;
    await expectExplained(earlier, createdLater, notSubscribed);
    await page.getByRole('searchbox', { name: 'ID' }).fill(later);
    await page.waitForURL((url) => url.searchParams.get('event_id') === later);
    await expectExplained(later, notSubscribed, createdLater);
    await page.goBack();
    await page.waitForURL((url) => url.searchParams.get('event_id') === earlier);
    await expectExplained(earlier, createdLater, notSubscribed);
    tab.expectQuiet();
  });

  test('explains the event of a delivery on its page', async () => {
    const tenant = await app.newTenant();
    const endpoint = await createEndpoint(app, tenant, { url: 'http://127.0.0.1:9', paused: true });
    const eventId = await convert(tenant, 1);
    const { id } = await deliveryLike(app, tenant, endpoint, { eventId });
    await using tab = await browser.open(app.url, tenant.read, { path: `/deliveries/${id}` });
    const { page } = tab;
    await page.getByRole('button', { name: 'Explain', exact: true }).press('Enter');
    await page.getByRole('dialog').getByText('The endpoint is paused.').waitFor();
    const input = page.getByRole('textbox', { name: 'Event ID' });
    expect(await input.inputValue()).toBe(eventId);
    await page.keyboard.press('Escape');

    const otherId = await convert(tenant, 2);
    await deliveryLike(app, tenant, endpoint, { eventId: otherId });
    await page.getByRole('link', { name: 'Deliveries', exact: true }).last().click();
    // The newest delivery is the first one.
    await page.getByRole('table').getByRole('link', { name: 'conversion.recorded' }).first().click();
    await page.getByRole('definition').getByText(otherId).waitFor();
    await page.getByRole('button', { name: 'Explain', exact: true }).press('Enter');
    await page.getByRole('dialog').getByText('The endpoint is paused.').waitFor();
    expect(await input.inputValue()).toBe(otherId);
    tab.expectQuiet();
  });
});
