import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { CHROMIUM, type ConsolePage, expectFit, startBrowser, type TestBrowser } from '../support/browser.ts';
import { STATUS, startFakeSidecar, WELL } from '../support/sidecar.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { menuLink } from './locators.ts';

describe.skipIf(!CHROMIUM)('the console during an outage of the service', () => {
  const cleanUp = new AsyncDisposableStack();
  let app: TestApp;
  let browser: TestBrowser;
  let proxy: TcpProxy;
  let tenant: TestTenant;
  beforeAll(async () => {
    const sidecar = await startFakeSidecar();
    cleanUp.defer(() => sidecar.stop());
    sidecar.behave({
      answers: {
        ...WELL,
        '/drift/stages': [],
        '/drift/status': { ...STATUS, isDrifted: false, featureDrifts: [] },
      },
    });
    app = await startApp({ ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: 'off' });
    cleanUp.defer(() => app.stop());
    browser = cleanUp.use(await startBrowser());
    proxy = cleanUp.use(await startTcpProxy(app.url));
    tenant = await app.newTenant();
  });
  beforeEach(() => proxy.reconnect());
  afterAll(() => cleanUp.disposeAsync());

  const banner = ({ page }: ConsolePage) =>
    page.getByRole('alert').filter({ hasText: 'The service is unreachable' });
  const follow = ({ page }: ConsolePage, name: string) => menuLink(page, name).click();
  const health = ({ page }: ConsolePage) =>
    page.locator('.mantine-Card-root').filter({ has: page.getByRole('heading', { name: 'Health' }) });

  test('grays the values, reports no status, and shows a page that was first visited in it', async () => {
    // Without the files of pages that were not visited.
    const size = { width: 1440, height: 900 };
    await using tab = await browser.open(proxy.url, tenant.write, { ...size, savesData: true });
    const { page } = tab;
    await page.getByRole('heading', { name: 'No open issues' }).waitFor();
    await health(tab).getByText('up', { exact: true }).first().waitFor();
    await page.getByText('None in the last 24 hours.').first().waitFor();

    proxy.disconnect();
    await banner(tab).waitFor();
    await health(tab).getByText('unreachable', { exact: true }).waitFor();
    await expect
      .poll(() =>
        health(tab)
          .getByText(/^(up|ok)$/)
          .count(),
      )
      .toBe(0);
    expect(await page.getByRole('heading', { name: 'No open issues' }).count()).toBe(0);
    expect(await page.getByText('None in the last 24 hours.').count()).toBeGreaterThan(0);
    expect(await page.locator('.stale').getByRole('heading', { name: 'Last 24 hours' }).count()).toBe(1);
    await tab.expectAccessible();
    await page.setViewportSize({ width: 390, height: 844 });
    await tab.expectAccessible();
    await expectFit(page);
    await page.setViewportSize(size);

    await page.evaluate('scrollTo(0, 400)');
    await expect
      .poll(() =>
        banner(tab)
          .boundingBox()
          .then((box) => box?.y ?? -1),
      )
      .toBeGreaterThan(0);
    // Its code is not loaded yet, and neither cause nor remedy is an update.
    await follow(tab, 'Conversations');
    await page.getByLabel('Loading', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
    expect(await page.getByText(/updated|failed to load/).count()).toBe(0);

    proxy.reconnect();
    await banner(tab).getByRole('button', { name: 'Retry' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Conversations' }).waitFor();
    await page.getByText('conversations import').waitFor();
    await banner(tab).waitFor({ state: 'detached' });
    await follow(tab, 'Overview');
    await page.getByRole('heading', { name: 'No open issues' }).waitFor();
    await health(tab).getByText('up', { exact: true }).first().waitFor();
  });

  test('shows a page whose visit reveals the outage, and fails a change at once', async () => {
    await using tab = await browser.open(proxy.url, tenant.write);
    const { page } = tab;
    await follow(tab, 'Webhook endpoints');
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    await page.getByLabel('URL').fill('https://example.com/hook');
    proxy.disconnect();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('dialog').getByText('Failed to connect to the service.').waitFor();
    await banner(tab).waitFor();
    proxy.reconnect();
    await banner(tab).waitFor({ state: 'detached' });
    expect(await page.getByRole('dialog').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByText('No endpoints yet').waitFor();

    proxy.disconnect();
    await follow(tab, 'Meetings');
    await banner(tab).waitFor();
    // Without a click, the console reconnects by itself.
    proxy.reconnect();
    await page.getByRole('heading', { level: 1, name: 'Meetings' }).waitFor();
    await banner(tab).waitFor({ state: 'detached' });
  });

  test('opens a page whose file was loaded before, with a placeholder for its data', async () => {
    await using fresh = await startBrowser();
    await using tab = await fresh.open(proxy.url, null, { width: 1440 });
    const { page } = tab;
    // The next page is requested once this one is loaded.
    const file = page.waitForRequest((request) => request.url().includes('/conversations-page-'));
    await page.getByLabel('API key').fill(tenant.read);
    await page.getByLabel('API key').press('Enter');
    await file;
    await page.evaluate('new Promise(requestIdleCallback)');
    proxy.disconnect();
    await banner(tab).waitFor();
    await follow(tab, 'Event feeds');
    await page.getByRole('heading', { level: 1, name: 'Event feeds' }).waitFor();
    await page.getByLabel('Loading event feeds').waitFor();
    proxy.reconnect();
    await page.getByText('No event feeds yet').waitFor();
    await banner(tab).waitFor({ state: 'detached' });
  });

  test('notices a service that accepts connections and does not respond', async () => {
    await using tab = await browser.open(proxy.url, tenant.read);
    const { page } = tab;
    await health(tab).getByText('up', { exact: true }).first().waitFor();
    await page.clock.install();
    proxy.freeze();
    await expect
      .poll(
        async () => {
          await page.clock.fastForward(5_000);
          return banner(tab).count();
        },
        { timeout: 30_000 },
      )
      .toBe(1);
    await health(tab).getByText('unreachable', { exact: true }).waitFor();
    proxy.reconnect();
    await expect
      .poll(
        async () => {
          await page.clock.fastForward(5_000);
          return health(tab).getByText('up', { exact: true }).count();
        },
        { timeout: 30_000 },
      )
      .toBeGreaterThan(0);
    expect(await banner(tab).count()).toBe(0);
  });

  test('names a missing file of a page as the cause, after one reload', async () => {
    await using tab = await browser.open(app.url, tenant.read, { savesData: true });
    const { page } = tab;
    let reloads = 0;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) reloads += 1;
    });
    await page.route('**/assets/meetings-page-*.js', (route) => route.fulfill({ status: 404 }));
    await follow(tab, 'Meetings');
    await page.getByText('a file of this page is missing').waitFor();
    expect(reloads).toBe(1);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('heading', { level: 1, name: 'Meetings' }).waitFor();
  });
});
