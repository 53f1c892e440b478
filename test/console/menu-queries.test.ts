import type { Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { CHROMIUM, type ConsolePage } from '../support/browser.ts';
import { createEndpoint, deliveryLike, postConversion } from '../webhooks/support.ts';
import { type DriftConsole, leads, startDriftConsole } from './drift-page-support.ts';
import { button, menuLink, tableRows } from './locators.ts';
import { operationOf, sentOperations } from './sent-operations.ts';

/** Each page of the menu, with the queries that its link sends. */
const PAGES = [
  [
    'Overview',
    [
      'Health',
      'MonitoredEndpoints',
      'RecentActivity',
      'HandedOffConversations',
      'Recorder',
      'DriftStatus',
      'DriftStages',
    ],
  ],
  ['Webhook endpoints', ['ListedEndpoints', 'EndpointResults', 'EndpointBacklogs']],
  ['Deliveries', ['DeliveriesWithSubjects', 'Endpoints']],
  ['Event feeds', ['EventFeeds']],
  ['Conversations', ['Conversations']],
  ['Meetings', ['Recorder', 'Meetings']],
  ['Privacy', ['Retention', 'Erasures']],
  ['Drift', ['DriftStatus', 'DriftStages', 'DriftPerformance', 'DriftHistory', 'DriftAlerts']],
  ['Audit log', ['AuditLog']],
  ['Customers', ['Tenants']],
  ['API keys', ['ApiKeys']],
  ['Sessions', ['ConsoleSessions']],
] as const;

/** What the pointer does to all links on its way across the menu: it is on each for no time. */
const CROSS_MENU = `for (const link of document.querySelectorAll('nav[aria-label="Pages"] a')) {
  link.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
  link.dispatchEvent(new PointerEvent('pointerout', { bubbles: true }));
}`;

describe.skipIf(!CHROMIUM)('a link of the menu of the console', () => {
  let app: DriftConsole['app'];
  let browser: DriftConsole['browser'];
  let sidecar: DriftConsole['sidecar'];
  let tenant: DriftConsole['tenant'];
  let stop: DriftConsole['stop'];
  let endpointId: number;
  beforeAll(async () => {
    ({ app, browser, sidecar, tenant, stop } = await startDriftConsole());
    const endpoint = await createEndpoint(app, tenant, { url: 'http://127.0.0.1:9', paused: true });
    endpointId = endpoint.id;
    const { event_id } = await postConversion(app, tenant, { value: 1 });
    await deliveryLike(app, tenant, endpoint, { eventId: String(event_id) });
    for (const set of ['reference', 'current'] as const) await sidecar.add(set, 'visitor', leads(400, 1));
    await sidecar.check();
  });
  afterAll(() => stop());

  /** Opens a page that has none of the queries of the link. */
  const openBeside = (name: string): Promise<ConsolePage> =>
    browser.open(app.url, app.admin, {
      width: 1440,
      path: `/customers/${tenant.customerId}/${name === 'Sessions' ? 'keys' : 'my-sessions'}`,
    });

  test.each(PAGES)(
    'sends the queries of %s once before the click, which then shows their results',
    async (name, queries) => {
      await using tab = await openBeside(name);
      const { page } = tab;
      const link = menuLink(page, name);
      const sent = sentOperations(page);
      const count = () => queries.map((query) => sent.filter((operation) => operation === query).length);
      const responses = queries.map((query) =>
        page.waitForResponse(async (response) => {
          if (operationOf(response.request()) !== query) return false;
          await response.finished();
          return true;
        }),
      );
      await link.hover();
      await Promise.all(responses);
      await page.mouse.move(700, 5);
      await link.hover();
      // Longer than the pointer has to stay on a link.
      await page.waitForTimeout(200);
      expect(count()).toEqual(queries.map(() => 1));

      // Whatever the page requests from now on, nothing of it arrives.
      const held: Route[] = [];
      await page.route('**/graphql', (route) => void held.push(route));
      await link.click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      const placeholders = page.locator('main :is(.mantine-Skeleton-root, .mantine-Loader-root)');
      // The health of each customer is read while its row is visible.
      const others = placeholders.and(page.locator(':not([aria-label^="Loading the health of"])'));
      await expect.poll(() => others.count()).toBe(0);
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(count()).toEqual(queries.map(() => 1));
      for (const route of held) await route.continue().catch(() => {});
    },
  );

  test('sends nothing when the pointer only crosses it, and at once when it is pressed', async () => {
    await using tab = await openBeside('Webhook endpoints');
    const { page } = tab;
    const sent = sentOperations(page);
    await page.evaluate(CROSS_MENU);
    // Longer than the pointer has to stay on a link.
    await page.waitForTimeout(200);
    expect(PAGES.flatMap(([, queries]) => queries).filter((query) => sent.includes(query))).toEqual([
      // The shown page refreshes itself.
      ...sent.filter((operation) => operation === 'ConsoleSessions'),
    ]);
    const request = page.waitForRequest((other) => operationOf(other) === 'ListedEndpoints');
    await menuLink(page, 'Webhook endpoints').dispatchEvent('pointerdown', {
      pointerType: 'mouse',
      button: 0,
    });
    await request;
    tab.expectQuiet();
  });

  test('sends nothing while the Tab key passes it, and its queries when the focus rests on it', async () => {
    await using tab = await openBeside('Webhook endpoints');
    const { page } = tab;
    const sent = sentOperations(page);
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await menuLink(page, 'Overview').focus();
    for (const _name of ['Webhook endpoints', 'Deliveries']) {
      // A hurried user presses a key every 100 ms; the pointer would have rested.
      await page.clock.runFor(100);
      await page.keyboard.press('Tab');
    }
    await page.clock.resume();
    await expect.poll(() => sent).toContain('DeliveriesWithSubjects');
    expect(sent).not.toContain('HandedOffConversations');
    expect(sent).not.toContain('ListedEndpoints');
    tab.expectQuiet();
  });

  test('sends a query that failed once only, and leaves the next one to the visit', async () => {
    await using cleanUp = new AsyncDisposableStack();
    const broken = await startApp({ ML_SIDECAR_URL: 'http://127.0.0.1:9', DRIFT_CHECK_SCHEDULE: 'off' });
    cleanUp.defer(() => broken.stop());
    await using tab = await browser.open(broken.url, broken.admin, { width: 1440, path: '/keys' });
    const { page } = tab;
    const sent = sentOperations(page);
    await menuLink(page, 'Drift').hover();
    // With the repetitions of a query whose error passes.
    const attempts = 3;
    const statusCount = () => sent.filter((operation) => operation === 'DriftStatus').length;
    await expect.poll(statusCount, { timeout: 15_000 }).toBe(attempts);
    await page.waitForLoadState('networkidle');
    for (let rests = 0; rests < 2; rests += 1) {
      await page.mouse.move(700, 5);
      await menuLink(page, 'Drift').hover();
      await page.waitForTimeout(200);
    }
    expect(statusCount()).toBe(attempts);
    await menuLink(page, 'Drift').click();
    await expect.poll(statusCount).toBeGreaterThan(attempts);
  });

  test('shows a change that was made while its response was on the way', async () => {
    await using tab = await openBeside('Webhook endpoints');
    const { page } = tab;
    await tab.goto(`/customers/${tenant.customerId}/webhooks/${endpointId}`);
    await button(page, 'Resume').waitFor();
    const answered = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (operationOf(route.request()) !== 'ListedEndpoints') return route.continue();
      await page.unroute('**/graphql');
      const response = await route.fetch();
      answered.resolve();
      await released.promise;
      // The console has given the request up.
      await route.fulfill({ response }).catch(() => {});
    });
    await menuLink(page, 'Webhook endpoints').hover();
    await answered.promise;
    await button(page, 'Resume').click();
    await button(page, 'Pause').waitFor();
    released.resolve();
    await menuLink(page, 'Webhook endpoints').click();
    // Sooner than the list refreshes itself.
    const state = tableRows(page, 'Webhook endpoints').getByText('enabled', { exact: true });
    await state.waitFor({ timeout: 10_000 });
    tab.expectQuiet();
  });

  test('is absent without access to its page, and sends no query that the key may not send', async () => {
    const { key } = await app.services.keys.create({
      scope: 'read',
      customerId: tenant.customerId,
      resources: ['webhooks', 'drift'],
    });
    await using tab = await browser.open(app.url, key, { width: 1440, path: '/my-sessions' });
    const { page } = tab;
    const links = page.getByRole('navigation', { name: 'Pages' }).locator('a[href^="/console"]');
    const names = await links.allTextContents();
    expect(names).toEqual(['Overview', 'Webhook endpoints', 'Deliveries', 'Drift', 'Sessions']);
    const responses: Promise<string | null>[] = [];
    page.on('response', (response) => {
      const operation = operationOf(response.request());
      if (operation)
        responses.push(response.text().then((text) => (/"errors"/.test(text) ? operation : null)));
    });
    const sent = sentOperations(page);
    const operations = new Map([
      ['Deliveries', 'Deliveries'],
      ['Drift', 'DriftPerformance'],
    ]);
    for (const name of names) {
      await menuLink(page, name).hover();
      await page.waitForTimeout(200);
      const operation = operations.get(name);
      if (operation) await expect.poll(() => sent).toContain(operation);
    }
    expect(sent).not.toContain('DriftAlerts');
    await page.waitForLoadState('networkidle');
    expect((await Promise.all(responses)).filter(Boolean)).toEqual([]);
    tab.expectQuiet();
  });
});
