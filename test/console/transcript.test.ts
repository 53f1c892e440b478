import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectedTenant, syncOf } from '../meetings/support.ts';
import { eventually, type TestTenant } from '../support/app.ts';
import { CHROMIUM, expectFit } from '../support/browser.ts';
import { sizeOf } from '../support/full-size.ts';
import { meetingJson } from '../support/provider.ts';
import { button, heading, input } from './locators.ts';
import { type Stage, startStage } from './meetings-support.ts';

/** Number of segments of the long transcript. */
const SEGMENTS = sizeOf({ small: 1_000, full: 5_000 });
/** Segment with text to escape. */
const ODD = { index: 777, time: '1:04:45', text: 'The offer (v1.2) costs 90% of that, <b>not</b> more.' };

const long = meetingJson(0, { segments: SEGMENTS });
const meetings = [
  {
    ...long,
    transcript: long.transcript?.map((segment, index) =>
      index === ODD.index ? { ...segment, text: ODD.text } : segment,
    ),
  },
  meetingJson(1),
  { ...meetingJson(2), title: 'Pricing review', summary: 'The offer was discussed.' },
];

describe.skipIf(!CHROMIUM)('transcripts in the console', () => {
  let stage: Stage;
  let tenant: TestTenant;
  beforeAll(async () => {
    stage = await startStage(meetings);
    tenant = await connectedTenant(stage.app);
    await syncOf(stage.app, tenant);
    await eventually(async () => {
      const { body } = await stage.app.graphql('{ meetingSearchBacklog }', {}, tenant.read);
      return Number(body.data?.meetingSearchBacklog) === 0 || undefined;
    });
  });
  afterAll(() => stage.stop());

  const transcript = (page: Page) => page.getByRole('region', { name: 'Transcript' });
  const segment = (page: Page, index: number) =>
    transcript(page)
      .getByRole('listitem')
      .filter({ has: page.locator(`[data-index="${index}"]`) });
  const focused = (page: Page) => page.locator('a:focus').getAttribute('data-index');

  /** The segment is in the visible part of the transcript. */
  const expectVisible = async (page: Page, index: number): Promise<void> => {
    const [list, item] = [await transcript(page).boundingBox(), await segment(page, index).boundingBox()];
    if (!list || !item) throw new Error('The transcript is not shown.');
    expect(item.y).toBeGreaterThanOrEqual(list.y - 1);
    expect(item.y + item.height).toBeLessThanOrEqual(list.y + list.height + 1);
  };

  test.each([
    ['desktop', 1440],
    ['phone', 390],
  ])('open at the segment of the URL on a %s', async (_name, width) => {
    await using tab = await stage.openAt(tenant.read, '/meetings/m0#segment-800', width);
    const { page } = tab;
    await page.locator('[data-index="800"]:focus').waitFor();
    await expectVisible(page, 800);
    expect(await segment(page, 800).getAttribute('aria-current')).toBe('true');
    expect(await segment(page, 800).innerText()).toMatch(
      /^1:06:40\s+Host\s+What was said as number 800 of meeting 0\.$/,
    );
    expect(await transcript(page).getByRole('listitem').count()).toBe(SEGMENTS);
    await expectFit(page);
    tab.expectQuiet();
  });

  test('are read, linked and left with the keyboard alone', async () => {
    await using tab = await stage.openAt(tenant.read, '/meetings/m0');
    const { page } = tab;
    await segment(page, SEGMENTS - 1).waitFor({ state: 'attached' });
    await input(page, 'Search transcript').focus();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('0');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toBe('2');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#segment-2$/);
    await page.keyboard.press('End');
    expect(await focused(page)).toBe(String(SEGMENTS - 1));
    await expectVisible(page, SEGMENTS - 1);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Tab');
    await page.getByRole('link', { name: 'All meetings with Guest 0' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Shift+Tab');
    expect(await focused(page)).toBe(String(SEGMENTS - 2));
    await page.goBack();
    expect(new URL(page.url()).hash).toBe('');
    tab.expectQuiet();
  });

  test('are searched with marks, a count, and the next and previous match', async () => {
    await using tab = await stage.openAt(tenant.read, '/meetings/m0');
    const { page } = tab;
    const search = input(page, 'Search transcript');
    const status = page.getByRole('status');
    const at = (index: number) => expectVisible(page, index);
    await search.fill('NUMBER 99');
    await search.press('Enter');
    await status.getByText('1 of 11 matching segments').waitFor();
    await at(99);
    expect(await segment(page, 99).locator('mark').allTextContents()).toEqual(['number 99']);
    await search.press('Enter');
    await status.getByText('2 of 11 matching segments').waitFor();
    await at(990);
    await search.press('Shift+Enter');
    await search.press('Shift+Enter');
    await status.getByText('11 of 11 matching segments').waitFor();
    await at(999);
    await button(page, 'Next match').click();
    await status.getByText('1 of 11 matching segments').waitFor();
    await button(page, 'Previous match').click();
    await at(999);

    await search.fill('(v1.2) costs 90% of that, <b>');
    await status.getByText('1 of 1 matching segments').waitFor();
    await at(ODD.index);
    expect(await segment(page, ODD.index).innerText()).toContain(ODD.time);
    expect(await segment(page, ODD.index).locator('mark').count()).toBe(1);
    await search.fill('never said');
    await status.getByText('No matching segments.').waitFor();
    expect(await transcript(page).locator('mark').count()).toBe(0);
    expect(await button(page, 'Next match').count()).toBe(0);
    await button(page, 'Clear search transcript').click();
    await expect.poll(() => status.getByText('matching segments').count()).toBe(0);
    tab.expectQuiet();
  });

  test('are found by the search across meetings, which opens the segment', async () => {
    await using tab = await stage.openAt(tenant.read, '/meetings');
    const { page } = tab;
    await input(page, 'Search').fill('offer');
    const results = page.getByRole('list', { name: 'Search results' }).locator('> li');
    await expect.poll(() => results.count()).toBe(2);
    expect(await results.nth(0).innerText()).toMatch(
      /^Pricing review[\s\S]*Summary: The offer was discussed\./i,
    );
    expect(await results.nth(1).locator('mark').allTextContents()).toEqual(['offer']);
    await tab.expectAccessible();
    await page.getByRole('link', { name: `Guest 0, ${ODD.time}` }).click();
    await heading(page, 'Meeting 0').waitFor();
    await page.locator(`[data-index="${ODD.index}"]:focus`).waitFor();
    await expectVisible(page, ODD.index);

    await page.goBack();
    await expect.poll(() => results.count()).toBe(2);
    await input(page, 'Search').fill('no such words');
    await heading(page, 'No matching meetings').waitFor();
    await button(page, 'Clear filters').click();
    await page.getByRole('link', { name: 'Meeting 1', exact: true }).waitFor();
    tab.expectQuiet();
  });

  test.each([
    ['desktop', 1440],
    ['phone', 390],
  ])('are accessible on a %s', async (_name, width) => {
    await using tab = await stage.openAt(tenant.read, '/meetings/m2#segment-1', width);
    const { page } = tab;
    await page.locator('[data-index="1"]:focus').waitFor();
    await input(page, 'Search transcript').fill('said');
    await page.getByRole('status').getByText('1 of 2 matching segments').waitFor();
    await tab.expectAccessible();
    await tab.goto('/meetings?search=offer');
    await page.getByRole('list', { name: 'Search results' }).waitFor();
    await expectFit(page);
    await tab.expectAccessible();
    tab.expectQuiet();
  });
});
