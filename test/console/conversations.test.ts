import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import consoleDocuments from '../../src/console/generated/persisted-documents.json' with { type: 'json' };
import { append, apply, CALLS, MOVES, messages, startConversation } from '../conversations/support.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { CHROMIUM, startBrowser, type TestBrowser } from '../support/browser.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { tableRows } from './locators.ts';

const HOUR_MS = 3_600_000;
/** Time for updates that arrive by themselves. */
const WITHIN = { timeout: 20_000 };
const ago = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString();

describe.skipIf(!CHROMIUM)('conversations on the console', () => {
  let app: TestApp;
  let browser: TestBrowser;
  beforeAll(async () => {
    app = await startApp();
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await app.stop();
  });

  /** Starts a conversation and records one of everything. */
  async function eventful(tenant: TestTenant): Promise<string> {
    const { id } = await startConversation(app, tenant, { visitorId: 'v_ada', startedAt: ago(1) });
    await append(app, tenant, id, [
      { role: 'visitor', text: 'Can I see a demo?' },
      { role: 'bot', text: 'Of course.' },
      { role: 'operator', text: 'This is Sam.' },
    ]);
    const person =
      '{ resolvedPersonId: "p_7", firstName: "Ada", lastName: "Lovelace", company: "Engines Ltd", jobTitle: "Analyst", email: "ada@engines.example" }';
    await apply(app, tenant, id, `resolveIdentity(conversationId: $id, identity: ${person})`);
    await apply(
      app,
      tenant,
      id,
      'recordConversion(conversationId: $id, input: { goal: "demo", value: 1250 })',
    );
    await apply(app, tenant, id, CALLS.recordResolution);
    const request = '{ schemaName: "sales_call", urgency: urgent, reason: "Wants a contract" }';
    await apply(app, tenant, id, `requestHandoff(conversationId: $id, input: ${request})`);
    await apply(app, tenant, id, MOVES.end);
    await apply(app, tenant, id, CALLS.markOutcome);
    return id;
  }

  test('are found by a person and by words of the transcript', async () => {
    const tenant = await app.newTenant();
    await eventful(tenant);
    await startConversation(app, tenant, { visitorId: 'v_plain' });
    await using tab = await browser.open(app.url, tenant.read, { path: '/conversations' });
    const { page } = tab;
    const seen = async (...visitors: string[]): Promise<void> => {
      const rows = tableRows(page, 'Conversations');
      await expect.poll(() => rows.count()).toBe(visitors.length);
    };
    await seen('v_plain', 'Ada');
    const search = page.getByRole('searchbox', { name: 'Find conversations' });
    await search.fill('see DEMO');
    await seen('Ada');
    await page.getByLabel('Find by').selectOption('Email address');
    await search.fill('ADA@engines.example');
    await seen('Ada');
    await tab.expectAccessible();
    await page.reload();
    await seen('Ada');
    await search.fill('other@engines.example');
    await page.getByRole('heading', { name: 'No matching conversations' }).waitFor();
  });

  test('have filters in the URL, and back navigation restores the previous ones', async () => {
    const tenant = await app.newTenant();
    await startConversation(app, tenant, { visitorId: 'v_old', startedAt: ago(100) }, 'ended');
    await startConversation(app, tenant, { visitorId: 'v_handed' }, 'handed_off');
    await startConversation(app, tenant, { visitorId: 'v_won' }, 'converted');
    await using tab = await browser.open(app.url, tenant.read, { path: '/conversations' });
    const { page } = tab;
    const seen = async (...visitors: string[]): Promise<void> => {
      const links = page.getByRole('table', { name: 'Conversations' }).getByRole('link');
      await expect.poll(() => links.allTextContents()).toEqual(visitors);
    };
    await seen('v_won', 'v_handed', 'v_old');
    await page.getByLabel('Conversion').selectOption('Not converted');
    await seen('v_handed', 'v_old');
    await page.getByLabel('Status').selectOption('handed off');
    await seen('v_handed');
    expect(new URL(page.url()).search).toBe('?converted=false&status=handed_off');
    await page.goBack();
    await seen('v_handed', 'v_old');
    await page.getByRole('button', { name: 'Last 24 hours' }).click();
    await seen('v_handed');
    await page.reload();
    await seen('v_handed');
    await page.getByLabel('Status').selectOption('closed');
    await page.getByRole('heading', { name: 'No matching conversations' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await seen('v_won', 'v_handed', 'v_old');
    tab.expectQuiet();
  });

  test('have an empty state with the next step', async () => {
    const tenant = await app.newTenant();
    await using tab = await browser.open(app.url, tenant.read, { path: '/conversations' });
    await tab.page.getByText('conversations import').waitFor();
    await tab.expectAccessible();
  });

  test('show the transcript, visitor and results', async () => {
    const tenant = await app.newTenant();
    const id = await eventful(tenant);
    await using tab = await browser.open(app.url, tenant.read, { path: `/conversations/${id}` });
    const { page } = tab;
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor();
    const said = page.getByRole('region', { name: 'Transcript' }).getByRole('listitem');
    await page.getByText('Can I see a demo?').waitFor();
    const lines = (await said.allTextContents()).slice(1);
    expect(lines.map((line) => line.replace(/\d+:\d+\s[AP]M/u, '|'))).toEqual([
      'Visitor|Can I see a demo?',
      'Bot|Of course.',
      'Operator|This is Sam.',
    ]);
    const shown = ['Engines Ltd', 'Analyst', 'ada@engines.example', 'p_7', 'v_ada', 'demo: 1,250'];
    for (const text of [...shown, 'sales_call', 'urgent', 'Wants a contract', 'Example Ltd', 'qualified']) {
      await page.getByText(text, { exact: true }).first().waitFor();
    }
    expect(await page.getByRole('button', { name: /(Mark|Change) outcome|Close conversation/ }).count()).toBe(
      0,
    );
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('list their events, and load the payloads when the first is expanded', async () => {
    const tenant = await app.newTenant();
    const id = await eventful(tenant);
    await using tab = await browser.open(app.url, tenant.read);
    const { page } = tab;
    const documents = Object.entries(consoleDocuments);
    const payloadsId =
      documents.find(([, text]) => text.includes('query ConversationPayloads('))?.[0] ?? 'none';
    let payloads = 0;
    page.on('request', (request) => {
      if (request.postData()?.includes(payloadsId)) payloads += 1;
    });
    await tab.goto(`/conversations/${id}`);
    const events = page.getByRole('heading', { level: 3 }).getByRole('button');
    await page.getByRole('button', { name: 'conversation.started' }).waitFor();
    expect((await events.allTextContents()).map((text) => text.match(/^[a-z]+\.[a-z]+/)?.[0])).toEqual([
      'conversation.started',
      'identity.resolved',
      'conversion.recorded',
      'resolution.recorded',
      'handoff.requested',
      'conversation.ended',
      'outcome.marked',
    ]);
    expect(payloads).toBe(0);
    await page.getByRole('button', { name: 'handoff.requested' }).click();
    const payload = page.getByRole('region', { name: 'Payload' });
    expect(JSON.parse((await payload.textContent()) ?? '')).toMatchObject({
      event: 'handoff.requested',
      data: { conversationId: id, urgency: 'urgent', reason: 'Wants a contract' },
    });
    await page.getByRole('button', { name: 'outcome.marked' }).click();
    await page.getByText('"category": "qualified"').waitFor();
    expect(payloads).toBe(1);
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  test('load a long transcript page by page, or completely on request', async () => {
    const tenant = await app.newTenant();
    const { id } = await startConversation(app, tenant);
    await append(app, tenant, id, messages(450));
    await using tab = await browser.open(app.url, tenant.read, { path: `/conversations/${id}` });
    const { page } = tab;
    await page.getByText('100 of 450 messages').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('200 of 450 messages').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('450 messages', { exact: true }).waitFor();
    const texts = await page
      .getByRole('region', { name: 'Transcript' })
      .getByText(/^m\d+$/)
      .allTextContents();
    expect(texts).toEqual(messages(450).map(({ text }) => text));
  });

  test('are updated in place, offered while the user reads, and loaded after a lost connection', async () => {
    const tenant = await app.newTenant();
    const { id } = await startConversation(app, tenant, { visitorId: 'v_first', startedAt: ago(2) });
    await using proxy = await startTcpProxy(app.url);
    await using tab = await browser.open(proxy.url, tenant.read, { path: '/conversations' });
    const { page } = tab;
    const rows = tableRows(page, 'Conversations');
    const visitors = () => rows.getByRole('link').allTextContents();
    const cell = (visitor: string, index: number) =>
      rows.filter({ hasText: visitor }).getByRole('cell').nth(index).textContent();
    const live = page.getByRole('status').filter({ hasText: /^(Live|Connecting…|Paused)$/ });
    await page.getByText('Live', { exact: true }).waitFor();
    await append(app, tenant, id, [{ role: 'visitor', text: 'Hello?' }]);
    await expect.poll(() => cell('v_first', 5), WITHIN).toBe('1');
    await startConversation(app, tenant, { visitorId: 'v_second', startedAt: ago(1) });
    await expect.poll(visitors, WITHIN).toEqual(['v_second', 'v_first']);

    await rows.last().hover();
    await startConversation(app, tenant, { visitorId: 'v_third' });
    const offer = page.getByRole('button', { name: 'Show 1 new conversation' });
    await offer.waitFor();
    expect(await visitors()).toEqual(['v_second', 'v_first']);
    await tab.expectAccessible();
    await offer.press('Enter');
    // The list receives the focus of the button, which disappears.
    const focused = page.locator('div[tabindex="-1"]:focus');
    await focused.getByRole('table', { name: 'Conversations' }).waitFor();
    await expect.poll(visitors, WITHIN).toEqual(['v_third', 'v_second', 'v_first']);
    await page.mouse.move(0, 0);

    await page.getByRole('button', { name: 'Pause live updates' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await apply(app, tenant, id, MOVES.end);
    await page.getByRole('button', { name: 'Resume live updates' }).click();
    await expect.poll(() => cell('v_first', 1), WITHIN).toBe('ended');

    await page.getByLabel('Status').selectOption('ended');
    await expect.poll(visitors, WITHIN).toEqual(['v_first']);
    tab.expectQuiet();
    proxy.disconnect();
    await expect.poll(() => live.textContent(), WITHIN).toBe('Connecting…');
    await startConversation(app, tenant, { visitorId: 'v_fourth' }, 'ended');
    await startConversation(app, tenant, { visitorId: 'v_active' });
    proxy.reconnect();
    await expect.poll(visitors, WITHIN).toEqual(['v_fourth', 'v_first']);
    await page.getByText('Live', { exact: true }).waitFor();
  });

  test('show new messages, results and events at once', async () => {
    const tenant = await app.newTenant();
    const { id } = await startConversation(app, tenant);
    await using tab = await browser.open(app.url, tenant.read, { path: `/conversations/${id}` });
    const { page } = tab;
    await page.getByText('No messages yet.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const start = performance.now();
    await append(app, tenant, id, [{ role: 'visitor', text: 'Hello?' }]);
    await page.getByText('Hello?').waitFor();
    await append(app, tenant, id, [{ role: 'bot', text: 'Hello!' }]);
    await page.getByText('Hello!').waitFor();
    await apply(app, tenant, id, CALLS.recordConversion);
    await page.getByRole('heading', { level: 3 }).getByText('conversion.recorded').waitFor();
    // Without the subscription, the page loads every 30 s.
    expect(performance.now() - start).toBeLessThan(20_000);
    tab.expectQuiet();
  });

  test('are closed after confirmation', async () => {
    const tenant = await app.newTenant();
    const { id } = await startConversation(app, tenant);
    await using tab = await browser.open(app.url, tenant.write, { path: `/conversations/${id}` });
    const { page } = tab;
    await page.getByRole('button', { name: 'Close conversation' }).click();
    await page.getByRole('dialog', { name: 'Close this conversation?' }).waitFor();
    await tab.expectAccessible();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('main').getByText('closed', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Close conversation' }).count()).toBe(0);
    await page.getByRole('button', { name: 'conversation.ended' }).waitFor();
    const { body } = await app.request('GET', `/v1/conversations/${id}`, { key: tenant.read });
    expect(body.status).toBe('closed');
    tab.expectQuiet();
  });

  test('are marked with a suggested or a new outcome, which can be cleared', async () => {
    const tenant = await app.newTenant();
    await eventful(tenant);
    const { id } = await startConversation(app, tenant);
    await using tab = await browser.open(app.url, tenant.write, { path: `/conversations/${id}` });
    const { page } = tab;
    await page.getByRole('button', { name: 'Mark outcome' }).click();
    await page.getByRole('combobox', { name: 'Category' }).click();
    await page.getByRole('option', { name: 'qualified' }).click();
    await tab.expectAccessible();
    await page.getByRole('button', { name: 'Save' }).click();
    const results = page.getByRole('main');
    await results.getByText('qualified', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change outcome' }).click();
    await page.getByRole('combobox', { name: 'Category' }).fill('nurture');
    await page.getByRole('button', { name: 'Save' }).click();
    await results.getByText('nurture', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change outcome' }).click();
    await page.getByRole('button', { name: 'Clear outcome' }).click();
    await page.getByText('Not marked.').waitFor();
    tab.expectQuiet();
  });

  test('of another tenant are not found', async () => {
    const [owner, other] = [await app.newTenant(), await app.newTenant()];
    const { id } = await startConversation(app, owner);
    await using tab = await browser.open(app.url, other.read, { path: `/conversations/${id}` });
    await tab.page.getByRole('heading', { name: 'Conversation not found' }).waitFor();
    await tab.page.getByRole('link', { name: 'Conversations' }).first().waitFor();
    tab.expectQuiet();
  });
});
