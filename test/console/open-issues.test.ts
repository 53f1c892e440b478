import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newDelivery } from '../../src/features/webhooks/delivery/delivery.model.ts';
import { dueFields } from '../../src/features/webhooks/delivery/state-updates.ts';
import { apply, startConversation } from '../conversations/support.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { CHROMIUM, type ConsolePage, expectFit, startBrowser, type TestBrowser } from '../support/browser.ts';
import { type FakeSidecar, STATUS, startFakeSidecar, WELL } from '../support/sidecar.ts';
import { createEndpoint, deliveryLike, listening, postConversion, setEnabled } from '../webhooks/support.ts';

const DAY_MS = 86_400_000;

/** A delivery that waits for its first attempt; no process claims it before tomorrow. */
const backlogOf = (customerId: number, endpointId: number, createdAt: Date) =>
  newDelivery(
    {
      _id: new Types.ObjectId(),
      customerId,
      endpointId,
      eventId: new Types.ObjectId(),
      event: 'conversion.recorded',
    },
    dueFields(new Date(createdAt.getTime() + DAY_MS)),
    createdAt,
  );

describe.skipIf(!CHROMIUM)('the open issues on the overview', () => {
  const cleanUp = new AsyncDisposableStack();
  let sidecar: FakeSidecar;
  let app: TestApp;
  let browser: TestBrowser;
  beforeAll(async () => {
    sidecar = await startFakeSidecar();
    cleanUp.defer(() => sidecar.stop());
    app = await startApp({ ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: 'off' });
    cleanUp.defer(() => app.stop());
    browser = cleanUp.use(await startBrowser());
  });
  afterAll(() => cleanUp.disposeAsync());

  const section = ({ page }: ConsolePage) => page.getByRole('region', { name: /open issues/i });
  const issues = (tab: ConsolePage) =>
    section(tab)
      .getByRole('list', { name: /^Open issues: / })
      .getByRole('listitem');
  const issue = (tab: ConsolePage, text: string | RegExp) => issues(tab).filter({ hasText: text });
  const button = (tab: ConsolePage, name: RegExp) => section(tab).getByRole('button', { name });

  /** Hands a new conversation off. */
  async function handOff(tenant: TestTenant, visitorId: string, urgency: string): Promise<string> {
    const { id } = await startConversation(app, tenant, { visitorId });
    await apply(
      app,
      tenant,
      id,
      `requestHandoff(conversationId: $id, input: { schemaName: "sales", urgency: ${urgency} })`,
    );
    return id;
  }

  test('list failing endpoints, urgent handoffs and drifted stages, each until it is resolved', async () => {
    sidecar.behave({
      answers: {
        ...WELL,
        '/drift/status': ({ query: { stage } }: { query: Record<string, string> }) => ({
          ...STATUS,
          ...(stage ? {} : { isDrifted: false, driftScore: 0.1, featureDrifts: [] }),
          stage: stage ?? null,
        }),
      },
    });
    const { tenant, endpoint, receiver } = await listening(app, 500, { description: 'Our CRM' });
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 2 });
    const isCounted = { id: endpoint.id, failingSince: { $ne: null } };
    await expect.poll(() => app.models.Endpoint.exists(isCounted), { timeout: 20_000 }).not.toBeNull();
    const conversation = await handOff(tenant, 'v_urgent', 'urgent');
    await handOff(tenant, 'v_patient', 'high');
    await using tab = await browser.open(app.url, tenant.write, { width: 1440, height: 900 });
    await issue(tab, 'Endpoint failing now (HTTP 500): Our CRM').waitFor();
    await issue(tab, 'Urgent handoff: v_urgent').waitFor();
    await issue(tab, 'Stage trial has drifted (score 0.31, threshold 0.2)').waitFor();
    await expect.poll(() => issues(tab).count()).toBe(3);
    expect(await section(tab).getByRole('heading', { level: 3 }).allTextContents()).toEqual([
      'Handoffs (1)',
      'Endpoints (1)',
      'Drift status (1)',
    ]);
    await issue(tab, 'Our CRM').getByText('critical').waitFor();
    await issue(tab, 'Our CRM')
      .getByText(/^first failure /)
      .waitFor();
    await issue(tab, 'Urgent handoff')
      .getByText(/^requested /)
      .waitFor();
    await issue(tab, 'Stage trial').getByText('warning').waitFor();
    await tab.expectAccessible();
    await tab.page.setViewportSize({ width: 390, height: 844 });
    await tab.page.evaluate('scrollTo(0, 0)');
    for (const name of ['Database', 'ML sidecar', 'Jobs']) {
      const box = await tab.page.getByText(name, { exact: true }).boundingBox();
      expect(box && box.y + box.height, `${name} on the first screen`).toBeLessThan(844);
    }
    await tab.expectAccessible();
    await expectFit(tab.page);

    receiver.behave(200);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    await apply(app, tenant, conversation, 'closeConversation(conversationId: $id)');
    await tab.page.reload();
    await issue(tab, 'Stage trial').waitFor();
    await expect.poll(() => issues(tab).count()).toBe(1);
    await issue(tab, 'Stage trial').getByRole('link').click();
    await tab.page.getByRole('heading', { name: 'Stage trial', exact: true }).waitFor();
    tab.expectQuiet();
  });

  test('tell that an endpoint is paused, and not its failures before the pause', async () => {
    sidecar.behave({ answers: { ...WELL, '/drift/stages': [] } });
    const { tenant, endpoint } = await listening(app, 500, { description: 'Our CRM' });
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 2 });
    const body = { paused: true };
    expect(await app.request('PATCH', endpoint.path, { key: tenant.write, body })).toMatchObject({
      status: 200,
    });
    await using tab = await browser.open(app.url, tenant.read, { width: 1440, height: 900 });
    await issue(tab, 'Endpoint paused; its deliveries wait: Our CRM').getByText('info').waitFor();
    expect(await issue(tab, 'Our CRM').count()).toBe(1);
    tab.expectQuiet();
  });

  test('keep the endpoint that fails while a backlog waits for its first attempt', async () => {
    sidecar.behave({ answers: { ...WELL, '/drift/stages': [] } });
    const { tenant, endpoint, receiver } = await listening(app, 200, { description: 'Our CRM' });
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    receiver.behave(500);
    await postConversion(app, tenant);
    const failing = await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 2 });
    await app.models.Delivery.collection.insertMany(
      Array.from({ length: 400 }, () => backlogOf(tenant.customerId, endpoint.id, app.clock.now())),
    );
    await using tab = await browser.open(app.url, tenant.read, { width: 1440, height: 900 });
    await issue(tab, 'Endpoint failing now (HTTP 500): Our CRM').waitFor();
    await issue(tab, 'Our CRM')
      .getByText(/^last success /)
      .waitFor();
    expect(failing.error).toBe('http_500');
    // The latest probe, as on the page of the endpoint: the newest delivery need not have been the one.
    const since = app.clock.now();
    const probeAt = new Date(since.getTime() + DAY_MS);
    await app.models.Endpoint.updateOne(
      { customerId: tenant.customerId, id: endpoint.id },
      { $set: { circuit: { state: 'open', since, reason: 'timeout', probeAt, failedProbes: 0 } } },
    );
    await tab.page.reload();
    await issue(tab, 'Endpoint failing now (Timed out): Our CRM').waitFor();
    tab.expectQuiet();
  });

  test('name failed deliveries to a key that is limited to webhooks', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 410, { description: 'Our CRM' });
    const { key } = await app.services.keys.create({
      ...{ scope: 'read', customerId: tenant.customerId, resources: ['webhooks'], expiresAt: null },
    });
    {
      await using tab = await browser.open(app.url, key);
      await section(tab).getByText('No failing endpoint or failed delivery of the last 24 hours.').waitFor();
    }
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'failed' });
    await receiver.waitFor(1);
    await using tab = await browser.open(app.url, key);
    await issue(tab, 'Endpoint disabled by its receiver: Our CRM').waitFor();
    await issue(tab, 'Deliveries failed in the last 24 hours').getByRole('link').click();
    await tab.page.getByRole('link', { name: 'conversion.recorded' }).click();
    await tab.page.getByText('The receiver ended the attempts (410 Gone).').waitFor();
    tab.expectQuiet();
  });

  test('appear part by part while the sidecar does not respond', async () => {
    sidecar.behave('hang');
    const { tenant, endpoint } = await listening(app, 200, { description: 'Our CRM' });
    await setEnabled(app, tenant, endpoint, false);
    await using tab = await browser.open(app.url, tenant.read);
    await issue(tab, 'Endpoint disabled manually: Our CRM').waitFor();
    await section(tab).getByText('Loading: Drift status').waitFor();
    expect(await tab.page.getByRole('heading', { name: 'No open issues' }).count()).toBe(0);
  });

  test('are snoozed, dismissed and restored with the keyboard, and stay hidden after a reload', async () => {
    sidecar.behave({
      answers: {
        ...WELL,
        '/drift/stages': [],
        '/drift/status': { ...STATUS, isDrifted: false, featureDrifts: [] },
      },
    });
    const { tenant, endpoint, receiver } = await listening(app, 500, { description: 'Our CRM' });
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 2 });
    const other = await createEndpoint(app, tenant, { url: receiver.url, description: 'Old CRM' });
    await setEnabled(app, tenant, other, false);
    await using tab = await browser.open(app.url, tenant.write, { width: 1440, height: 900 });
    const { page } = tab;
    await issue(tab, 'Our CRM').waitFor();
    await issue(tab, 'Endpoint disabled manually: Old CRM').waitFor();
    await button(tab, /^Dismiss: Endpoint failing now/).focus();
    await page.keyboard.press('Enter');
    await issue(tab, 'Our CRM').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.id')).toBe('open-issues');
    await button(tab, /^Snooze: Endpoint disabled manually/).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No open issues' }).waitFor();

    await page.reload();
    await page.getByRole('heading', { name: 'No open issues' }).waitFor();
    await button(tab, /^Hidden issues \(2\)/).focus();
    await page.keyboard.press('Enter');
    const hidden = section(tab).getByRole('list', { name: 'Hidden issues' }).getByRole('listitem');
    await hidden.filter({ hasText: 'dismissed' }).filter({ hasText: 'Our CRM' }).waitFor();
    await hidden.filter({ hasText: 'snoozed until' }).filter({ hasText: 'Old CRM' }).waitFor();
    await tab.expectAccessible();

    // A dismissed issue that was resolved is listed when it occurs again; a snoozed one after 24 hours.
    receiver.behave(200);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    await page.reload();
    await button(tab, /^Hidden issues \(1\)/).click();
    await hidden.filter({ hasText: 'Old CRM' }).waitFor();
    receiver.behave(500);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 2 });
    await page.reload();
    await issue(tab, 'Our CRM').waitFor();
    await button(tab, /^Hidden issues \(1\)/).click();
    await button(tab, /^Restore: .*Old CRM/).click();
    await issue(tab, 'Old CRM').waitFor();
    expect(await button(tab, /^Hidden issues/).count()).toBe(0);
    tab.expectQuiet();

    // The endpoint was disabled on purpose, and is no issue on the next day.
    await page.clock.install({ time: Date.now() + DAY_MS });
    await page.reload();
    await section(tab).waitFor();
    await issue(tab, 'Old CRM').waitFor({ state: 'detached' });
  });
});
