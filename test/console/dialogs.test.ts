import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, type ConsolePage } from '../support/browser.ts';
import { createEndpoint, postConversion } from '../webhooks/support.ts';
import { FEATURE, STAGE, startFullConsole } from './full-console.ts';
import { expectReachedByTab } from './keyboard-support.ts';
import { button } from './locators.ts';
import { expectPhoneLayout } from './phone-support.ts';
import { sentMutations } from './sent-operations.ts';

const CONSOLE = join(import.meta.dirname, '../../src/console');
const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

interface DialogCase {
  /** As in the sources, with `…` for what varies. */
  title: string;
  /** `:name` is an ID of the seed. */
  path: string;
  /** Name of the button that opens the dialog. */
  opener: string | RegExp;
  /** Makes the page show the button. */
  prepare?: (page: Page) => Promise<unknown>;
  /** Button of the dialog that follows, for one that shows a secret once: Escape must not lose it. */
  closer?: string;
  /** Changes data in the dialog that opens first, after which this one follows. */
  change?: (first: Locator) => Promise<unknown>;
}

const endpoint = { path: '/webhooks/:endpoint' };
const conversation = { path: '/conversations/:conversation' };
const meetingSettings = { path: '/meetings/settings' };
const drift = { path: `/drift?stage=${STAGE}` };

const DIALOGS: readonly DialogCase[] = [
  { title: 'Close this conversation?', ...conversation, opener: 'Close conversation' },
  { title: 'Mark outcome', ...conversation, opener: 'Change outcome' },
  { title: 'Create customer', path: '/customers', opener: 'Create customer' },
  { title: 'Suspend this customer?', path: '/customers', opener: /^Suspend: / },
  { title: 'Lift the suspension?', path: '/customers', opener: /^Lift suspension: / },
  { title: 'Delete this customer?', path: '/customers', opener: /^Delete: Acme/ },
  { title: 'Deletion of …', path: '/customers', opener: /^Show deletion: / },
  { title: 'Create API key', path: '/keys', opener: 'Create key' },
  {
    title: 'API key created',
    path: '/keys',
    opener: 'Create key',
    change: (first) => first.getByRole('button', { name: 'Create', exact: true }).press('Enter'),
    closer: 'Done',
  },
  { title: 'Revoke this API key?', path: '/keys', opener: /^Revoke / },
  { title: 'Rotate this API key?', path: '/keys', opener: /^Rotate / },
  {
    title: 'API key rotated',
    path: '/keys',
    opener: /^Rotate /,
    change: (first) => first.getByRole('button', { name: 'Rotate', exact: true }).press('Enter'),
    closer: 'Done',
  },
  { title: 'End this session?', path: '/my-sessions', opener: /^End the session/ },
  { title: 'Acknowledge alert: …', ...drift, opener: 'Acknowledge' },
  { title: 'Add planned change', ...drift, opener: 'Add planned change' },
  { title: 'Delete …?', ...drift, opener: /^Delete Campaign/ },
  { title: '…', ...drift, opener: FEATURE },
  {
    title: 'Mute …',
    ...drift,
    prepare: (page) => button(page, FEATURE).press('Enter'),
    opener: 'Mute',
  },
  { title: 'Disconnect the meeting recorder?', ...meetingSettings, opener: 'Disconnect' },
  { title: 'Replace provider key', ...meetingSettings, opener: 'Replace key' },
  { title: 'Replace the webhook address?', ...meetingSettings, opener: 'Replace address' },
  { title: 'Remove the signing secret?', ...meetingSettings, opener: 'Remove secret' },
  { title: 'Sync time range', ...meetingSettings, opener: 'Sync time range' },
  {
    title: 'Change the retention times?',
    path: '/privacy',
    prepare: (page) => page.getByLabel('Days: Conversations').fill('30'),
    opener: 'Save',
  },
  {
    title: 'Erase this person?',
    path: '/privacy',
    prepare: (page) => page.getByLabel('Visitor ID').fill('v_unknown'),
    opener: 'Erase',
  },
  { title: 'Explain', ...endpoint, opener: 'Explain' },
  { title: 'Set the position of …', path: '/event-feeds', opener: /^Seek / },
  { title: 'Delete the feed …?', path: '/event-feeds', opener: /^Delete / },
  { title: 'Create endpoint', path: '/webhooks', opener: 'Create endpoint' },
  {
    title: 'Endpoint created',
    path: '/webhooks',
    opener: 'Create endpoint',
    async change(first) {
      await first.getByLabel('URL').fill('https://example.com/hooks');
      await first.getByRole('button', { name: 'Create', exact: true }).press('Enter');
    },
    closer: 'I have saved the secret',
  },
  { title: 'Edit endpoint', ...endpoint, opener: 'Edit' },
  { title: 'Send test event', ...endpoint, opener: 'Send test event' },
  { title: 'Disable this endpoint?', ...endpoint, opener: 'Disable' },
  { title: 'Retry now', ...endpoint, opener: 'Retry now' },
  { title: 'Cancel the backlog?', ...endpoint, opener: 'Cancel backlog' },
  { title: 'Recover deliveries', ...endpoint, opener: 'Recover deliveries' },
  { title: 'Replay deliveries', ...endpoint, opener: 'Replay deliveries' },
  { title: 'Rotate the signing secret?', ...endpoint, opener: 'Rotate secret' },
  {
    title: 'Secret rotated',
    ...endpoint,
    opener: 'Rotate secret',
    change: (first) => first.getByRole('button', { name: 'Rotate', exact: true }).press('Enter'),
    closer: 'I have saved the secret',
  },
  { title: 'Delete this endpoint?', ...endpoint, opener: 'Delete endpoint' },
];

