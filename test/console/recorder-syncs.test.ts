import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectedTenant, syncOf } from '../meetings/support.ts';
import { CHROMIUM } from '../support/browser.ts';
import { meetingJson } from '../support/provider.ts';
import { button, heading, input, tableRows } from './locators.ts';
import { count, MEETING_COUNT, type Stage, startStage, withBehaviour } from './meetings-support.ts';
import { expectTablesFit } from './phone-support.ts';
import { operationOf, sentOperations } from './sent-operations.ts';

describe.skipIf(!CHROMIUM)('syncs in the console', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage.stop());

  test('list the malformed fields of a sync, and link to their meetings', async () => {
    const tenant = await connectedTenant(stage.app);
    using _odd = withBehaviour(stage, {
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

  test('repeat the request that their updates found in flight, and no other', async () => {
    const tenant = await connectedTenant(stage.app);
    await syncOf(stage.app, tenant);
    await using tab = await stage.openAt(tenant.read, '/my-sessions', 1440);
    const { page } = tab;
    const sent = sentOperations(page);
    const countOf = (name: string) => sent.filter((operation) => operation === name).length;
    const held = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (operationOf(route.request()) === 'SyncRuns') await held.promise;
      await route.continue();
    });
    await tab.goto('/meetings/settings');
    // The second one follows the connection.
    await expect.poll(() => countOf('Recorder')).toBe(2);
    await expect.poll(() => countOf('SyncRuns')).toBe(1);
    held.resolve();
    await tableRows(page, 'Syncs').first().waitFor();
    await expect.poll(() => countOf('SyncRuns')).toBe(2);
    await page.waitForTimeout(200);
    expect(countOf('Recorder')).toBe(2);
    await expectTablesFit(page);
    tab.expectQuiet();
  });

  test('pause a sync, resume it, and show its log', async () => {
    const tenant = await connectedTenant(stage.app);
    await using tab = await stage.openAt(tenant.write, '/meetings/settings');
    const { page } = tab;
    {
      const first = stage.provider.requests.length;
      using _silent = withBehaviour(stage, (_request, index) => (index > first ? 'hang' : 'well'));
      await button(page, 'Sync now').click();
      await count(page, 'Fetched', 50).waitFor();
      await page.getByText(/Oldest meeting read: .*, \d[\d,]* meetings per minute/).waitFor();
      await button(page, 'Pause sync').click();
      await tableRows(page, 'Syncs').getByText('paused').waitFor();
      await tab.expectAccessible();
    }
    await button(page, 'Resume sync').click();
    await button(page, 'Sync now').waitFor();
    await count(page, 'New', MEETING_COUNT).waitFor();

    await tableRows(page, 'Syncs').first().getByRole('link').click();
    await heading(page, 'Log').waitFor();
    const entries = ['started', 'page', 'paused', 'resumed', 'claimed', 'page', 'page'];
    await expect.poll(() => tableRows(page, 'Log').count()).toBe(entries.length);
    for (const [index, entry] of entries.reverse().entries())
      expect(await tableRows(page, 'Log').nth(index).getByRole('cell').nth(1).textContent()).toBe(entry);
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('sync a chosen time range with an estimate, and all meetings after a warning', async () => {
    const tenant = await connectedTenant(stage.app);
    await syncOf(stage.app, tenant);
    const { body } = await stage.app.graphql(
      '{ meetingSyncRuns(first: 10) { pageInfo { endCursor } } }',
      {},
      tenant.read,
    );
    const endCursor = body.data?.meetingSyncRuns?.pageInfo?.endCursor;
    // A page after the last sync has no rows, but leads back; the estimate does not depend on the page.
    await using tab = await stage.openAt(tenant.write, `/meetings/settings?after=${endCursor}`, 390);
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
    await page.getByText(/^\d+ meetings not stored: outside of the time range, /).waitFor();
    await button(page, 'Sync time range').click();
    await dialog.getByLabel('All meetings').check();
    await dialog.getByText('A full resync can run for hours').waitFor();
    await tab.expectAccessible();
    await button(page, 'Start sync').click();
    await page.getByText(/, all meetings$/).waitFor();
    await button(page, 'Newest').click();
    await tableRows(page, 'Syncs').nth(2).waitFor();
    tab.expectQuiet();
  });

  test('keep the page of a sync up to date, from its pause to the end of its log', async () => {
    const tenant = await connectedTenant(stage.app);
    const { syncs } = stage.app.services;
    const first = stage.provider.requests.length;
    let id = '';
    {
      using _silent = withBehaviour(stage, (_request, index) => (index > first ? 'hang' : 'well'));
      ({ id } = await syncs.start(tenant.tenant));
      await expect.poll(async () => (await syncs.find(tenant.tenant, id))?.pages).toBe(1);
      await syncs.pause(tenant.tenant);
    }
    await using tab = await stage.openAt(tenant.read, `/meetings/syncs/${id}`);
    const { page } = tab;
    await page.getByRole('status').getByText('paused').waitFor();
    await syncs.resume(tenant.tenant);
    await page.getByRole('status').getByText('succeeded').waitFor();
    await expect.poll(() => tableRows(page, 'Log').count()).toBe(7);
    tab.expectQuiet();
  });

  test('cancel a sync, and run another one', async () => {
    const tenant = await connectedTenant(stage.app);
    await using tab = await stage.openAt(tenant.write, '/meetings/settings');
    const { page } = tab;
    await page.getByText('No sync has run yet.').waitFor();
    {
      using _silent = withBehaviour(stage, 'hang');
      await button(page, 'Sync now').click();
      await button(page, 'Cancel sync').click();
      await tableRows(page, 'Syncs').getByText('cancelled').waitFor();
    }
    await button(page, 'Sync now').click();
    await count(page, 'New', MEETING_COUNT).waitFor();
    await tableRows(page, 'Syncs').first().getByText('succeeded').waitFor();
    await expect.poll(() => tableRows(page, 'Syncs').count()).toBe(2);
    tab.expectQuiet();
  });
});
