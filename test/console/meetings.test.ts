import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectedTenant, idsOf, syncOf } from '../meetings/support.ts';
import { hookOf, newSigningSecret, send, signed } from '../meetings/webhook-support.ts';
import type { TestTenant } from '../support/app.ts';
import { CHROMIUM, expectFit } from '../support/browser.ts';
import { button, heading, input, tableRows } from './locators.ts';
import { meetings, SEGMENT_COUNT, type Stage, startStage } from './meetings-support.ts';

describe.skipIf(!CHROMIUM)('meetings in the console', () => {
  let stage: Stage;
  let synced: TestTenant;
  beforeAll(async () => {
    stage = await startStage();
    synced = await connectedTenant(stage.app);
    await syncOf(stage.app, synced);
  });
  afterAll(() => stage.stop());

  test('have search and filter in the URL', async () => {
    await using tab = await stage.openAt(synced.read, '/meetings');
    const { page } = tab;
    await tableRows(page, 'Meetings').nth(49).waitFor();
    const stored = tableRows(page, 'Meetings').first().getByRole('cell').last().locator('time');
    expect(Date.parse((await stored.getAttribute('datetime')) ?? '')).toBeGreaterThan(Date.now() - 600_000);
    await button(page, 'Older').click();
    await page.getByRole('link', { name: 'Meeting 50', exact: true }).waitFor();

    await input(page, 'Search').fill('number 17');
    await page.waitForURL(/search=number\+17/);
    const results = page.getByRole('list', { name: 'Search results' }).locator('> li');
    // The second one has the words in its long transcript.
    await expect.poll(() => results.count()).toBe(2);
    await results.first().getByRole('link', { name: 'Meeting 17', exact: true }).waitFor();
    await tab.expectAccessible();
    await page.reload();
    await results.first().getByRole('link', { name: 'Meeting 17', exact: true }).waitFor();
    expect(await input(page, 'Search').inputValue()).toBe('number 17');

    await input(page, 'Search').fill('no match');
    await heading(page, 'No matching meetings').waitFor();
    await button(page, 'Clear filters').click();
    await tableRows(page, 'Meetings').nth(49).waitFor();
    expect(await input(page, 'Search').inputValue()).toBe('');

    await tab.goto(`/meetings?since=${meetings[3]?.created_at}`);
    await tableRows(page, 'Meetings').nth(3).waitFor();
    await expect.poll(() => tableRows(page, 'Meetings').count()).toBe(4);
    await input(page, 'Search').fill('number 2');
    // The other one has the words in its long transcript.
    await expect.poll(() => results.count()).toBe(2);
    const found = results.first();
    await found.getByRole('link', { name: 'Meeting 2', exact: true }).waitFor();
    // The title is marked where it is, and not repeated as a snippet.
    expect(await found.getByText('title:').count()).toBe(0);
    expect(await found.getByRole('link').locator('mark').allInnerTexts()).toContain('2');
    tab.expectQuiet();
  });

  test('have activities, with a filter by person', async () => {
    await using tab = await stage.openAt(synced.read, '/meetings');
    const { page } = tab;
    await page.getByRole('tab', { name: 'Activities' }).click();
    await page.waitForURL(/view=activities/);
    await page.getByRole('link', { name: 'guest.1@example.com', exact: true }).click();
    await page.waitForURL(/person=guest\.1%40example\.com/);
    await page.waitForFunction(() => globalThis.document.querySelectorAll('tbody tr').length === 1);
    await tableRows(page, 'Meeting activities').getByText('title: Meeting 1').waitFor();
    await tab.expectAccessible();
    await input(page, 'Person').fill('unknown@example.com');
    await heading(page, 'No matching activities').waitFor();
    await input(page, 'Person').fill('guest.1@example.com');
    await page.getByRole('link', { name: 'recorder_m1', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Meeting 1' }).waitFor();
    tab.expectQuiet();
  });

  test('show participants, summary and transcript', async () => {
    await using tab = await stage.openAt(synced.read, '/meetings/m0');
    const { page } = tab;
    const segments = page.getByRole('region', { name: 'Transcript' }).getByRole('listitem');
    await expect.poll(() => segments.count()).toBe(SEGMENT_COUNT);
    await page.getByText(`${SEGMENT_COUNT} segments`).waitFor();
    await page.getByText('They met as number 0.').waitFor();
    await page.getByText('guest.0@example.com').waitFor();
    await page.getByText('host', { exact: true }).waitFor();
    expect(await segments.nth(13).innerText()).toMatch(
      /^1:05\s+Guest 0\s+What was said as number 13 of meeting 0\.$/,
    );
    await tab.expectAccessible();

    await page.getByRole('link', { name: 'All meetings with Guest 0' }).click();
    const results = page.getByRole('list', { name: 'Search results' }).locator('> li');
    await expect.poll(() => results.count()).toBe(1);
    await results.getByRole('link', { name: 'Meeting 0', exact: true }).waitFor();
    tab.expectQuiet();
  });

  test('explain a missing transcript and an unknown meeting', async () => {
    await using tab = await stage.openAt(synced.read, '/meetings/m1');
    const { page } = tab;
    await page.getByText('the provider may still be processing the recording').waitFor();
    await page.getByText('The provider has not returned a summary.').waitFor();
    await tab.expectAccessible();
    await tab.goto('/meetings/unknown');
    await heading(page, 'Meeting not found').waitFor();
    tab.expectQuiet();
  });

  test('that the provider has deleted are listed on request, and say so', async () => {
    const { app } = stage;
    const tenant = await connectedTenant(app);
    await syncOf(app, tenant);
    const secret = newSigningSecret();
    const { path } = await hookOf(app, tenant, secret);
    const { id, created_at } = { ...meetings[1] };
    const body = JSON.stringify({ type: 'meeting.deleted', data: { id, created_at } });
    await send(app.url, path, body, signed({ body, secret }));
    await expect.poll(async () => (await idsOf(app, tenant)).includes('m1'), { timeout: 10_000 }).toBe(false);

    await using tab = await stage.openAt(tenant.read, '/meetings', 390);
    const { page } = tab;
    const deleted = page.getByRole('link', { name: 'Meeting 1', exact: true });
    await tableRows(page, 'Meetings').nth(49).waitFor();
    expect(await deleted.count()).toBe(0);
    expect(await page.getByText('deleted', { exact: true }).count()).toBe(0);
    await page.getByLabel('Include deleted').focus();
    await page.keyboard.press('Space');
    await page.waitForURL(/deleted=included/);
    await deleted.waitFor();
    expect(await tableRows(page, 'Meetings').nth(1).innerText()).toMatch(
      /Meeting 1\s+deleted\s+.*(now|second)/,
    );
    expect(await page.getByText('deleted', { exact: true }).count()).toBe(1);
    await tab.expectAccessible();
    await input(page, 'Search').fill('meeting 1');
    await page.getByText('With deleted meetings, the search leaves transcripts out.').waitFor();
    await page.reload();
    await deleted.click();
    await page.getByRole('alert').getByText('Deleted at the provider').waitFor();
    await page.getByText('The provider returned no transcript before the deletion.').waitFor();
    await expectFit(page);
    await tab.expectAccessible();

    await page.goBack();
    await button(page, 'Clear filters').click();
    await tableRows(page, 'Meetings').nth(49).waitFor();
    expect(await deleted.count()).toBe(0);
    tab.expectQuiet();
  });
});