/** Returns the titles of the dialogs in a source. A component that passes its own title on is used elsewhere. */
const titlesIn = (source: string): string[] =>
  [
    ...source.matchAll(
      /<\w*(?:Dialog|Drawer|Modal|RangeAction)\b[^<]*?\btitle=(?!\{title\})("[^"]*"|\{.+\})/g,
    ),
  ].flatMap(([, expression = '']) => {
    const texts = [...expression.matchAll(/(["'`])(.*?)\1/g)].map(([, , text = '']) => text);
    return texts.length === 0 ? ['…'] : texts.map((text) => text.replaceAll(/\$\{.*?\}/g, '…'));
  });

const hasFocusWithin = (element: SVGElement | HTMLElement): boolean =>
  element.contains(element.ownerDocument.activeElement);

const nameOf = (title: string): RegExp =>
  new RegExp(`^${title.replaceAll('?', '\\?').replaceAll('…', '.+')}$`);

test('the list of dialogs is complete', () => {
  const sources = globSync('**/*.tsx', { cwd: CONSOLE }).map((file) =>
    readFileSync(join(CONSOLE, file), 'utf8'),
  );
  expect(DIALOGS.map(({ title }) => title).sort()).toEqual(sources.flatMap(titlesIn).sort());
});

describe.skipIf(!CHROMIUM)('each dialog of the console', () => {
  const cleanUp = new AsyncDisposableStack();
  let ids: Record<string, string>;
  let tab: ConsolePage;
  let mutations: string[];
  beforeAll(async () => {
    const console = cleanUp.use(await startFullConsole());
    const { app, browser } = console.stage;
    ids = console.ids;
    const { customerId } = await app.services.tenants.create({
      customerId: 88_002,
      orgId: 'org_suspended',
      name: 'Suspended',
    });
    await app.services.tenants.suspend(customerId);
    const leaving = await app.newTenant();
    await createEndpoint(app, leaving, { url: 'http://127.0.0.1:9' });
    await postConversion(app, leaving);
    // Lasts as long as its delivery is retried.
    const input = `{ orgId: "${leaving.tenant.orgId}", deliveries: finish }`;
    const remove = `mutation { deleteTenant(customerId: ${leaving.customerId}, input: ${input}) { status } }`;
    await app.graphql(remove, {}, app.admin);
    // A second session of the same key.
    cleanUp.use(await browser.open(app.url, app.admin));
    tab = cleanUp.use(await console.openAsAdmin(DESKTOP.width));
    mutations = sentMutations(tab.page);
  });
  afterAll(() => cleanUp.disposeAsync());

  test.each(DIALOGS)('“$title” is opened, used and closed with the keyboard', async (dialogCase) => {
    const { title, path, opener: name, prepare, change, closer } = dialogCase;
    const { page } = tab;
    await page.setViewportSize(DESKTOP);
    await tab.goto(path.replace(/:(\w+)/, (_, id: string) => ids[id] ?? ''));
    await prepare?.(page);
    mutations.length = 0;
    const opener = await page
      .getByRole('button', { name, exact: typeof name === 'string' })
      .first()
      .elementHandle();
    await opener?.press('Enter');
    await change?.(page.getByRole('dialog'));
    const dialog = page.getByRole('dialog', { name: nameOf(title) });
    await expect.poll(() => dialog.evaluate(hasFocusWithin)).toBe(true);

    await tab.expectAccessible();
    await expectReachedByTab(page);
    await page.setViewportSize(PHONE);
    await expectPhoneLayout(tab);

    await dialog.getByRole('button').first().focus();
    await page.keyboard.press('Escape');
    if (closer) await dialog.getByRole('button', { name: closer }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const next = title === 'Endpoint created' ? await page.locator('h1').elementHandle() : opener;
    await expect.poll(() => next?.evaluate(hasFocusWithin)).toBe(true);
    expect(mutations).toHaveLength(change ? 1 : 0);
    tab.expectQuiet();
  });
});
