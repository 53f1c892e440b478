import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { orderOf } from '../../src/platform/mongo/time-order.ts';
import { append, startConversation } from '../conversations/support.ts';
import type { TestTenant } from '../support/app.ts';
import { CHROMIUM, type ConsolePage, expectFit } from '../support/browser.ts';
import { createEndpoint, postConversion } from '../webhooks/support.ts';
import { tabUntil } from './drift-page-support.ts';
import { FEATURE, STAGE, startFullConsole } from './full-console.ts';
import { expectReachedByTab } from './keyboard-support.ts';
import { button, menuLink, tableRows } from './locators.ts';
import type { Stage } from './meetings-support.ts';
import { expectPhoneLayout, expectReachableActions, expectTablesFit, long, resize } from './phone-support.ts';

const PAGE_SIZE = 50;
const PHONE_WIDTH = 390;
const PHONE = { width: PHONE_WIDTH, height: 844 };
const LAPTOP = { width: 1280, height: 800 };
const DESKTOP = { width: 1440, height: 900 };
const CONSOLE = join(import.meta.dirname, '../../src/console');

/** Returns the texts of the links in a column of the list of deliveries, each in the lines that its cell shows. */
const linesOf = (column: number): string => `[...document.querySelectorAll(
  'table[aria-label="Deliveries"] td:nth-child(${column}) > a',
)].map((link) => {
  const lines = [];
  let lastTop = -1;
  const range = document.createRange();
  const texts = document.createTreeWalker(link, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    for (const index of text.data.split('').keys()) {
      range.setStart(text, index);
      range.setEnd(text, index + 1);
      const { top } = range.getBoundingClientRect();
      if (top - lastTop > 2) lines.push('');
      lastTop = top;
      lines[lines.length - 1] += text.data[index];
    }
  return lines;
})`;

/** Stores conversations with the visitors `v_0`, `v_1` and so on, newest first. */
async function storeConversations({ app }: Stage, tenant: TestTenant, count: number): Promise<void> {
  const { id } = await startConversation(app, tenant, { visitorId: 'v_0' });
  const { Conversation } = app.models;
  const conversation = await Conversation.findById(id).lean();
  if (!conversation) throw new Error('The conversation is missing.');
  await Conversation.collection.insertMany(
    Array.from({ length: count - 1 }, (_, n) => {
      const startedAt = new Date(conversation.startedAt.getTime() - (n + 1) * 1_000);
      const _id = new Types.ObjectId();
      return { ...conversation, _id, visitorId: `v_${n + 1}`, startedAt, order: orderOf(startedAt, _id) };
    }),
  );
}

