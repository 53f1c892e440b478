import { existsSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page, type Request } from 'playwright-core';
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
  /**
   * Fails on a finding of axe-core that is serious or critical, in light and in dark colours, and on an interactive
   * element inside another.
   */
  expectAccessible(): Promise<void>;
  /** Takes the README's picture of what is shown, when asked to. */
  screenshot(name: string): Promise<void>;
}

/** The page itself does not scroll horizontally, once its layout has followed the last resize. */
export const expectFit = async (page: Page): Promise<void> =>
  expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth - innerWidth'))
    .toBeLessThanOrEqual(0);

interface OpenOptions {
  width?: number;
  height?: number;
  /** Page of the console, as `/webhooks`; the overview by default. */
  path?: string;
  /** True if the browser is set to transfer less data, so that the console loads no page before its link is used. */
  savesData?: boolean;
}

export interface TestBrowser extends AsyncDisposable {
  /** Opens the console in a tab that no other test uses at the same time, signed in with the key by pasting it. */
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

const INTERACTIVE =
  'a[href], button, input, select, textarea, summary, [tabindex="0"], [role=button], [role=tab]';

/** Returns the interactive elements inside another one, which keyboards and screen readers cannot reach reliably. */
const NESTED = `[...document.querySelectorAll(
  ':is(a[href], button, summary, [role=button], [role=link], [role=tab]) :is(${INTERACTIVE}), label :is(a[href], button)',
)].map(({ outerHTML }) => outerHTML)`;

/** Two frames: the first shows what has changed, the second what that has caused. */
const NEXT_FRAMES = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';
/** Number of times in a row that a page must be found without requests in progress. */
const QUIET_ROUNDS = 3;
/** Maximum time for requests to end, since a service can leave them without a response. */
const MAX_REQUESTS_MS = 15_000;

/** Rules of axe-core whose result depends on the colour scheme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Impacts of the findings that fail a test. */
const FAILING_IMPACTS = ['serious', 'critical'];

/**
 * Leaves out the rules whose findings are at most moderate, and what only those read, to save time: axe-core publishes the
 * impact of findings only. Takes the rules to run, if not all.
 */
const AXE_OPTIONS = `(runOnly) => ({
  runOnly,
  resultTypes: ['violations'],
  preload: false,
  rules: Object.fromEntries(
    axe._audit.rules
      .filter(({ impact }) => !${JSON.stringify(FAILING_IMPACTS)}.includes(impact))
      .map(({ id }) => [id, { enabled: false }]),
  ),
})`;

/** Starts the installed Chromium. */
const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM ?? undefined,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });

let ofWorker: Promise<Browser> | undefined;

/** Returns the Chromium that all test files of a worker use, one after the other; it ends with the worker. */
export async function sharedChromium(): Promise<Browser> {
  ofWorker ??= launchOfWorker();
  const running = await ofWorker;
  if (running.isConnected()) return running;
  ofWorker = launchOfWorker();
  return ofWorker;
}

function launchOfWorker(): Promise<Browser> {
  const launched = launch();
  // The next file tries again.
  launched.catch(() => {
    if (ofWorker === launched) ofWorker = undefined;
  });
  return launched;
}

/** Returns an empty browser: a set of contexts of the worker's Chromium. @param options as its language and time zone */
export const startBrowser = async (options: BrowserContextOptions = {}): Promise<TestBrowser> =>
  newBrowser(await sharedChromium(), options);

/** As `startBrowser`, in a Chromium of its own. */
export async function launchBrowser(): Promise<TestBrowser> {
  const browser = await launch();
  return { ...newBrowser(browser, {}), [Symbol.asyncDispose]: () => browser.close() };
}

function newBrowser(browser: Browser, options: BrowserContextOptions): TestBrowser {
  const pages: Page[] = [];
  // Tabs of one context share the session, so each has a context of its own. A tab is used again, since the console
  // opens several times faster in one that has compiled its scripts.
  const idle: Page[] = [];
  async function newTab(): Promise<Page> {
    const page = await (await browser.newContext({ reducedMotion: 'reduce', ...options })).newPage();
    pages.push(page);
    return page;
  }
  return {
    async open(url, key, { savesData = false, ...openOptions } = {}) {
      const page = idle.pop() ?? (await newTab());
      const protocol = await page.context().newCDPSession(page);
      await protocol.send('Emulation.setDataSaverOverride', { dataSaverEnabled: savesData });
      return openConsole(page, url, key, {
        ...openOptions,
        close: () =>
          reset(page)
            .then(() => protocol.detach())
            .then(
              () => void idle.push(page),
              // Its service has stopped.
              () => page.context().close(),
            ),
      });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(pages.map((page) => page.context().close()));
    },
  };
}

/** Ends the session of a tab, its requests, and what a test has changed of it. */
async function reset(page: Page): Promise<void> {
  for (const event of ['console', 'pageerror', 'request', 'requestfinished', 'requestfailed'])
    page.removeAllListeners(event);
  await page.unrouteAll();
  const others = page.context().pages();
  await Promise.all(others.filter((other) => other !== page).map((other) => other.close()));
  // A site other than the next console's, such as `about:blank`, would end the process with the compiled scripts.
  await page.goto(`${new URL(page.url()).origin}/robots.txt`);
  await page.context().clearCookies();
  await page.evaluate('localStorage.clear(), sessionStorage.clear()');
  await page.emulateMedia({ colorScheme: 'light' });
}

async function openConsole(
  page: Page,
  url: string,
  key: string | null,
  { width = 1280, height = 800, path = '', close }: OpenOptions & { close: () => Promise<void> },
): Promise<ConsolePage> {
  await page.setViewportSize({ width, height });
  const complaints: string[] = [];
  const requests = new Set<Request>();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== new URL(url).origin && protocol !== 'data:')
      complaints.push(`request to ${request.url()}`);
    // Live updates are a response without an end.
    if (request.headers().accept !== 'text/event-stream') requests.add(request);
  });
  page.on('requestfinished', (request) => requests.delete(request));
  page.on('requestfailed', (request) => requests.delete(request));
  await page.goto(`${url}/console${path}`);
  if (key) {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
    if (path !== '') await page.getByRole('heading', { level: 1 }).waitFor();
  }

  /** Waits for the responses to what a click has requested, and for the frame that shows them. */
  async function settled(): Promise<void> {
    const deadline = Date.now() + MAX_REQUESTS_MS;
    for (let rounds = 0; rounds < QUIET_ROUNDS && Date.now() < deadline; ) {
      await page.evaluate(NEXT_FRAMES);
      rounds = requests.size === 0 ? rounds + 1 : 0;
    }
  }

  async function findings(rules?: string[]): Promise<string[]> {
    // Through the protocol, which the page's policy does not concern.
    if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
    const options = `(${AXE_OPTIONS})(${JSON.stringify(rules)})`;
    const { violations } = (await page.evaluate(`axe.run(${options})`)) as {
      violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
    };
    return violations
      .filter(({ impact }) => FAILING_IMPACTS.includes(impact))
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
      await settled();
      expect(await page.evaluate(NESTED), 'interactive elements inside another').toEqual([]);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.evaluate(`(${COLORS_SHOWN})('${colorScheme}')`);
        const rules = colorScheme === 'dark' ? COLOR_RULES : undefined;
        expect(await findings(rules), colorScheme).toEqual([]);
      }
      await page.emulateMedia({ colorScheme: 'light' });
    },
    async screenshot(name) {
      if (!process.env.SCREENSHOTS) return;
      await page.mouse.move(0, 0);
      await page.waitForTimeout(500);
      await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
    },
    [Symbol.asyncDispose]: close,
  };
}
