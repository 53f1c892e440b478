import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_KEY, connectedTenant, INVALID_KEY, syncOf } from '../meetings/support.ts';
import { newSigningSecret } from '../meetings/webhook-support.ts';
import { startApp } from '../support/app.ts';
import { CHROMIUM, expectFit } from '../support/browser.ts';
import { unauthorized } from '../support/provider.ts';
import { button, heading, input, tableRows } from './locators.ts';
import { count, MEETING_COUNT, type Stage, startStage, withBehaviour } from './meetings-support.ts';

describe.skipIf(!CHROMIUM)('the recorder settings in the console', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage.stop());

  test('reject an invalid key, accept a valid one, and show the first sync live', async () => {
    const { write } = await stage.app.newTenant();
    await using tab = await stage.openAt(write, '/meetings');
    const { page } = tab;
    await heading(page, 'No recorder connected').waitFor();
    await tab.expectAccessible();
    await page.getByRole('link', { name: 'Connect the recorder' }).click();

    await input(page, 'Provider API key').fill(INVALID_KEY);
    await button(page, 'Connect').click();
    await page
      .getByRole('alert')
      .getByText('The meeting provider rejected this API key. Create a new key there')
      .waitFor();
    await tab.expectAccessible();

    using _slow = withBehaviour(stage, { delayMs: 700 });
    const key = `${API_KEY}_console`;
    await input(page, 'Provider API key').fill(key);
    await button(page, 'Connect').click();
    await page.getByRole('progressbar', { name: 'Sync in progress' }).waitFor();
    await count(page, 'Fetched', 50).waitFor();
    await count(page, 'Fetched', 100).waitFor();
    await button(page, 'Sync now').waitFor();
    await count(page, 'New', MEETING_COUNT).waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(0);
    await tableRows(page, 'Syncs').getByText('succeeded').waitFor();
    await expect.poll(() => tableRows(page, 'Syncs').count()).toBe(1);
    expect(await page.content()).not.toContain(key);
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('explain a failed sync, which is an open issue on the overview page', async () => {
    const tenant = await connectedTenant(stage.app);
    await using tab = await stage.openAt(tenant.write, '/meetings/settings');
    const { page } = tab;
    {
      using _broken = withBehaviour(stage, { status: 500 });
      await button(page, 'Sync now').click();
      await page.getByRole('alert').filter({ hasText: 'The last sync failed' }).waitFor();
    }
    await page.getByRole('alert').getByText('Sync again when the provider is available').waitFor();
    await tab.expectAccessible();
    await tab.goto('/meetings');
    await page.getByText('New meetings may be missing').waitFor();
    await tab.goto('/');
    await page.getByRole('link', { name: /^The last meeting sync failed: / }).click();
    await heading(page, 'Meeting recorder').waitFor();
  });

  test('replace a key that the provider rejects', async () => {
    const tenant = await connectedTenant(stage.app);
    {
      using _revoked = withBehaviour(stage, unauthorized);
      await syncOf(stage.app, tenant);
    }
    await using tab = await stage.openAt(tenant.write, '/');
    const { page } = tab;
    await page
      .getByRole('link', { name: 'Meetings are not synced: the provider rejected the API key' })
      .click();
    await page.getByText('The provider rejected the API key').waitFor();
    expect(await button(page, 'Sync now').count()).toBe(0);

    await button(page, 'Replace key').click();
    await input(page, 'Provider API key').fill(`${API_KEY}_new`);
    await tab.expectAccessible();
    await button(page, 'Replace').click();
    await page.getByText('connected', { exact: true }).waitFor();
    await button(page, 'Sync now').click();
    await count(page, 'New', MEETING_COUNT).waitFor();
    await tab.goto('/');
    await page.getByText('Drift status unavailable').waitFor();
    expect(
      await page
        .getByRole('main')
        .getByText(/meeting/i)
        .count(),
    ).toBe(0);
    tab.expectQuiet();
  });

  test('store, replace and remove the secret of the webhook, and replace its address', async () => {
    const { app } = stage;
    const { tenant, customerId, write } = await connectedTenant(app);
    await app.models.ProviderConnection.updateOne({ _id: customerId }, { $unset: { hookToken: 1 } });
    await using tab = await stage.openAt(write, '/meetings/settings', 1440);
    const { page } = tab;
    const path = async () => (await app.services.providerWebhook.find(tenant))?.path;
    const address = page.getByText(/\/hooks\/recorder\//);
    await page.getByText('This connection has no webhook address yet.').waitFor();
    await button(page, 'Create address').click();
    await address.waitFor();
    const first = await path();
    expect(await address.textContent()).toBe(`${app.url}${first}`);

    await page.getByText('No secret is stored: the service refuses every webhook.').waitFor();
    expect(await button(page, 'Store secret').isDisabled()).toBe(true);
    await input(page, 'Signing secret').fill('whsec_short');
    await page.keyboard.press('Enter');
    await page.getByText('Must be whsec_ and the base64 of 16 to 96 bytes.').waitFor();
    expect(await input(page, 'Signing secret').getAttribute('aria-invalid')).toBe('true');
    await expectFit(page);
    await tab.expectAccessible();

    const secret = newSigningSecret();
    await input(page, 'Signing secret').fill(secret);
    await page.keyboard.press('Enter');
    await page.getByText('A secret is stored encrypted and is not shown again.').waitFor();
    expect(await input(page, 'Signing secret').inputValue()).toBe('');
    expect(await page.content()).not.toContain(secret);

    const dialog = page.getByRole('dialog');
    await button(page, 'Replace address').focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('The service refuses webhooks to the current address at once.').waitFor();
    await tab.expectAccessible();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await path()).toBe(first);
    await button(page, 'Replace address').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => address.textContent()).toBe(`${app.url}${await path()}`);
    expect(await path()).not.toBe(first);

    await button(page, 'Remove secret').click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No secret is stored').waitFor();
    expect(await button(page, 'Remove secret').count()).toBe(0);
    tab.expectQuiet();
  });

  test('disconnect after confirmation, and keep the meetings', async () => {
    const tenant = await connectedTenant(stage.app);
    await syncOf(stage.app, tenant);
    await using tab = await stage.openAt(tenant.write, '/meetings/settings');
    const { page } = tab;
    await button(page, 'Disconnect').click();
    const dialog = page.getByRole('dialog', { name: 'Disconnect the meeting recorder?' });
    await dialog.getByText('Synced meetings and the field mapping are kept').waitFor();
    await tab.expectAccessible();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await stage.app.services.providerConnection.find(tenant.tenant)).toMatchObject({
      status: 'connected',
    });

    await button(page, 'Disconnect').click();
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await heading(page, 'Connect recorder').waitFor();
    expect(await stage.app.services.providerConnection.find(tenant.tenant)).toBeNull();
    await tab.goto('/meetings');
    await tableRows(page, 'Meetings').nth(49).waitFor();
    tab.expectQuiet();
  });

  test('are read-only with a read key', async () => {
    const unconnected = await stage.app.newTenant();
    await using empty = await stage.openAt(unconnected.read, '/meetings/settings');
    await empty.page
      .getByText('Connecting a recorder requires an API key of this service with write scope.')
      .waitFor();
    expect(await input(empty.page, 'Provider API key').count()).toBe(0);

    const tenant = await connectedTenant(stage.app);
    await syncOf(stage.app, tenant);
    await using tab = await stage.openAt(tenant.read, '/meetings/settings');
    const { page } = tab;
    await tableRows(page, 'Field mapping').nth(6).waitFor();
    await tableRows(page, 'Syncs').getByText('succeeded').waitFor();
    for (const name of ['Replace key', 'Disconnect', 'Sync now', 'Add field', 'Save mapping', 'Store secret'])
      expect(await button(page, name).count(), name).toBe(0);
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('explain that no provider is configured', async () => {
    const app = await startApp();
    try {
      const { write } = await app.newTenant();
      await using tab = await stage.browser.open(app.url, write);
      await tab.page.getByText('Drift status unavailable').waitFor();
      expect(
        await tab.page
          .getByRole('main')
          .getByText(/meeting/i)
          .count(),
      ).toBe(0);
      for (const path of ['/meetings', '/meetings/settings']) {
        await tab.goto(path);
        await heading(tab.page, 'No meeting provider configured').waitFor();
        await tab.page.getByText('RECORDER_API_URL').waitFor();
      }
      await tab.expectAccessible();
      tab.expectQuiet();
    } finally {
      await app.stop();
    }
  });
});
