import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apply, startConversation } from '../conversations/support.ts';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { CHROMIUM, startBrowser, type TestBrowser } from '../support/browser.ts';
import { deliveriesOf, listening, postConversion } from '../webhooks/support.ts';
import { tableRows } from './locators.ts';
import { expectPhoneLayout } from './phone-support.ts';

describe.skipIf(!CHROMIUM)('the search for deliveries in the console', () => {
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

  /** A tenant with three deliveries: a conversion of no conversation, and two events of a conversation. */
  async function delivered() {
    const { tenant, endpoint } = await listening(app, 200, { description: 'Our CRM' });
    await postConversion(app, tenant, { goal: 'trial', visitor_id: 'v_other' });
    const { id } = await startConversation(app, tenant, { visitorId: 'v_ada' });
    await apply(app, tenant, id, 'recordConversion(conversationId: $id, input: { goal: "demo" })');
    const deliveries = await eventually(async () => {
      const found = await deliveriesOf(app, tenant, endpoint);
      return found.length === 3 && found.every(({ status }) => status === 'succeeded') ? found : null;
    });
    return { tenant, endpoint, conversationId: id, deliveries };
  }

  test('rows name goal, visitor and the path of the endpoint, and lead to the conversation and back', async () => {
    const { tenant, endpoint, conversationId } = await delivered();
    await using tab = await browser.open(app.url, tenant.read, { path: '/deliveries', width: 1440 });
    const { page } = tab;
    const rows = tableRows(page, 'Deliveries');
    await expect.poll(() => rows.count()).toBe(3);
    await rows.filter({ hasText: 'trial, v_other' }).waitFor();
    await rows.filter({ hasText: 'demo, v_ada' }).first().waitFor();
    const url = new URL(String((await app.models.Endpoint.findOne({ id: endpoint.id }).lean())?.url));
    expect(await rows.first().innerText()).toContain(url.host + url.pathname.replace(/\/$/, ''));
    expect(
      await page.evaluate('document.querySelector("main table").parentElement.scrollWidth <= innerWidth'),
    ).toBe(true);
    await tab.expectAccessible();

    await rows
      .filter({ hasText: 'conversation.started' })
      .getByRole('link', { name: 'v_ada' })
      .press('Enter');
    await page.getByRole('heading', { level: 1, name: 'v_ada' }).waitFor();
    await page.getByRole('link', { name: 'Deliveries of this conversation' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    expect(new URL(page.url()).search).toBe(`?conversation=${conversationId}`);
    // Updates cannot be assigned to a conversation, so the list does not call itself live.
    expect(await page.getByText('Live', { exact: true }).count()).toBe(0);
    await rows.getByRole('link', { name: 'conversion.recorded' }).press('Enter');
    await page.getByRole('definition').getByText('demo', { exact: true }).waitFor();
    await page.getByRole('definition').getByRole('link', { name: 'v_ada' }).waitFor();
    await tab.expectAccessible();
    await page.getByRole('link', { name: 'All deliveries of the conversation' }).press('Enter');
    await expect.poll(() => rows.count()).toBe(2);
    tab.expectQuiet();
  });

  test('rows name all of it on a phone as well', async () => {
    const { tenant } = await delivered();
    await using tab = await browser.open(app.url, tenant.read, {
      path: '/deliveries',
      width: 390,
      height: 844,
    });
    const { page } = tab;
    const row = tableRows(page, 'Deliveries')
      .filter({ hasText: 'demo, v_ada' })
      .filter({ hasText: 'conversion.recorded' });
    for (const text of ['conversion.recorded', 'demo, v_ada', 'v_ada', 'succeeded', '127.0.0.1', '200'])
      await row.getByText(text).first().waitFor();
    await row.getByRole('link', { name: 'v_ada' }).click({ trial: true });
    await expectPhoneLayout(tab);
    tab.expectQuiet();
  });

  test('rows have no subject for a key that may not read events and conversations, and the search finds deliveries', async () => {
    const { tenant, deliveries } = await delivered();
    const { key } = await app.services.keys.create({
      scope: 'read',
      customerId: tenant.customerId,
      resources: ['webhooks'],
    });
    await using tab = await browser.open(app.url, key, { path: '/deliveries' });
    const { page } = tab;
    const rows = tableRows(page, 'Deliveries');
    await expect.poll(() => rows.count()).toBe(3);
    expect(await rows.filter({ hasText: 'v_' }).count()).toBe(0);
    await rows.getByRole('link', { name: 'conversion.recorded' }).first().press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Delivery of conversion.recorded' }).waitFor();
    expect(await page.getByText('Visitor', { exact: true }).count()).toBe(0);
    await tab.goto('/deliveries');
    await page.getByRole('button', { name: 'Search and time range' }).press('Enter');
    const id = page.getByRole('searchbox', { name: 'ID' });
    await id.fill('0123456789abcdef01234567');
    await page.getByText('No delivery has this ID.').waitFor();
    await id.fill(String(deliveries[0]?.id));
    await page.getByRole('heading', { level: 1, name: `Delivery of ${deliveries[0]?.event}` }).waitFor();
  });

  test('finds a delivery, an event or a conversation by its ID, and text in the payload', async () => {
    const { tenant, conversationId, deliveries } = await delivered();
    const [newest] = deliveries;
    await using tab = await browser.open(app.url, tenant.read, { path: '/deliveries', width: 390 });
    const { page } = tab;
    const rows = tableRows(page, 'Deliveries');
    await page.getByRole('button', { name: 'Search and time range' }).press('Enter');
    const id = page.getByRole('searchbox', { name: 'ID' });
    const text = page.getByRole('searchbox', { name: 'Text in the payload' });
    await text.fill('V_ADA');
    await expect.poll(() => rows.count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?text=V_ADA');
    await page.getByText('Searches the newest 5,000 deliveries of the time range').waitFor();
    await text.fill('nowhere');
    await page.getByText('None of the newest 5,000 deliveries').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
    await expect.poll(() => rows.count()).toBe(3);
    await id.fill('12ab');
    await page.getByText('Enter a complete ID').waitFor();
    await id.fill('0123456789abcdef01234567');
    await page
      .getByText('No delivery, event, or conversation has this ID. For a conversion, enter the event_id')
      .waitFor();
    await expectPhoneLayout(tab);

    await id.fill(` ${newest?.eventId} `);
    await expect.poll(() => rows.count()).toBe(1);
    expect(new URL(page.url()).search).toBe(`?event_id=${newest?.eventId}`);
    await id.fill(conversationId);
    await expect.poll(() => rows.count()).toBe(2);
    await text.fill('"VISITORID":"v_ada"');
    await expect.poll(() => rows.count()).toBe(1);
    await rows.getByText('conversation.started').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
    await expect.poll(() => rows.count()).toBe(3);
    await id.fill(String(newest?.id));
    await page.getByRole('heading', { level: 1, name: `Delivery of ${newest?.event}` }).waitFor();
    tab.expectQuiet();
  });

  test('leads from an event without deliveries to the reason', async () => {
    const { tenant } = await listening(app, 200, { description: 'Our CRM', events: ['outcome.marked'] });
    const event = await postConversion(app, tenant);
    await using tab = await browser.open(app.url, tenant.read, {
      path: `/deliveries?event_id=${event.event_id}`,
    });
    const { page } = tab;
    await page.getByText('Select an endpoint to see why it did not receive the event').waitFor();
    await page.getByRole('combobox', { name: 'Endpoint' }).click();
    await page.getByRole('option', { name: 'Our CRM' }).click();
    await page.getByRole('button', { name: 'Explain', exact: true }).press('Enter');
    await page
      .getByRole('dialog')
      .getByText(/do not include conversion\.recorded/)
      .waitFor();
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('selects a time range, which the address keeps', async () => {
    const { tenant } = await delivered();
    const hourAgo = new Date(app.clock.now().getTime() - 3_600_000).toISOString();
    await using tab = await browser.open(app.url, tenant.read, { path: `/deliveries?until=${hourAgo}` });
    const { page } = tab;
    await page.getByText('No matching deliveries').waitFor();
    await page.getByRole('textbox', { name: 'Created before' }).waitFor();
    await tab.expectAccessible();
    await page.getByRole('button', { name: 'Clear created before' }).press('Enter');
    const rows = tableRows(page, 'Deliveries');
    await expect.poll(() => rows.count()).toBe(3);
    await tab.goto(`/deliveries?since=${hourAgo}`);
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByText('Live', { exact: true }).waitFor();
    await postConversion(app, tenant);
    await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(4);
    await tab.goto('/deliveries?conversation=x');
    await page.getByText('The list is shown without conversation=x.').waitFor();
    tab.expectQuiet();
  });
});
