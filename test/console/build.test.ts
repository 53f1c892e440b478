import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { CHROMIUM, startBrowser, type TestBrowser } from '../support/browser.ts';
import { menuLink } from './locators.ts';

const ROOT = join(import.meta.dirname, '../..');
const ASSETS = join(ROOT, 'dist/console/assets');
/** A browser that reaches the service without TLS accepts no better coding than gzip. */
const MAX_FIRST_VIEW_BYTES = 200_000;
const MAX_PAGE_BYTES = 100_000;
/** Files of all pages that a customer's key can open, and of what they share. */
const MAX_PAGE_FILES = 40;

/** Clicks a link of the menu, and returns the heading in the next frame. */
const SHOWN_BY_CLICK = `async (name) => {
  const links = [...document.querySelectorAll('nav[aria-label="Pages"] a')];
  links.find(({ textContent }) => textContent === name).click();
  await new Promise(requestAnimationFrame);
  return document.querySelector('main h1').textContent;
}`;

const names = readdirSync(ASSETS);
const read = (name: string): string => readFileSync(join(ASSETS, name), 'utf8');
const scripts = names.filter((name) => name.endsWith('.js'));

describe('the build of the console', () => {
  test('has a first view of less than 200 kB, compressed', () => {
    const html = readFileSync(join(ASSETS, '../index.html'), 'utf8');
    const loaded = names.filter((name) => html.includes(name));
    expect(loaded.some((name) => name.endsWith('.css'))).toBe(true);
    const bytes = loaded.map((name) => gzipSync(read(name)).length).reduce((sum, size) => sum + size);
    expect(bytes).toBeLessThan(MAX_FIRST_VIEW_BYTES);
  });

  test('has pages of less than 100 kB each, charts included', () => {
    const pages = scripts.filter((name) => /-page-/.test(name));
    expect(pages.length).toBeGreaterThan(10);
    for (const name of pages) expect(read(name).length, name).toBeLessThan(MAX_PAGE_BYTES);
  });

  test('has no text of a document of the API', () => {
    for (const name of scripts)
      expect(read(name), name).not.toMatch(/\b(query|mutation) \w+(\(\$|\s*\{\s*\w+)/);
  });

  test('has the styles of all components that it uses, and of no other', () => {
    const directory = join(ROOT, 'node_modules/@mantine/core/styles');
    const imported = readFileSync(join(ROOT, 'src/console/mantine-styles.ts'), 'utf8');
    const code = scripts.map(read).join('\n');
    for (const sheet of readdirSync(directory).filter((name) => /^[A-Z]\w+\.css$/.test(name))) {
      const classes = readFileSync(join(directory, sheet), 'utf8').match(/m_[0-9a-f]+/g) ?? [];
      const isUsed = classes.some((name) => code.includes(name));
      expect(imported.includes(`/${sheet}'`), sheet).toBe(isUsed);
    }
  });
});

describe.skipIf(!CHROMIUM)('the menu of the console', () => {
  let app: TestApp;
  let browser: TestBrowser;
  let tenant: TestTenant;
  beforeAll(async () => {
    app = await startApp();
    browser = await startBrowser();
    tenant = await app.newTenant();
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await app.stop();
  });

  test.each([
    ['the pointer', 1440],
    ['the keyboard', 1440],
    ['the keyboard', 390],
  ])('loads a page before the click, by %s at %i px, for a user who saves data', async (by, width) => {
    await using tab = await browser.open(app.url, tenant.read, { width, savesData: true });
    const { page } = tab;
    if (width < 768) await page.getByRole('button', { name: 'Menu' }).press('Enter');
    const link = menuLink(page, 'Conversations');
    const file = page.waitForResponse((response) => response.url().includes('conversations-page-'));
    await (by === 'the pointer' ? link.hover() : link.focus());
    await file;
    expect(await page.getByRole('heading', { level: 1, name: 'Overview' }).count()).toBe(1);
    await tab.expectAccessible();
    await link.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Conversations' }).waitFor();
    tab.expectQuiet();
  });

  test('loads the pages of the key in few files while the browser is idle, and shows one in the next frame', async () => {
    await using fresh = await startBrowser();
    await using tab = await fresh.open(app.url, null, { width: 1440 });
    const { page } = tab;
    const files: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/assets/')) files.push(request.url());
    });
    const last = page.waitForResponse((response) => response.url().includes('/sessions-page-'));
    await page.getByLabel('API key').fill(tenant.read);
    await page.getByLabel('API key').press('Enter');
    await last;
    const isRequested = (name: string): boolean => files.some((url) => url.includes(`/${name}-page-`));
    for (const name of ['endpoints', 'delivery', 'conversations', 'meeting', 'drift'])
      expect(isRequested(name), name).toBe(true);
    expect(isRequested('customers')).toBe(false);
    expect(files.length).toBeLessThan(MAX_PAGE_FILES);
    files.length = 0;
    expect(await page.evaluate(`(${SHOWN_BY_CLICK})('Conversations')`)).toBe('Conversations');
    await page.getByText('No conversations yet').waitFor();
    expect(files).toEqual([]);
    tab.expectQuiet();
  });

  test('keeps the contrast of the link of the shown page under the pointer', async () => {
    await using tab = await browser.open(app.url, tenant.read, { width: 1440 });
    await menuLink(tab.page, 'Overview').hover();
    await tab.expectAccessible();
  });
});
