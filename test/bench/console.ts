import { setTimeout as sleep } from 'node:timers/promises';
import { type ConsolePage, launchBrowser, type TestBrowser } from '../support/browser.ts';
import { type Demo, startDemo } from '../support/demo.ts';
import { EVENT_BODY } from './support/event-body.ts';
import { type Figure, single } from './support/report.ts';
import { median } from './support/stats.ts';
import { requireAnswered, startTraffic, type Traffic } from './support/traffic.ts';

const CUSTOMER_PAGES = ['Webhook endpoints', 'Deliveries', 'Conversations', 'Meetings'];
const PAGES = [...CUSTOMER_PAGES, 'Drift', 'Audit log', 'Customers', 'API keys', 'Overview'];
const ROUNDS = 5;
const MAX_CLICK_MS = 300;

const DELIVERIES = 10_000;
const CLIENTS = 64;
const MAX_LIST_MS = 1_000;
/** For the demo's provider and sidecar, and for results that are written after their arrival. */
const SETTLE_MS = 5_000;
/** Between two clicks. */
const PAUSE_MS = 500;
/** Time for which a person's pointer is on a link before the click, which loads the file of the page. */
const HOVER_MS = 150;

/**
 * Returns the time from the next click to the frame that shows a page completely: its heading, without a placeholder for
 * anything that is loading.
 */
const CLICK_TO_CONTENT = `(heading) => new Promise((resolve) =>
  addEventListener('click', ({ timeStamp }) => {
    const isShown = () =>
      document.querySelector('main h1')?.textContent === heading &&
      !document.querySelector('main :is(.mantine-Skeleton-root, .mantine-Loader-root)');
    const check = () =>
      requestAnimationFrame(isShown() ? () => resolve(performance.now() - timeStamp) : check);
    check();
  }, { once: true, capture: true }))`;

/** Clicks in the menu of a real Chromium, in the console of the demo with an admin key. */
export async function consoleClicks(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const demo = stack.use(await startDemo());
  await sleep(SETTLE_MS);
  const pages = await menuClicks(demo);
  const traffic = stack.use(await startTraffic());
  return [...pages, ...(await fullList(demo, traffic))];
}

/** Each round is a browser without cached files, which visits each page twice. */
async function menuClicks(demo: Demo): Promise<Figure[]> {
  const first = new Map(PAGES.map((page) => [page, [] as number[]]));
  const second = new Map(PAGES.map((page) => [page, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    await using browser = await launchBrowser();
    await using tab = await openAsAdmin(browser, demo);
    for (const visits of [first, second])
      for (const name of PAGES) visits.get(name)?.push(await clickToContent(tab, name));
  }
  const figures = (visits: Map<string, number[]>, text: string): Figure[] =>
    PAGES.map((name) =>
      single(`click to content, ${name}, ${text}, median, ms`, median(visits.get(name) ?? []), {
        atMost: MAX_CLICK_MS,
      }),
    );
  return [...figures(first, 'first visit'), ...figures(second, 'second visit')];
}

/** The list of deliveries while and after many arrive. */
async function fullList(demo: Demo, { load, expect, arrivals, sinkUrl }: Traffic): Promise<Figure[]> {
  const endpoints = `${demo.url}/api/v1/customers/${demo.customerId}/webhook-endpoints`;
  const headers = { authorization: `Bearer ${demo.keys.write}`, 'content-type': 'application/json' };
  const created = await fetch(endpoints, {
    method: 'POST',
    headers,
    body: JSON.stringify({ url: sinkUrl }),
  });
  if (!created.ok) throw new Error(`The endpoint was not created: ${await created.text()}`);
  await using browser = await launchBrowser();
  await using tab = await openAsAdmin(browser, demo);
  const events = {
    method: 'POST',
    url: `${demo.url}/v1/events`,
    key: demo.keys.write,
    body: EVENT_BODY,
    first: await expect(DELIVERIES),
    count: DELIVERIES,
    clients: CLIENTS,
    rate: null,
  } as const;
  await clickToContent(tab, 'Deliveries');
  const sending = load.call('run', events);
  await sleep(SETTLE_MS / 2);
  await clickToContent(tab, 'Overview');
  const whileArrivingMs = await clickToContent(tab, 'Deliveries');
  requireAnswered(await sending);
  await arrivals(DELIVERIES);
  await sleep(SETTLE_MS);
  const after: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await clickToContent(tab, 'Overview');
    after.push(await clickToContent(tab, 'Deliveries'));
  }
  return [
    single(`click to content, Deliveries, while ${DELIVERIES} arrive, ms`, whileArrivingMs),
    single(`click to content, Deliveries, after ${DELIVERIES} arrived, median, ms`, median(after), {
      atMost: MAX_LIST_MS,
    }),
  ];
}

const openAsAdmin = (browser: TestBrowser, demo: Demo): Promise<ConsolePage> =>
  browser.open(demo.url, demo.keys.admin, {
    width: 1440,
    height: 900,
    path: `/customers/${demo.customerId}`,
  });

async function clickToContent({ page }: ConsolePage, name: string): Promise<number> {
  await sleep(PAUSE_MS);
  const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true });
  await link.hover();
  await sleep(HOVER_MS);
  const measured = page.evaluate(`(${CLICK_TO_CONTENT})(${JSON.stringify(name)})`);
  await link.click();
  return Number(await measured);
}
