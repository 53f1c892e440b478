import { Types } from 'mongoose';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import documents from '../../src/console/generated/persisted-documents.json' with { type: 'json' };
import { CATALOG } from '../../src/features/outbox/event-catalog.ts';
import { VERIFICATION_SNIPPETS } from '../../src/shared/verification-snippets.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { CHROMIUM, type ConsolePage, expectFit, startBrowser, type TestBrowser } from '../support/browser.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import {
  createEndpoint,
  deliveryLike,
  listening,
  missEvents,
  postConversion,
  receiving,
  scheduled,
  setEnabled,
} from '../webhooks/support.ts';
import { button, tableRows } from './locators.ts';

describe.skipIf(!CHROMIUM)('webhooks in the console', () => {
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

  /** Opens a page of the console with the tenant's write key. */
  const openAt = (tenant: TestTenant, path: string, width?: number): Promise<ConsolePage> =>
    browser.open(app.url, tenant.write, { path, width });

  const rows = (page: Page) => tableRows(page, 'Deliveries');
  const live = (page: Page) => page.getByText('Live', { exact: true }).waitFor();

  /** Waits for a matching delivery of the endpoint and opens its page. */
  async function openDelivery(
    tenant: TestTenant,
    endpoint: { path: string },
    wanted: Parameters<typeof deliveryLike>[3],
  ): Promise<ConsolePage> {
    const { id } = await deliveryLike(app, tenant, endpoint, wanted);
    return openAt(tenant, `/deliveries/${id}`);
  }

  test('create an endpoint for selected events, and show its secret once', async () => {
    const receiver = await receiving();
    const tenant = await app.newTenant();
    await using tab = await openAt(tenant, '/webhooks');
    const { page } = tab;
    await page.getByText('No endpoints yet').waitFor();
    await button(page, 'Create endpoint').click();
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByLabel('Description').fill('Our CRM');
    await page.getByRole('switch', { name: 'All events' }).click();
    await button(page, 'Create').click();
    await page.getByText('Select at least one event.').waitFor();
    await page.getByRole('checkbox', { name: 'conversion.recorded' }).check();
    await page.getByText(CATALOG['conversion.recorded'].description).waitFor();
    await tab.expectAccessible();
    await button(page, 'Create').click();

    await page.getByText('The secret is shown only once and cannot be retrieved later.').waitFor();
    const secret = await page.getByText(/^whsec_/).innerText();
    await page.keyboard.press('Escape');
    expect(await page.getByText(secret).isVisible()).toBe(true);
    await tab.expectAccessible();
    for (const { name, code } of VERIFICATION_SNIPPETS) {
      await page.getByRole('tab', { name }).click();
      const region = page.getByRole('region', { name: `Code: ${name}` });
      expect((await region.innerText()).trim()).toBe(code.trim());
    }
    await page.setViewportSize({ width: 390, height: 800 });
    await tab.expectAccessible();
    await page.setViewportSize({ width: 1440, height: 900 });
    await button(page, 'I have saved the secret').press('Enter');
    await page.getByText(secret).waitFor({ state: 'detached' });

    // The page of the endpoint opens with the next step.
    await page.getByRole('heading', { level: 1, name: 'Our CRM' }).waitFor();
    const notice = page.getByRole('alert').filter({ hasText: 'Next step' });
    await tab.expectAccessible();
    await notice.getByRole('button', { name: 'Send test event' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Send test event' });
    await dialog.getByRole('button', { name: 'Send', exact: true }).press('Enter');
    await dialog.getByText('Test event succeeded').waitFor();
    const [request] = await receiver.waitFor(1);
    expect(request && receiver.verifies(request, secret)).toBe(true);
    await page.keyboard.press('Escape');
    await rows(page).getByText('succeeded').waitFor();
    await page.getByRole('link', { name: 'Webhook endpoints' }).first().click();
    await page.getByRole('link', { name: 'Our CRM' }).click();
    await page.getByRole('heading', { level: 1, name: 'Our CRM' }).waitFor();
    expect(await notice.count()).toBe(0);
    tab.expectQuiet();
  });

  test('receive custom events that are named, and show the message of a wrong type at its field', async () => {
    const { url } = await receiving();
    const tenant = await app.newTenant();
    await using tab = await openAt(tenant, '/webhooks');
    const { page } = tab;
    await button(page, 'Create endpoint').click();
    await page.getByLabel('URL').fill(url);
    await page.getByRole('switch', { name: 'All events' }).click();
    await page.getByRole('checkbox', { name: 'conversion.recorded' }).check();
    const types = page.getByRole('combobox', { name: 'Custom events' });
    for (const type of ['page.viewed', 'custom.page.viewed', 'two words']) {
      await types.fill(type);
      await page.keyboard.press('Enter');
    }
    await page.getByText('page.viewed', { exact: true }).waitFor();
    await tab.expectAccessible();
    await button(page, 'Create').click();
    await page.getByText(/^Must be one of .*such as custom\.page\.viewed/).waitFor();
    expect(await types.getAttribute('aria-invalid')).toBe('true');
    expect(await app.models.Endpoint.countDocuments({ customerId: tenant.customerId })).toBe(0);
    await types.press('Backspace');
    await button(page, 'Create').click();
    await button(page, 'I have saved the secret').click();
    const endpoint = await app.models.Endpoint.findOne({ customerId: tenant.customerId }).lean();
    expect(endpoint?.events).toEqual(['conversion.recorded', 'custom.page.viewed']);

    await postConversion(app, tenant, { type: 'page.viewed', goal: null });
    await page.getByRole('heading', { level: 1, name: url }).waitFor();
    await rows(page).getByText('custom.page.viewed').waitFor();
    await button(page, 'Edit').click();
    await page.getByRole('dialog').getByText('page.viewed', { exact: true }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('show the validation message of an invalid URL at its field', async () => {
    await using tab = await openAt(await app.newTenant(), '/webhooks');
    const { page } = tab;
    await button(page, 'Create endpoint').click();
    await page.getByLabel('URL').fill('https://user:secret@example.com');
    await button(page, 'Create').click();
    await eventually(async () => (await page.getByLabel('URL').getAttribute('aria-invalid')) === 'true');
    expect(await page.getByRole('dialog').isVisible()).toBe(true);
    tab.expectQuiet();
  });

  test('warn of a second endpoint with the same URL, and create it nevertheless', async () => {
    const { tenant, receiver } = await listening(app, 200, { description: 'Our CRM' });
    await using tab = await openAt(tenant, '/webhooks');
    const { page } = tab;
    await button(page, 'Create endpoint').click();
    const warning = page.getByText('Another endpoint has this URL');
    await page.getByLabel('URL').fill(`${receiver.url}/other`);
    expect(await warning.count()).toBe(0);
    await page.getByLabel('URL').fill(receiver.url.replace('http:', 'HTTP:'));
    await warning.waitFor();
    await page.getByRole('alert').filter({ hasText: '(Our CRM)' }).waitFor();
    await tab.expectAccessible();
    await button(page, 'Create').click();
    await button(page, 'I have saved the secret').click();
    await button(page, 'Edit').click();
    await warning.waitFor();
    tab.expectQuiet();
  });

  test('read a status in any letter case from the address, and name a filter that is not valid', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    receiver.behave(410);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'failed' });
    await using tab = await openAt(tenant, '/deliveries?status=FAILED');
    const { page } = tab;
    await rows(page).getByText('failed').waitFor();
    expect(await rows(page).count()).toBe(1);
    for (const [search, named] of [
      ['status=lost', 'status=lost'],
      ['endpoint=1.5', 'endpoint=1.5'],
      ['status=lost&endpoint=x', 'endpoint=x, status=lost'],
    ]) {
      await tab.goto(`/deliveries?${search}`);
      await page.getByRole('alert').getByText(`The list is shown without ${named}.`).waitFor();
      await expect.poll(() => rows(page).count()).toBe(2);
    }
    await tab.expectAccessible();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'failed' }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
    await tab.goto('/conversations?status=lost&since=yesterday');
    await page.getByText('The list is shown without status=lost, since=yesterday.').waitFor();
    tab.expectQuiet();
  });

  test('show no endpoint as deleted before the endpoints are loaded', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { description: 'Our CRM' });
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    await using tab = await openAt(tenant, '');
    const { page } = tab;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const isEndpointsQuery = (body: string | null): boolean =>
      JSON.parse(body ?? '{}').documentId === ENDPOINTS_DOCUMENT;
    await page.route('**/graphql', async (route) => {
      if (isEndpointsQuery(route.request().postData())) await released;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Deliveries' }).first().click();
    await rows(page).getByText('conversion.recorded').waitFor();
    await rows(page).getByLabel('Loading the endpoint').waitFor();
    expect(await page.getByText('(deleted)').count()).toBe(0);
    release();
    const link = rows(page).getByRole('link', { name: 'Our CRM' });
    await link.waitFor();
    expect(await link.innerText()).toContain(receiver.url.replace('http://', ''));
    await app.request('DELETE', endpoint.path, { key: tenant.write });
    await page.reload();
    await rows(page).getByText(`${endpoint.id} (deleted)`).waitFor();
    tab.expectQuiet();
  });

  test('show a new delivery, and update its row in place', async () => {
    const { tenant, receiver } = await listening(app, 500);
    await using tab = await openAt(tenant, '/deliveries');
    const { page } = tab;
    await page.getByText('No deliveries yet').waitFor();
    await live(page);
    await postConversion(app, tenant);
    const row = rows(page).filter({ hasText: 'conversion.recorded' });
    await row.getByText('retrying').waitFor();
    await row.getByText('HTTP 500').waitFor();

    receiver.behave(200);
    const id = (await row.getByRole('link').first().getAttribute('href'))?.split('/').at(-1);
    await app.graphql('mutation ($id: ID!) { resendWebhookDelivery(id: $id) { id } }', { id }, tenant.write);
    await row.getByText('succeeded').waitFor();
    await row.getByText('HTTP 200').waitFor();
    tab.expectQuiet();
    await tab.expectAccessible();
  });

  test('hide new deliveries while the user is reading, and while updates are paused', async () => {
    const { tenant } = await listening(app);
    await postConversion(app, tenant);
    await using tab = await openAt(tenant, '/deliveries');
    const { page } = tab;
    await live(page);
    await rows(page).first().hover();
    await postConversion(app, tenant);
    await page.getByRole('button', { name: 'Show 1 new delivery' }).waitFor();
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByRole('button', { name: 'Show 1 new delivery' }).click();
    await eventually(async () => (await rows(page).count()) === 2);

    await page.getByRole('button', { name: 'Pause live updates' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await postConversion(app, tenant);
    await page.waitForTimeout(1_500);
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.getByRole('button', { name: 'Resume live updates' }).click();
    await eventually(async () => (await rows(page).count()) === 3);
    tab.expectQuiet();
  });

  test('show that the connection is lost, and load missed deliveries once it is back', async () => {
    const { tenant, receiver } = await listening(app);
    await using proxy = await startTcpProxy(app.url);
    await using tab = await browser.open(proxy.url, tenant.write, { path: '/deliveries' });
    const { page } = tab;
    await live(page);
    proxy.disconnect();
    await page.getByText('Connecting…', { exact: true }).waitFor();
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    await expect.poll(() => rows(page).count()).toBe(0);
    proxy.reconnect();
    await live(page);
    await rows(page).getByText('succeeded').waitFor();
  });

  test('filter the deliveries by the URL, so that a view can be linked', async () => {
    const { tenant, endpoint } = await listening(app);
    const other = await createEndpoint(app, tenant, {
      url: 'http://127.0.0.1:1/',
      description: 'Closed port',
    });
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, other, { status: 'retrying' });
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    await using tab = await openAt(tenant, '/deliveries');
    const { page } = tab;
    await eventually(async () => (await rows(page).count()) === 2);
    await page.getByLabel('Status').first().click();
    await page.getByRole('option', { name: 'retrying' }).click();
    await eventually(async () => (await rows(page).count()) === 1);
    await rows(page).getByText('Connection refused').waitFor();
    expect(new URL(page.url()).search).toBe('?status=retrying');
    await page.goBack();
    await eventually(async () => (await rows(page).count()) === 2);

    await tab.goto(`/deliveries?endpoint=${endpoint.id}&status=retrying`);
    await page.getByText('No matching deliveries').waitFor();
    tab.expectQuiet();
  });

  test('explain each attempt, resend manually, and show the result', async () => {
    const { tenant, endpoint, receiver } = await listening(app, { status: 503, body: 'try later' });
    await postConversion(app, tenant);
    await using tab = await openDelivery(tenant, endpoint, {
      status: 'retrying',
      attempt: 2,
      responseStatus: 503,
    });
    const { page } = tab;
    const attempts = page.getByRole('list', { name: 'Attempts' }).getByRole('listitem');
    await attempts.nth(2).getByText('Scheduled attempt 3 of 5 due').waitFor();
    await attempts.nth(0).getByText('The receiver is overloaded or under maintenance.').waitFor();
    await attempts.nth(0).getByText('Scheduled retries honor its Retry-After header').waitFor();
    await attempts.nth(1).getByText('try later').waitFor();
    await page.getByRole('region', { name: 'Formatted payload' }).getByText('"demo_booked"').waitFor();
    await tab.expectAccessible();

    await live(page);
    receiver.behave(200);
    await page.getByText('Makes one more attempt now, in addition to the 5 scheduled ones.').waitFor();
    await button(page, 'Resend').click();
    await attempts.nth(2).getByText('3. HTTP 200').waitFor();
    await attempts.nth(2).getByText('manual').waitFor();
    await page.getByText('The receiver responded with a 2xx status').waitFor();
    // The earlier attempts remain explained, without the retries that no longer follow.
    await attempts.nth(0).getByText('The receiver is overloaded or under maintenance.').waitFor();
    expect(await page.getByText('Retry-After').count()).toBe(0);
    expect(receiver.received).toHaveLength(3);
    tab.expectQuiet();
  });

  test('explain why a delivery cannot be resent', async () => {
    const { tenant, endpoint } = await listening(app);
    await missEvents(app, tenant, endpoint, 1);
    await setEnabled(app, tenant, endpoint, false);
    await using tab = await openDelivery(tenant, endpoint, { status: 'cancelled' });
    const { page } = tab;
    await page.getByText('Enable the endpoint to resend this delivery.').waitFor();
    expect(await button(page, 'Resend').isDisabled()).toBe(true);
    await page.getByText('No attempts. Nothing was sent to the receiver.').waitFor();
    await page.getByText('Not sent yet').waitFor();
    await page.getByRole('definition').getByText('none', { exact: true }).waitFor();
    expect(await page.getByText(/of 5|sends the same bytes/).count()).toBe(0);
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('say in the lists why a delivery was cancelled', async () => {
    const { tenant, endpoint } = await listening(app);
    await missEvents(app, tenant, endpoint, 1);
    const either = 'its endpoint was disabled, or its backlog was cancelled';
    await using tab = await openAt(tenant, '/deliveries', 1440);
    const { page } = tab;
    await rows(page).filter({ hasText: 'cancelled' }).getByText(either).waitFor();
    await setEnabled(app, tenant, endpoint, false);
    await postConversion(app, tenant);
    const { id } = await deliveryLike(app, tenant, endpoint, { status: 'cancelled' });
    // Later than the change can still be under way.
    const createdAt = new Date(Date.now() + 31_000);
    await app.models.Delivery.collection.updateOne({ _id: new Types.ObjectId(id) }, { $set: { createdAt } });
    for (const path of ['/deliveries', `/webhooks/${endpoint.id}`]) {
      await tab.goto(path);
      await rows(page)
        .first()
        .getByText('its endpoint was disabled when the event occurred')
        .waitFor({ timeout: 20_000 });
      await rows(page).nth(1).getByText(either).waitFor();
    }
    await tab.expectAccessible();
    await page.setViewportSize({ width: 390, height: 844 });
    await expectFit(page);
    await app.request('DELETE', endpoint.path, { key: tenant.write });
    await tab.goto('/deliveries');
    await page.reload();
    const deleted = 'its endpoint was disabled or deleted, or its backlog was cancelled';
    await expect.poll(() => rows(page).getByText(deleted).count()).toBe(2);
    tab.expectQuiet();
  });

  test('promise no retry of a cancelled delivery that was rate-limited', async () => {
    const { tenant, endpoint } = await listening(app, 429);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 2, responseStatus: 429 });
    await missEvents(app, tenant, endpoint, 1);
    await setEnabled(app, tenant, endpoint, false);
    await using tab = await openDelivery(tenant, endpoint, { status: 'cancelled', attempt: 2 });
    const { page } = tab;
    await page.getByText('The receiver rate-limits requests.').first().waitFor();
    expect(await page.getByText(/Retry-After|of 5/).count()).toBe(0);
    await tab.goto('/deliveries');
    await rows(page).filter({ hasText: 'cancelled' }).nth(1).waitFor();
    const column = await page.getByRole('columnheader').allTextContents();
    const cells = rows(page).getByRole('cell');
    const attempts = column.indexOf('Attempts');
    expect([
      await cells.nth(attempts).textContent(),
      await cells.nth(attempts + column.length).textContent(),
    ]).toEqual(['–', '2']);
    tab.expectQuiet();
  });

  test('edit an endpoint', async () => {
    const { tenant, endpoint } = await listening(app);
    await using tab = await openAt(tenant, `/webhooks/${endpoint.id}`);
    const { page } = tab;
    await button(page, 'Edit').click();
    await page.getByLabel('Description').fill('Renamed');
    await page.getByRole('switch', { name: 'All events' }).click();
    await page.getByRole('checkbox', { name: 'handoff.requested' }).check();
    await button(page, 'Save').click();
    await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor();
    const { body } = await app.request('GET', endpoint.path, { key: tenant.read });
    expect(body).toMatchObject({ description: 'Renamed', events: ['handoff.requested'] });
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('rotate the secret after confirmation, and show the new one once', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await using tab = await openAt(tenant, `/webhooks/${endpoint.id}`);
    const { page } = tab;
    await button(page, 'Rotate secret').click();
    expect(await page.getByLabel('Overlap').inputValue()).toBe('86400');
    await page.getByLabel('Overlap').selectOption('0');
    await page.getByText('The old secret stops signing deliveries immediately.').waitFor();
    await button(page, 'Rotate').click();
    const secret = await page.getByText(/^whsec_/).innerText();
    await button(page, 'I have saved the secret').click();
    await page.getByText(secret).waitFor({ state: 'detached' });
    await postConversion(app, tenant);
    const [request] = await receiver.waitFor(1);
    expect(request && receiver.verifies(request, secret)).toBe(true);
    expect(request && receiver.verifies(request, endpoint.secret)).toBe(false);
    tab.expectQuiet();
  });

  test('rotate the secret with an overlap, and show until when the previous one signs', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await using tab = await openAt(tenant, `/webhooks/${endpoint.id}`);
    const { page } = tab;
    await button(page, 'Rotate secret').click();
    await tab.expectAccessible();
    await button(page, 'Rotate').click();
    const secret = await page.getByText(/^whsec_/).innerText();
    await button(page, 'I have saved the secret').click();
    await page.getByText('Previous secret signs until').waitFor();
    await postConversion(app, tenant);
    const [request] = await receiver.waitFor(1);
    expect([secret, endpoint.secret].map((each) => request && receiver.verifies(request, each))).toEqual([
      true,
      true,
    ]);
    tab.expectQuiet();
  });

  test('change the signature to Ed25519, and show the public key', async () => {
    const { tenant, endpoint } = await listening(app);
    await using tab = await openAt(tenant, `/webhooks/${endpoint.id}`);
    const { page } = tab;
    await button(page, 'Edit').click();
    await page.getByLabel('Signature').selectOption('ed25519');
    await button(page, 'Save').click();
    const publicKey = await page.getByText(/^whpk_/).innerText();
    const { body } = await app.request('GET', endpoint.path, { key: tenant.read });
    expect(body).toMatchObject({ signing: 'ed25519', publicKey });
    await button(page, 'Rotate secret').click();
    await button(page, 'Rotate').click();
    await page.getByText('The public key verifies').waitFor();
    await button(page, 'I have saved the secret').click();
    await page.getByText(publicKey).waitFor({ state: 'detached' });
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('set custom headers, and keep the stored value of one that stays masked', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await using tab = await openAt(tenant, `/webhooks/${endpoint.id}`);
    const { page } = tab;
    await button(page, 'Edit').click();
    await button(page, 'Add header').click();
    await page.getByLabel('Name of header 1').fill('X-Api-Key');
    await page.getByLabel('Value of header 1').fill('k-123456789');
    await tab.expectAccessible();
    await button(page, 'Save').click();
    await page.getByRole('definition').getByText('X-Api-Key').waitFor();
    await button(page, 'Edit').click();
    expect(await page.getByLabel('Value of header 1').inputValue()).toBe('***');
    await button(page, 'Add header').click();
    await page.getByLabel('Name of header 2').fill('X-Second');
    await page.getByLabel('Value of header 2').fill('two');
    await button(page, 'Save').click();
    await page.getByText('X-Api-Key, X-Second').waitFor();
    await postConversion(app, tenant);
    const [request] = await receiver.waitFor(1);
    expect(request?.headers).toMatchObject({ 'x-api-key': 'k-123456789', 'x-second': 'two' });
    tab.expectQuiet();
  });

  test('set an authentication, and keep its stored secret', async () => {
    const { tenant, endpoint } = await listening(app);
    await using tab = await openAt(tenant, `/webhooks/${endpoint.id}`);
    const { page } = tab;
    await button(page, 'Edit').click();
    await page.getByLabel('Authentication', { exact: true }).selectOption('oauth2');
    await page.getByLabel('Token URL').fill('https://auth.example.com/token');
    await page.getByLabel('Client ID').fill('engagement');
    await page.getByLabel('Client secret').fill('a-secret');
    await tab.expectAccessible();
    await button(page, 'Save').click();
    await page.getByText('OAuth 2.0, client engagement at https://auth.example.com/token').waitFor();
    await button(page, 'Edit').click();
    await page.getByLabel('Scope').fill('hooks:write');
    await button(page, 'Save').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { body } = await app.request('GET', endpoint.path, { key: tenant.read });
    expect(body.authentication).toMatchObject({ oauth2: { clientId: 'engagement', scope: 'hooks:write' } });
    await button(page, 'Edit').click();
    await page.getByLabel('Authentication', { exact: true }).selectOption('mtls');
    await page.getByLabel('Certificate (PEM)').fill('no certificate');
    await page.getByLabel('Private key (PEM)').fill('no key');
    await button(page, 'Save').click();
    await page.getByText('Must be a certificate in PEM').waitFor();
    await page.getByText('Must be a private key in PEM').waitFor();
    tab.expectQuiet();
  });

  test('send a test event with edited data, show the response, and link to its delivery', async () => {
    const { tenant, endpoint, receiver } = await listening(app, { status: 422, body: 'no such stage' });
    await using tab = await openAt(tenant, `/webhooks/${endpoint.id}`);
    const { page } = tab;
    await button(page, 'Send test event').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Event' }).click();
    await page.getByRole('option', { name: 'outcome.marked' }).click();
    await dialog.getByText(CATALOG['outcome.marked'].description).waitFor();
    const data = dialog.getByLabel('Data');
    const example = JSON.parse(await data.inputValue());
    expect(example).toMatchObject({ category: 'qualified' });
    await data.fill('no object');
    await dialog.getByText('Must be a JSON object.').waitFor();
    expect(await button(page, 'Send').isDisabled()).toBe(true);
    await data.fill(JSON.stringify({ ...example, colour: 'red' }));
    await button(page, 'Send').click();
    await dialog.getByText(/^data\.colour: /).waitFor();
    await tab.expectAccessible();
    expect(receiver.received).toEqual([]);
    await data.fill(JSON.stringify({ ...example, category: 'won' }));
    await button(page, 'Send').click();
    await dialog.getByText('Test event retrying').waitFor();
    await dialog.getByText('no such stage').first().waitFor();
    await tab.expectAccessible();
    await page.setViewportSize({ width: 390, height: 844 });
    await tab.expectAccessible();
    await expectFit(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    receiver.behave(200);
    await button(page, 'Send another').press('Enter');
    await dialog.getByText('Test event succeeded').waitFor();
    await dialog.getByRole('link', { name: 'View delivery' }).click();
    await page.getByRole('heading', { level: 1, name: 'Delivery of outcome.marked' }).waitFor();
    await page.getByText('The receiver responded with a 2xx status').waitFor();
    expect(receiver.received[0]?.envelope).toMatchObject({
      event: 'outcome.marked',
      data: { category: 'won', test: true },
    });
    tab.expectQuiet();
  });

  test('disable an endpoint after confirmation, enable it, and recover its deliveries', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await using tab = await openAt(tenant, `/webhooks/${endpoint.id}`);
    const { page } = tab;
    await button(page, 'Disable').click();
    await page.getByText('Its pending deliveries are cancelled').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Endpoint disabled manually').waitFor();
    expect(await button(page, 'Send test event').isDisabled()).toBe(true);
    await tab.expectAccessible();
    await postConversion(app, tenant);
    await postConversion(app, tenant);
    await button(page, 'Enable').click();
    await page.getByText('Starts failed and cancelled deliveries again').waitFor();
    // The first one is that of the offer.
    await button(page, 'Recover deliveries').last().click();
    await page.getByText('start again with attempt 1 of 5').waitFor();
    await tab.expectAccessible();
    await button(page, 'Count').click();
    await page.getByText('2 deliveries found.').waitFor();
    expect(receiver.received).toEqual([]);
    await button(page, 'Recover').click();
    await page.getByText('2 deliveries queued for recovery.').waitFor();
    await receiver.waitFor(2);
    tab.expectQuiet();
  });

  test('mention what a recovery leaves out, and offer to retry it when the receiver answers again', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500);
    await postConversion(app, tenant);
    await scheduled(app, tenant, endpoint, 2);
    await using tab = await openAt(tenant, `/webhooks/${endpoint.id}`, 1440);
    const { page } = tab;
    await button(page, 'Recover deliveries').click();
    await button(page, 'Count').click();
    await page
      .getByText('0 deliveries found. 1 further delivery of this time range will be attempted anyway')
      .waitFor();
    await tab.expectAccessible();
    await button(page, 'Close').click();
    const offer = page.getByRole('alert').filter({ hasText: 'The receiver answers again' });
    expect(await offer.count()).toBe(0);
    receiver.behave(200);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    await page.reload();
    await offer.waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await tab.expectAccessible();
    await expectFit(page);
    await offer.getByRole('button', { name: 'Retry now' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Retry now' });
    await dialog.getByRole('button', { name: 'Count' }).press('Enter');
    await dialog.getByText('1 delivery found.').waitFor();
    await dialog.getByRole('button', { name: 'Retry', exact: true }).press('Enter');
    await dialog.getByText('1 delivery due now.').waitFor();
    await receiver.waitFor(4);
    tab.expectQuiet();
  });

  test('show the headers of an attempt, and its request as a command', async () => {
    const { tenant, endpoint, receiver } = await listening(app, {
      status: 500,
      headers: { 'X-Request-Id': 'r_7', 'Set-Cookie': 'sid=hidden' },
    });
    await postConversion(app, tenant);
    await scheduled(app, tenant, endpoint, 2);
    await using tab = await openDelivery(tenant, endpoint, { attempt: 2 });
    const { page } = tab;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button(page, 'Headers of attempt 1').press('Enter');
    const attempt = page.getByRole('list', { name: 'Attempts' }).getByRole('listitem').first();
    await attempt.getByText('x-request-id: r_7').waitFor();
    await attempt.getByText('set-cookie: ***').waitFor();
    await attempt.getByText('Response body, up to 1 KiB').waitFor();
    await attempt.getByText('X-SVC-Signature: ***').waitFor();
    await tab.expectAccessible();
    await page.setViewportSize({ width: 390, height: 844 });
    await expectFit(page);
    await attempt.getByRole('button', { name: 'Copy as curl' }).press('Enter');
    await attempt.getByText('Copied').waitFor();
    const command = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(command).toContain(`curl -X POST '${receiver.url}'`);
    expect(command).toContain(`-H 'webhook-id: ${receiver.received[0]?.headers['webhook-id']}'`);
    expect(command).toContain(`--data-raw '${receiver.received[0]?.body}'`);
    tab.expectQuiet();
  });

  test('explain an endpoint that was disabled after 410 Gone, and offer what it has missed once it is enabled', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 410);
    await postConversion(app, tenant);
    await eventually(
      async () => !(await app.request('GET', endpoint.path, { key: tenant.read })).body.enabled,
    );
    await postConversion(app, tenant);
    await using tab = await openAt(tenant, `/webhooks/${endpoint.id}`, 1440);
    const { page } = tab;
    await page.getByText('The receiver returned 410 Gone').waitFor();
    await rows(page).getByText('HTTP 410').waitFor();
    const offer = page.getByRole('alert').filter({ hasText: 'failed or were cancelled' });
    expect(await offer.count()).toBe(0);
    receiver.behave(200);
    await button(page, 'Enable').press('Enter');
    // Nothing is known of the receiver yet.
    await offer.filter({ hasText: 'The endpoint has missed deliveries' }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await tab.expectAccessible();
    await expectFit(page);
    await offer.getByRole('button', { name: 'Recover deliveries' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Recover deliveries' });
    await dialog.getByRole('button', { name: 'Count' }).press('Enter');
    await dialog.getByText('2 deliveries found.').waitFor();
    await dialog.getByRole('button', { name: 'Recover', exact: true }).press('Enter');
    await dialog.getByText('2 deliveries queued for recovery.').waitFor();
    await receiver.waitFor(3);
    // The dialog stays although there is nothing left to offer; then its button is hidden.
    await expect.poll(() => offer.count(), { timeout: 40_000 }).toBe(0);
    await dialog.getByText('2 deliveries queued for recovery.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();
    tab.expectQuiet();
  });

  test('delete an endpoint after confirmation', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await using tab = await openAt(tenant, `/webhooks/${endpoint.id}`);
    const { page } = tab;
    await button(page, 'Delete endpoint').click();
    await page.getByText('and its secret are deleted').waitFor();
    await tab.expectAccessible();
    await button(page, 'Cancel').click();
    expect((await app.request('GET', endpoint.path, { key: tenant.read })).status).toBe(200);
    await button(page, 'Delete endpoint').click();
    await button(page, 'Delete').click();
    await page.getByText('No endpoints yet').waitFor();
    expect((await app.request('GET', endpoint.path, { key: tenant.read })).status).toBe(404);
    expect(receiver.received).toEqual([]);
    await tab.goto(`/webhooks/${endpoint.id}`);
    await page.getByText('Endpoint not found').waitFor();
    tab.expectQuiet();
  });

  test('are read-only with a read key', async () => {
    const { tenant, endpoint } = await listening(app);
    await postConversion(app, tenant);
    const { id } = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    await using tab = await browser.open(app.url, tenant.read);
    const { page } = tab;
    const changes = page.getByRole('button', {
      name: /create|edit|send|resend|rotate|recover|disable|enable|delete/i,
    });
    for (const path of ['/webhooks', `/webhooks/${endpoint.id}`, `/deliveries/${id}`]) {
      await tab.goto(path);
      await page.getByText('succeeded').first().waitFor();
      expect(await changes.count(), path).toBe(0);
    }
    tab.expectQuiet();
  });

  test('page through 100,000 deliveries forwards and backwards', async () => {
    const { tenant, endpoint } = await listening(app);
    await postConversion(app, tenant);
    const { id } = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    await multiply(app, id, 100_000);
    await using tab = await openAt(tenant, '/deliveries');
    const { page } = tab;
    await rows(page).first().waitFor();
    const first = () => rows(page).first().getByRole('link').first().getAttribute('href');
    const seen = [await first()];
    for (let turned = 0; turned < 3; turned += 1) {
      await button(page, 'Older').click();
      const before = seen.at(-1);
      await eventually(async () => (await first()) !== before);
      seen.push(await first());
      await expect.poll(() => rows(page).count()).toBe(50);
    }
    await button(page, 'Newer').click();
    await eventually(async () => (await first()) === seen[2]);
    await page.reload();
    await eventually(async () => (await first().catch(() => null)) === seen[2]);
    await button(page, 'Newest').click();
    await eventually(async () => (await first()) === seen[0]);
    expect(new URL(page.url()).search).toBe('');
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(3_000);
    tab.expectQuiet();
  });
});

/** ID of the document that loads all endpoints. */
const ENDPOINTS_DOCUMENT = Object.entries(documents).find(([, text]) =>
  text.includes('query Endpoints {'),
)?.[0];

/** Stores copies of a delivery, each one second older than the one before. */
async function multiply({ models }: TestApp, id: string, count: number): Promise<void> {
  const delivery = await models.Delivery.findById(id).lean();
  if (!delivery) throw new Error(`no delivery ${id}`);
  const newest = Math.floor(delivery.createdAt.getTime() / 1_000);
  const BATCH = 10_000;
  for (let from = 0; from < count; from += BATCH) {
    await models.Delivery.collection.insertMany(
      Array.from({ length: BATCH }, (_, n) => ({
        ...delivery,
        _id: new Types.ObjectId(Types.ObjectId.generate(newest - 1 - from - n)),
        eventId: new Types.ObjectId(),
      })),
      { ordered: false },
    );
  }
}
