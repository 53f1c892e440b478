import { existsSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

/** Where the screenshots are that the README shows; written when `SCREENSHOTS` is set. */
const SCREENSHOTS = join(import.meta.dirname, '../../docs/screenshots');
const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A Chromium that is installed here; null: the browser tests are skipped, and say so. */
export const CHROMIUM: string | null =
  [process.env.CHROMIUM, ...CANDIDATES].find((path) => path && existsSync(path)) ?? null;

if (!CHROMIUM) {
  const notice = 'No Chromium is installed (or named by CHROMIUM): the browser tests are skipped.';
  if (process.env.BROWSER_TESTS === 'required') throw new Error(notice);
  console.warn(notice);
}

/** One tab, watched: what it complains of, and whom it talks to. */
export interface ConsolePage extends AsyncDisposable {
  page: Page;
  /** Goes to a page of the console, as `/webhooks`. */
  goto(path: string): Promise<void>;
  /** Fails when anything so far was an error on the browser's console, or a request to another origin. */
  expectQuiet(): void;
  /** Fails on a finding of axe-core that is serious or critical, in light and in dark colours. */
  expectAccessible(): Promise<void>;
  /** Takes the README's picture of what is shown, when asked to. */
  screenshot(name: string): Promise<void>;
}

export interface TestBrowser extends AsyncDisposable {
  /** Opens the console in a tab of its own, signed in with the key by pasting it. */
  open(url: string, key: string | null, options?: { width?: number; height?: number }): Promise<ConsolePage>;
}

/** Starts the installed Chromium. */
export async function startBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM ?? undefined,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  return {
    open: (url, key, { width = 1280, height = 800 } = {}) => openConsole(browser, url, key, width, height),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function openConsole(
  browser: Browser,
  url: string,
  key: string | null,
  width: number,
  height: number,
): Promise<ConsolePage> {
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== new URL(url).origin && protocol !== 'data:')
      complaints.push(`request to ${request.url()}`);
  });
  await page.goto(`${url}/console`);
  if (key) {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' });
  }

  async function findings(): Promise<string[]> {
    // Through the protocol, which the page's policy does not concern.
    if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run()')) as {
      violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
    };
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
      );
  }

  return {
    page,
    goto: async (path) => {
      await page.goto(`${url}/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
    expectQuiet: () => expect(complaints).toEqual([]),
    async expectAccessible() {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // Colours change with a transition.
        await page.waitForTimeout(300);
        expect(await findings(), colorScheme).toEqual([]);
      }
      await page.emulateMedia({ colorScheme: 'light' });
    },
    async screenshot(name) {
      if (!process.env.SCREENSHOTS) return;
      await page.mouse.move(0, 0);
      await page.waitForTimeout(500);
      await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}
