import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_KEY, connectedTenant, INVALID_KEY, syncOf } from '../meetings/support.ts';
import { startApp } from '../support/app.ts';
import { CHROMIUM, startBrowser } from '../support/browser.ts';
import { meetingJson, unauthorized } from '../support/provider.ts';
import { button, heading, input, MEETING_COUNT, rows, type Stage, startStage } from './meetings-support.ts';

describe.skipIf(!CHROMIUM)('the recorder settings in the console', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage.stop());

  /** Changes the behaviour of the provider until the end of the block. */
  function withBehaviour(behaviour: Parameters<Stage['provider']['behave']>[0]): Disposable {
    stage.provider.behave(behaviour);
    return { [Symbol.dispose]: () => stage.provider.behave('well') };
  }

  const count = (page: Page, name: string, value: number) =>
    page
      .getByRole('term')
      .filter({ hasText: name })
      .locator('+ dd')
      .getByText(String(value), { exact: true });
  const field = (page: Page, name: string) => page.getByRole('combobox', { name });

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

    using _slow = withBehaviour({ delayMs: 700 });
    const key = `${API_KEY}_console`;
    await input(page, 'Provider API key').fill(key);
    await button(page, 'Connect').click();
    await page.getByRole('progressbar', { name: 'Sync in progress' }).waitFor();
    await count(page, 'Fetched', 50).waitFor();
    await count(page, 'Fetched', 100).waitFor();
    await button(page, 'Sync now').waitFor();
    await count(page, 'New', MEETING_COUNT).waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(0);
    await rows(page, 'Syncs').getByText('succeeded').waitFor();
    await expect.poll(() => rows(page, 'Syncs').count()).toBe(1);
    expect(await page.content()).not.toContain(key);
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('list the malformed fields of a sync, and link to their meetings', async () => {
    const tenant = await connectedTenant(stage.app);
    using _odd = withBehaviour({
      change: () => ({ meetings: [{ ...meetingJson(3), title: { text: 7 } }] }),
    });
    await syncOf(stage.app, tenant);
    await using tab = await stage.openAt(tenant.read, '/meetings/settings');
    const { page } = tab;
    await count(page, 'Warnings', 1).waitFor();
    await page.getByText('1 malformed field').click();
    await page.getByRole('listitem').filter({ hasText: 'm3 title: expected text' }).waitFor();
    await tab.expectAccessible();
    await page.getByRole('link', { name: 'm3', exact: true }).click();
    await heading(page, 'Untitled meeting').waitFor();
    await page.getByText('1 malformed field').click();
    await page.getByRole('listitem').filter({ hasText: 'title: expected text' }).waitFor();
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('pause a sync, resume it, and show its log', async () => {
    const tenant = await connectedTenant(stage.app);
    await using tab = await stage.openAt(tenant.write, '/meetings/settings');
    const { page } = tab;
    {
      const first = stage.provider.requests.length;
      using _silent = withBehaviour((_request, index) => (index > first ? 'hang' : 'well'));
      await button(page, 'Sync now').click();
      await count(page, 'Fetched', 50).waitFor();
      await page.getByText(/Oldest meeting read: .*, \d[\d,]* meetings per minute/).waitFor();
      await button(page, 'Pause sync').click();
      await rows(page, 'Syncs').getByText('paused').waitFor();
      await tab.expectAccessible();
    }
    await button(page, 'Resume sync').click();
    await button(page, 'Sync now').waitFor();
    await count(page, 'New', MEETING_COUNT).waitFor();

    await rows(page, 'Syncs').first().getByRole('link').click();
    await heading(page, 'Log').waitFor();
    const entries = ['started', 'page', 'paused', 'resumed', 'claimed', 'page', 'page'];
    await expect.poll(() => rows(page, 'Log').count()).toBe(entries.length);
    for (const [index, entry] of entries.reverse().entries())
      expect(await rows(page, 'Log').nth(index).getByRole('cell').nth(1).textContent()).toBe(entry);
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('sync a chosen time range with an estimate, and all meetings after a warning', async () => {
    const tenant = await connectedTenant(stage.app);
    await syncOf(stage.app, tenant);
    await using tab = await stage.openAt(tenant.write, '/meetings/settings', 390);
    const { page } = tab;
    const dialog = page.getByRole('dialog', { name: 'Sync time range' });
    const localTime = (hoursAgo: number): Promise<string> =>
      page.evaluate(`(() => {
        const at = new Date(Date.now() - ${hoursAgo} * 3_600_000);
        return new Date(at - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
      })()`);
    const [from, to] = [input(page, 'From'), input(page, 'To')];
    await button(page, 'Sync time range').click();
    expect(await button(page, 'Start sync').isDisabled()).toBe(true);
    await from.fill(await localTime(20 * 366 * 24));
    await to.fill(await localTime(-24));
    await button(page, 'Start sync').click();
    await dialog.getByText('Must be at most 10 years ago').waitFor();
    await dialog.getByText('Must not be in the future.').waitFor();
    expect(await from.getAttribute('aria-invalid')).toBe('true');
    expect(await dialog.getByRole('alert').count()).toBe(0);
    await tab.expectAccessible();

    await from.fill(await localTime(48));
    await to.fill(await localTime(24));
    expect(await dialog.getByText('Must not be in the future.').count()).toBe(0);
    await dialog.getByText(/^Estimate: about \d+ meetings? in /).waitFor();
    await button(page, 'Start sync').click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(/, meetings from .* to /).waitFor();
    await page.getByText(/^\d+ meetings outside of the time range, not stored\.$/).waitFor();
    await button(page, 'Sync time range').click();
    await dialog.getByLabel('All meetings').check();
    await dialog.getByText('A full resync can run for hours').waitFor();
    await tab.expectAccessible();
    await button(page, 'Start sync').click();
    await page.getByText(/, all meetings$/).waitFor();
    await rows(page, 'Syncs').nth(2).waitFor();
    tab.expectQuiet();
  });

  test('keep the page of a sync up to date, from its pause to the end of its log', async () => {
    const tenant = await connectedTenant(stage.app);
    const { syncs } = stage.app.services;
    const first = stage.provider.requests.length;
    let id = '';
    {
      using _silent = withBehaviour((_request, index) => (index > first ? 'hang' : 'well'));
      ({ id } = await syncs.start(tenant.tenant));
      await expect.poll(async () => (await syncs.find(tenant.tenant, id))?.pages).toBe(1);
      await syncs.pause(tenant.tenant);
    }
    await using tab = await stage.openAt(tenant.read, `/meetings/syncs/${id}`);
    const { page } = tab;
    await page.getByRole('status').getByText('paused').waitFor();
    await syncs.resume(tenant.tenant);
    await page.getByRole('status').getByText('succeeded').waitFor();
    await expect.poll(() => rows(page, 'Log').count()).toBe(7);
    tab.expectQuiet();
  });

  test('cancel a sync, and run another one', async () => {
    const tenant = await connectedTenant(stage.app);
    await using tab = await stage.openAt(tenant.write, '/meetings/settings');
    const { page } = tab;
    await page.getByText('No sync has run yet.').waitFor();
    {
      using _silent = withBehaviour('hang');
      await button(page, 'Sync now').click();
      await button(page, 'Cancel sync').click();
      await rows(page, 'Syncs').getByText('cancelled').waitFor();
    }
    await button(page, 'Sync now').click();
    await count(page, 'New', MEETING_COUNT).waitFor();
    await rows(page, 'Syncs').first().getByText('succeeded').waitFor();
    await expect.poll(() => rows(page, 'Syncs').count()).toBe(2);
    tab.expectQuiet();
  });

  test('explain a failed sync, which is an open issue on the overview page', async () => {
    const tenant = await connectedTenant(stage.app);
    await using tab = await stage.openAt(tenant.write, '/meetings/settings');
    const { page } = tab;
    {
      using _broken = withBehaviour({ status: 500 });
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
      using _revoked = withBehaviour(unauthorized);
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

  test('edit the field mapping with validation messages in its rows, and reset it', async () => {
    const { app } = stage;
    const tenant = await connectedTenant(app);
    const saved = await app.services.fieldMapping.get(tenant.tenant);
    await using tab = await stage.openAt(tenant.write, '/meetings/settings');
    const { page } = tab;
    await button(page, 'Add field').click();
    await field(page, 'Source of field 8').fill('recording_url');
    await field(page, 'Target of field 8').fill('properties.host');
    await page.getByLabel('Transform of field 3').selectOption('trim');
    await button(page, 'Save mapping').click();
    const added = rows(page, 'Field mapping').nth(7);
    await added.getByText('Must be one of id, title').waitFor();
    await rows(page, 'Field mapping')
      .nth(2)
      .getByText(/^Must be none, since created_at/)
      .waitFor();
    await tab.expectAccessible();
    expect(await app.services.fieldMapping.get(tenant.tenant)).toEqual(saved);

    await field(page, 'Source of field 8').fill('participants[0].name');
    await page.getByLabel('Transform of field 3').selectOption('none');
    await button(page, 'Remove field 2').click();
    await button(page, 'Save mapping').click();
    await page.getByText('Field mapping saved.').waitFor();
    expect(await button(page, 'Save mapping').isDisabled()).toBe(true);
    const changed = await app.services.fieldMapping.get(tenant.tenant);
    expect(changed.map(({ targetField }) => targetField)).toEqual([
      ...saved.map(({ targetField }) => targetField).filter((target) => target !== 'properties.title'),
      'properties.host',
    ]);

    await button(page, 'Reset to default').click();
    await button(page, 'Save mapping').click();
    await expect.poll(() => app.services.fieldMapping.get(tenant.tenant)).toEqual(saved);
  });

  test('preview what a meeting becomes with the edited mapping, and apply it to all activities', async () => {
    const { app } = stage;
    const tenant = await connectedTenant(app);
    const saved = await app.services.fieldMapping.get(tenant.tenant);
    await using tab = await stage.openAt(tenant.write, '/meetings/settings', 390);
    const { page } = tab;
    await button(page, 'Preview mapping').click();
    await page.getByText('No such meeting is stored.').waitFor();
    await syncOf(app, tenant);

    await button(page, 'Add field').click();
    await field(page, 'Source of field 8').fill('/recording_url');
    await page.getByText("JSON pointer into the provider's record", { exact: true }).waitFor();
    await field(page, 'Target of field 8').fill('properties.recording');
    await button(page, 'Add field').click();
    await field(page, 'Source of field 9').fill('no_such_field');
    await field(page, 'Target of field 9').fill('properties.missing');
    await button(page, 'Preview mapping').click();
    await rows(page, 'Field mapping').nth(8).getByText('Must be one of id, title').waitFor();
    await field(page, 'Source of field 9').fill('/participants/7/email');
    await input(page, 'Provider meeting ID').fill('m4');
    await input(page, 'Provider meeting ID').press('Enter');

    const preview = rows(page, 'Preview of the mapping');
    const cells = async (index: number): Promise<string[]> =>
      (await preview.nth(index).getByRole('cell').allTextContents()).slice(0, 3);
    await preview.nth(8).waitFor();
    await page.getByText(/^Activity recorder_m4 of the meeting m4:$/).waitFor();
    expect(await cells(0)).toEqual(['externalId', 'm4', 'id']);
    expect(await cells(7)).toEqual([
      'properties.recording',
      'https://recordings.example.com/m4',
      '/recording_url',
    ]);
    expect(await cells(8)).toEqual(['properties.missing', 'no value', '/participants/7/email']);
    expect(await preview.nth(8).getByRole('cell').last().textContent()).not.toBe('');
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await tab.expectAccessible();
    await button(page, 'Remove field 9').click();
    await page.getByText('The mapping has changed since this preview.').waitFor();
    expect(await app.services.fieldMapping.get(tenant.tenant)).toEqual(saved);

    const requests = stage.provider.requests.length;
    await button(page, 'Save mapping').click();
    await page.getByText(`The mapping was applied to ${MEETING_COUNT} stored activities`).waitFor();
    expect(stage.provider.requests.length).toBe(requests);
    await tab.expectAccessible();
    await tab.goto('/meetings?view=activities');
    await rows(page, 'Meeting activities')
      .first()
      .getByText('recording: https://recordings.example.com/m0')
      .waitFor();
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
    expect(await stage.app.services.recorder.find(tenant.tenant)).toMatchObject({ status: 'connected' });

    await button(page, 'Disconnect').click();
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await heading(page, 'Connect recorder').waitFor();
    expect(await stage.app.services.recorder.find(tenant.tenant)).toBeNull();
    await tab.goto('/meetings');
    await rows(page, 'Meetings').nth(49).waitFor();
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
    await rows(page, 'Field mapping').nth(6).waitFor();
    await rows(page, 'Syncs').getByText('succeeded').waitFor();
    for (const name of ['Replace key', 'Disconnect', 'Sync now', 'Add field', 'Save mapping'])
      expect(await button(page, name).count(), name).toBe(0);
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('explain that no provider is configured', async () => {
    const app = await startApp();
    const browser = await startBrowser();
    try {
      const { write } = await app.newTenant();
      await using tab = await browser.open(app.url, write);
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
      await browser[Symbol.asyncDispose]();
      await app.stop();
    }
  });
});