describe.skipIf(!CHROMIUM)('the console on a phone', () => {
  const cleanUp = new AsyncDisposableStack();
  let stage: Stage;
  let tenant: TestTenant;
  let ids: Record<string, string>;
  let openAsAdmin: () => Promise<ConsolePage>;
  beforeAll(async () => {
    const console = cleanUp.use(await startFullConsole());
    ({ stage, tenant, ids } = console);
    openAsAdmin = () => console.openAsAdmin(PHONE_WIDTH);
  });
  afterAll(() => cleanUp.disposeAsync());

  test('every page fits a phone and a large screen, in both color schemes and with the keyboard alone', {
    timeout: 300_000,
  }, async () => {
    await using tab = await openAsAdmin();
    const { page } = tab;
    /** Each page by its route, with its path and the table that it shows. */
    const pages: readonly (readonly [route: string, path: string, table?: string])[] = [
      ['/', '/'],
      ['/webhooks', '/webhooks', 'Webhook endpoints'],
      ['/webhooks/:id', `/webhooks/${ids.endpoint}`, 'Deliveries'],
      ['/deliveries', '/deliveries', 'Deliveries'],
      ['/deliveries/:id', `/deliveries/${ids.delivery}`],
      ['/event-feeds', '/event-feeds', 'Event feeds'],
      ['/conversations', '/conversations', 'Conversations'],
      ['/conversations/:id', `/conversations/${ids.conversation}`],
      ['/privacy', '/privacy', 'Retention times'],
      ['/meetings', '/meetings', 'Meetings'],
      ['/meetings', '/meetings?view=activities', 'Meeting activities'],
      ['/meetings/settings', '/meetings/settings', 'Syncs'],
      ['/meetings/syncs/:id', `/meetings/syncs/${ids.sync}`, 'Log'],
      ['/meetings/:id', '/meetings/m0'],
      ['/drift', '/drift', 'Features'],
      ['/drift', `/drift?stage=${STAGE}`, 'Features'],
      ['/audit', '/audit', 'Audit log'],
      ['/customers', '/customers', 'Customers'],
      ['/keys', '/keys', 'API keys'],
      ['/my-sessions', '/my-sessions', 'Sessions'],
    ];
    const routes = readFileSync(join(CONSOLE, 'page-routes.tsx'), 'utf8').matchAll(/<Route path="([^"]+)"/g);
    expect(new Set([...routes].map(([, route]) => route))).toEqual(new Set(pages.map(([route]) => route)));
    for (const [, path, name] of pages) {
      await tab.goto(path);
      if (name) {
        const table = page.getByRole('table', { name });
        await table.getByRole('cell').first().waitFor();
        const heading = await table.getByRole('columnheader').first().textContent();
        const label = await page.evaluate(
          `getComputedStyle(document.querySelector('table[aria-label="${name}"] td'), '::before').content`,
        );
        expect(label, path).toContain(JSON.stringify(heading?.trim()));
      } else await page.getByRole('heading', { level: 2 }).nth(1).waitFor();
      await expectPhoneLayout(tab);
      await expectReachableActions(page);
      await expectReachedByTab(page);
      for (const size of [LAPTOP, DESKTOP]) {
        await resize(page, size);
        await expectFit(page);
        await expectTablesFit(page);
      }
      await tab.expectAccessible();
      await expectReachedByTab(page);
      await page.setViewportSize(PHONE);
    }
    tab.expectQuiet();
  });

  test('long texts are clamped, and shown completely on request or on their page', async () => {
    await using tab = await openAsAdmin();
    const { page } = tab;
    const heightOf = async (text: string): Promise<number> =>
      (await page.getByRole('main').getByText(text, { exact: true }).first().boundingBox())?.height ?? 0;
    await tab.goto('/webhooks');
    const name = long('Endpoint of the sales department');
    await page.getByRole('link', { name }).waitFor();
    expect(await heightOf(name)).toBeLessThan(60);
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('definition').getByText(name).waitFor();

    await page.getByRole('button', { name: 'Delete endpoint' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click({ trial: true });
    await expectPhoneLayout(tab);

    await tab.goto('/customers');
    const row = tableRows(page, 'Customers').filter({ hasText: '88001' });
    const heightPx = async (): Promise<number> => (await row.boundingBox())?.height ?? 0;
    const showAll = row.getByRole('button', { name: 'Show all' }).first();
    await showAll.waitFor();
    const clampedPx = await heightPx();
    await showAll.press('Enter');
    await expect.poll(heightPx).toBeGreaterThan(clampedPx + 100);
    await row.getByRole('button', { name: 'Show less' }).press('Enter');
    await expect.poll(heightPx).toBe(clampedPx);

    await tab.goto('/drift');
    await page.getByRole('button', { name: FEATURE }).click();
    const drawer = page.getByRole('dialog', { name: FEATURE });
    await drawer.getByRole('table', { name: 'Bins' }).getByRole('cell').first().waitFor();
    // A phone has no pointer that rests on the chart.
    await page.mouse.move(0, 0);
    await expectPhoneLayout(tab);
    await drawer.getByRole('button', { name: 'Close feature' }).click();
    await drawer.waitFor({ state: 'detached' });
    await button(page, 'Score').press('Enter');
    expect(await page.getByRole('columnheader', { name: 'Score' }).getAttribute('aria-sort')).toBe(
      'ascending',
    );
    tab.expectQuiet();
  });

  test('the name of an event breaks after a dot, in a cell that is narrower', async () => {
    await using tab = await stage.openAt(tenant.read, '/deliveries', PHONE_WIDTH);
    const { page } = tab;
    await page.getByRole('link', { name: 'conversion.recorded' }).first().waitFor();
    const names = (await page.evaluate(linesOf(2))) as string[][];
    expect(names.map((lines) => lines.join(''))).toContain('conversion.recorded');
    expect(names.some((lines) => lines.length > 1)).toBe(true);
    for (const lines of names) expect(lines.slice(0, -1).join(''), lines.join('|')).toMatch(/^([a-z_]+\.)?$/);
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const lines of (await page.evaluate(linesOf(2))) as string[][]) expect(lines).toHaveLength(1);
    tab.expectQuiet();
  });

  test('the address of an endpoint breaks after its separators', async () => {
    const other = await stage.app.newTenant();
    const address = '127.0.0.1:9/hooks/sales-department/events';
    await createEndpoint(stage.app, other, { url: `http://${address}`, paused: true });
    await postConversion(stage.app, other);
    await using tab = await stage.openAt(other.read, '/deliveries', PHONE_WIDTH);
    const { page } = tab;
    await page.getByRole('link', { name: address }).waitFor();
    const [lines = []] = (await page.evaluate(linesOf(3))) as string[][];
    expect(lines.join('')).toBe(address);
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines.slice(0, -1)) expect(line, lines.join('|')).toMatch(/[/.:-]$/);
    tab.expectQuiet();
  });

  test('Escape closes the menu and returns the focus to its button', async () => {
    await using tab = await openAsAdmin();
    const { page } = tab;
    const menu = page.getByRole('button', { name: 'Menu' });
    const link = menuLink(page, 'Conversations');
    await menu.press('Enter');
    await link.focus();
    await expectPhoneLayout(tab);
    await page.keyboard.press('Escape');
    await link.waitFor({ state: 'hidden' });
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Menu');
    await menu.click();
    await link.click();
    await page.getByRole('heading', { level: 1, name: 'Conversations' }).waitFor();
    await link.waitFor({ state: 'hidden' });
    tab.expectQuiet();
  });

  test('a list is paged forwards and backwards, also with the keyboard alone', async () => {
    const lister = await stage.app.newTenant();
    await storeConversations(stage, lister, 2 * PAGE_SIZE + 20);
    await using tab = await stage.openAt(lister.read, '/conversations', PHONE_WIDTH);
    const { page } = tab;
    const visitor = (index: number) => page.getByRole('link', { name: `v_${index}`, exact: true });
    const shows = async (first: number, count = PAGE_SIZE): Promise<void> => {
      await visitor(first).waitFor();
      await expect.poll(() => tableRows(page, 'Conversations').count()).toBe(count);
    };
    await shows(0);
    await button(page, 'Older').click();
    await shows(PAGE_SIZE);
    // The page is read from its top.
    await expect.poll(() => visitor(PAGE_SIZE).isVisible()).toBe(true);
    expect((await visitor(PAGE_SIZE).boundingBox())?.y).toBeGreaterThan(0);
    await page.getByLabel('Conversion').selectOption('Not converted');
    await shows(0);
    expect(new URL(page.url()).search).toBe('?converted=false');

    await page.setViewportSize({ width: 1440, height: 900 });
    await visitor(PAGE_SIZE - 1).focus();
    await tabUntil(page, 'Older');
    await page.keyboard.press('Enter');
    await shows(PAGE_SIZE);
    await page.keyboard.press('Enter');
    await shows(2 * PAGE_SIZE, 20);
    expect(await button(page, 'Older').isDisabled()).toBe(true);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await shows(PAGE_SIZE);
    await page.reload();
    await shows(PAGE_SIZE);
    // On a further page, shown rows are updated in place, and new ones are neither added nor offered.
    await page.getByText('Live', { exact: true }).waitFor();
    const visitors = () => tableRows(page, 'Conversations').getByRole('link').allTextContents();
    const shown = await visitors();
    await startConversation(stage.app, lister, { visitorId: 'v_new' });
    const shownId = (await visitor(PAGE_SIZE).getAttribute('href'))?.split('/').at(-1) ?? '';
    await append(stage.app, lister, shownId, [{ role: 'visitor', text: 'Hello?' }]);
    const messageCount = tableRows(page, 'Conversations').first().getByRole('cell').nth(5);
    await expect.poll(() => messageCount.textContent()).toBe('1');
    expect(await visitors()).toEqual(shown);
    expect(await page.getByRole('button', { name: /^Show \d/ }).count()).toBe(0);
    await page.goForward();
    await shows(2 * PAGE_SIZE, 20);
    await button(page, 'Newest').press('Enter');
    await shows(0);
    expect((await visitors())[0]).toBe('v_new');
    expect(new URL(page.url()).search).toBe('?converted=false');
    tab.expectQuiet();
  });
});
