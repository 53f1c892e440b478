import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, type ConsolePage, expectFit, startBrowser, type TestBrowser } from '../support/browser.ts';
import { startCommand } from '../support/command.ts';
import { type Demo, startDemo } from '../support/demo.ts';
import { startReceiver } from '../support/receiver.ts';

/** Walks through all pages with the demo data, its sidecar and the demo provider, and takes the README's screenshots. */
describe.skipIf(!CHROMIUM)('the console on the demo', () => {
  const cleanUp = new AsyncDisposableStack();
  let demo: Demo;
  let browser: TestBrowser;
  let tab: ConsolePage;

  beforeAll(async () => {
    const provider = startCommand(['demo', 'provider', '--port', '0', '--json']);
    cleanUp.defer(() => provider.interrupt().then(() => {}));
    const [text] = await provider.printed(/\{.*"meetings".*\}/s);
    const { url: RECORDER_API_URL } = JSON.parse(text) as { url: string };
    demo = cleanUp.use(await startDemo({ RECORDER_API_URL, CONNECTOR_PACING: '200ms' }));
    browser = cleanUp.use(await startBrowser());
    tab = cleanUp.use(await browser.open(demo.url, demo.keys.admin));
    await tab.page.getByRole('combobox', { name: 'Active customer' }).click();
    await tab.page.getByRole('option', { name: `(${demo.customerId})` }).click();
    await tab.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });
  afterAll(() => cleanUp.disposeAsync());

  /** Takes a screenshot, and checks for browser errors, accessibility and overflow on a phone. */
  async function inspect(name: string): Promise<void> {
    const notices = tab.page.getByRole('button', { name: 'Close notification' });
    // At once, because a notification can close by itself.
    await notices.evaluateAll((buttons) => {
      for (const button of buttons as { click(): void }[]) button.click();
    });
    await expect.poll(() => notices.count(), { timeout: 10_000 }).toBe(0);
    await tab.page.evaluate('scrollTo(0, 0)');
    await tab.screenshot(name);
    tab.expectQuiet();
    await tab.expectAccessible();
    await tab.page.setViewportSize({ width: 375, height: 800 });
    await expectFit(tab.page);
    await tab.page.setViewportSize({ width: 1280, height: 800 });
  }

  test('overview: health, the last 24 hours, and the disabled endpoint', async () => {
    await tab.goto('/');
    const { page } = tab;
    await page.getByText('ML sidecar', { exact: true }).waitFor();
    await page.getByText('conversation.started').waitFor();
    await page.getByRole('link', { name: /^Endpoint disabled manually/ }).waitFor();
    await inspect('overview');
  });

  test('webhooks: create an endpoint for a local receiver, and see a delivery live', async () => {
    const receiver = cleanUp.adopt(await startReceiver(), (started) => started.stop());
    const { page } = tab;
    await tab.goto('/webhooks');
    await page.getByRole('link', { name: 'http://127.0.0.1:9000/webhooks' }).waitFor();
    await inspect('webhooks');
    await page.getByRole('button', { name: /create|new endpoint|add endpoint/i }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByLabel(/address|url/i)
      .first()
      .fill(receiver.url);
    await dialog.getByRole('button', { name: /create/i }).click();
    await page.getByText(/^whsec_/).waitFor();
    await tab.goto('/deliveries');
    const response = await fetch(`${demo.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.keys.write}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'conversion', goal: 'demo_booked', visitor_id: 'v_walk' }),
    });
    expect(response.status).toBe(201);
    // The row appears without a click or a reload.
    const row = page
      .getByRole('row')
      .filter({ hasText: receiver.url.replace('http://', '') })
      .filter({ hasText: 'succeeded' });
    await row.waitFor();
    await inspect('deliveries');
    await row.getByRole('link').first().click();
    await page.getByText('demo_booked').first().waitFor();
    await page
      .getByRole('button', { name: /resend/i })
      .first()
      .click();
    await page
      .getByText(/manual/i)
      .first()
      .waitFor();
    await inspect('delivery');
  });

  test('conversations: the list, and a conversation with its transcript', async () => {
    const { page } = tab;
    await tab.goto('/conversations?status=converted');
    const rows = page.getByRole('table', { name: 'Conversations' }).getByRole('row');
    await rows.nth(1).waitFor();
    await inspect('conversations');
    await rows.nth(1).getByRole('link').first().click();
    await page.getByRole('heading', { name: /Transcript/ }).waitFor();
    await inspect('conversation');
  });

  test('drift: 14 days of a drifted stage, its features, and a check on demand', async () => {
    const { page } = tab;
    await tab.goto('/drift');
    await page.getByRole('tab', { name: 'trial drifted' }).click();
    await page.getByRole('heading', { name: 'Stage trial', exact: true }).waitFor();
    await page.getByRole('img', { name: /^Line chart of 14 checks: .* drift detected in 3\./ }).waitFor();
    const features = page.getByRole('table', { name: 'Features' }).getByRole('row');
    expect(await features.filter({ hasText: 'drifted' }).count()).toBe(2);
    await inspect('drift');
    await page.getByRole('button', { name: 'source', exact: true }).click();
    const panel = page.getByRole('dialog', { name: 'source' });
    await panel.getByText('1: marketplace').waitFor();
    await panel.getByRole('img', { name: /^Line chart of 14 checks/ }).waitFor();
    await tab.expectAccessible();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    const checkResponse = page.waitForResponse(async (response) =>
      (await response.text()).includes('triggerDriftCheck'),
    );
    await page.getByRole('button', { name: 'Check now' }).click();
    expect((await checkResponse).status()).toBe(200);
    await page.getByRole('img', { name: /^Line chart of 15 checks/ }).waitFor();
  });

  test('meetings: connect to the demo provider, wait for a sync, and open a meeting', async () => {
    const { page } = tab;
    await tab.goto('/meetings/settings');
    await page.getByLabel('Provider API key').fill('rec_demo');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('progressbar', { name: 'Sync in progress' }).waitFor();
    await page.getByRole('table', { name: 'Syncs' }).getByText('succeeded').waitFor({ timeout: 60_000 });
    await inspect('meetings-settings');
    await tab.goto('/meetings');
    const rows = page.getByRole('table', { name: 'Meetings' }).getByRole('row');
    await rows.nth(1).waitFor();
    await inspect('meetings');
    await rows.nth(3).getByRole('link').first().click();
    await page.getByRole('heading', { name: /Transcript/ }).waitFor();
    await inspect('meeting');
  });

  test('customers and API keys: the demo customer, and its keys', async () => {
    const { page } = tab;
    await tab.goto('/customers');
    await page
      .getByRole('row')
      .filter({ hasText: String(demo.customerId) })
      .waitFor();
    await inspect('customers');
    await tab.goto('/keys');
    await page.getByRole('row').nth(3).waitFor();
    await inspect('keys');
  });
});
