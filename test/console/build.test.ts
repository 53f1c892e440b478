import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { CHROMIUM, startBrowser, type TestBrowser } from '../support/browser.ts';

const ROOT = join(import.meta.dirname, '../..');
const ASSETS = join(ROOT, 'dist/console/assets');
/** A browser that reaches the service without TLS accepts no better coding than gzip. */
const MAX_FIRST_VIEW_BYTES = 200_000;
const MAX_PAGE_BYTES = 100_000;

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
  ])('loads a page before the click, by %s at %i px', async (by, width) => {
    await using tab = await browser.open(app.url, tenant.read, { width });
    const { page } = tab;
    if (width < 768) await page.getByRole('button', { name: 'Menu' }).press('Enter');
    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Conversations' });
    const file = page.waitForResponse((response) => response.url().includes('conversations-page-'));
    await (by === 'the pointer' ? link.hover() : link.focus());
    await file;
    expect(await page.getByRole('heading', { level: 1, name: 'Overview' }).count()).toBe(1);
    await tab.expectAccessible();
    await link.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Conversations' }).waitFor();
    tab.expectQuiet();
  });
});
