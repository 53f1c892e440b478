import { existsSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
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

/** One tab, watched: its errors and warnings, and the origins it sends requests to. */
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

interface OpenOptions {
  width?: number;
  height?: number;
  /** Page of the console, as `/webhooks`; the overview by default. */
  path?: string;
}

export interface TestBrowser extends AsyncDisposable {
  /** Opens the console in a tab of its own, signed in with the key by pasting it. */
  open(url: string, key: string | null, options?: OpenOptions): Promise<ConsolePage>;
}

/** Resolves once the page shows the colour scheme and its transitions have ended. */
const COLORS_SHOWN = `async (scheme) => {
  while (document.documentElement.dataset.mantineColorScheme !== scheme)
    await new Promise(requestAnimationFrame);
  for (;;) {
    const running = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity);
    if (running.length === 0) return;
    await Promise.allSettled(running.map(({ finished }) => finished));
  }
}`;

/** Starts the installed Chromium. */
export async function startBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM ?? undefined,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  // One context: each tab has a session of its own, and the scripts and styles are loaded once.
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  return {
    open: (url, key, options = {}) => openConsole(context, url, key, options),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function openConsole(
  context: BrowserContext,
  url: string,
  key: string | null,
  { width = 1280, height = 800, path = '' }: OpenOptions,
): Promise<ConsolePage> {
  const page = await context.newPage();
  await page.setViewportSize({ width, height });
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
  await page.goto(`${url}/console${path}`);
  if (key) {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    if (path !== '') await page.getByRole('heading', { level: 1 }).waitFor();
  }

  async function findings(): Promise<string[]> {
    // Through the protocol, which the page's policy does not concern.
    if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
    const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
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
      // A page that a click has opened may still be loading.
      await page.waitForTimeout(300);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.evaluate(`(${COLORS_SHOWN})('${colorScheme}')`);
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
    [Symbol.asyncDispose]: () => page.close(),
  };
}
