import { Kind, parse } from 'graphql';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newGraphiQLToken } from '../../src/demo/graphiql-token.ts';
import { EXAMPLES } from '../../src/http/graphql/examples/graphiql-examples.ts';
import { CHROMIUM, expectFit, sharedChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { KEYS, startServer } from './support.ts';

describe.skipIf(!CHROMIUM)('in a browser', () => {
  const token = newGraphiQLToken();
  let server: Awaited<ReturnType<typeof startServer>>;
  let page: Page;
  beforeAll(async () => {
    server = await startServer({
      demo: { keys: { read: KEYS.read, write: KEYS.write, admin: KEYS.admin }, token },
    });
    page = await (await sharedChromium()).newPage({ viewport: { width: 1440, height: 900 } });
  });
  afterAll(async () => {
    await page.close();
    await server.stop();
  });

  /**
   * Opens a page as in a new browser, and keeps what the browser complains of, and every address elsewhere that is asked
   * for. The tab remains the same one, since it has loaded and compiled the scripts.
   */
  async function open(path: string): Promise<string[]> {
    for (const event of ['console', 'pageerror', 'request']) page.removeAllListeners(event);
    await page.goto(`${server.url}/robots.txt`);
    await page.evaluate('localStorage.clear(), sessionStorage.clear()');
    await page.emulateMedia({ colorScheme: 'light' });
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== server.url && protocol !== 'data:' && protocol !== 'blob:')
        complaints.push(request.url());
    });
    await page.goto(server.url + path);
    return complaints;
  }

  test.each([
    ['/api/v1/docs', '/customers/{customerId}/webhook-endpoints'],
    ['/v1/docs', '/conversations/{conversation_id}'],
    ['/api/docs', '/drift.getStatus'],
  ])(
    '%s renders its document from local files alone, light and dark, with a way back',
    async (path, operation) => {
      const complaints = await open(path);
      await page.locator(`[data-path="${operation}"]`).first().waitFor();
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        await expectFit(page);
      }
      const namedWebhooks = page.locator('.opblock').getByText('conversation.started', { exact: true });
      expect(await namedWebhooks.filter({ visible: true }).count()).toBe(path === '/api/docs' ? 0 : 1);
      expect(await page.getByRole('heading', { name: /^Webhooks/ }).count()).toBe(
        path === '/api/docs' ? 0 : 1,
      );
      await page.locator(`[data-path="${operation}"]`).first().click();
      await page.getByText('Try it out').first().click();
      await page.setViewportSize({ width: 390, height: 900 });
      await expectFit(page);
      await page.setViewportSize({ width: 1440, height: 900 });
      const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(await background()).toBe('rgb(255, 255, 255)');
      await page.emulateMedia({ colorScheme: 'dark' });
      await expect.poll(background).toBe('rgb(28, 32, 34)');
      const navigation = page.getByRole('navigation', { name: 'Pages' });
      expect(await navigation.locator('[aria-current]').getAttribute('href')).toBe(path);
      // The color scheme that the user selects in the console applies here as well.
      await page.evaluate("localStorage.setItem('engagement.color-scheme', 'light')");
      await page.reload();
      expect(await background()).toBe('rgb(255, 255, 255)');
      expect(complaints).toEqual([]);
      await navigation.getByRole('link', { name: 'Console' }).click();
      await page.getByLabel('API key').waitFor();
      await page.getByRole('link', { name: 'drift procedures' }).waitFor();
    },
  );

  test('/graphql opens with the examples, and without a key', async () => {
    const complaints = await open('/graphql');
    await page.getByRole('tab', { name: 'Administration' }).waitFor();
    await page.getByText('The demo keys are in the output of npm start').waitFor();
    const headers = page.locator('.graphiql-editor-tool .view-lines', { hasText: 'Authorization' });
    await expect.poll(() => headers.innerText()).toMatch(/"Authorization":\s"Bearer\s"/);
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });

  test('/graphql with the token of the printed address runs an operation with a demo key', async () => {
    const complaints = await open(`/graphql?demo=${token}`);
    await expect.poll(() => page.url()).toBe(`${server.url}/graphql`);
    expect(await page.locator('#demo-hint').count()).toBe(0);
    await page.locator('.graphiql-tab-button', { hasText: /^Endpoints$/ }).click();
    // Until the editor knows the operations of the tab, the button runs one instead of offering them.
    await page.locator('.graphiql-execute-button[aria-haspopup]').click();
    await page.getByRole('menuitem', { name: 'EventTypes' }).click();
    const answer = page.locator('.graphiql-response');
    await expect.poll(() => answer.innerText(), { timeout: 15_000 }).toContain('conversation.started');
    expect(complaints).toEqual([]);
  });

  test('every example runs with the key of its tab, also after a reload', async () => {
    // In the tab that has had the token: its keys outlast a reload.
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${server.url}/graphql`);
    const tabs = page.locator('.graphiql-tab-button');
    await tabs.nth(EXAMPLES.length - 1).waitFor();
    /** Waits no longer for a click and its request than a user would before the next click. */
    const CLICK = { timeout: 2_000 };
    /** Runs the first operation of a tab, and returns the errors in the response. */
    async function errorsOf(index: number): Promise<string[]> {
      await tabs.nth(index).click();
      const isOperation = (request: Request) =>
        request.url().endsWith('/graphql') && request.method() === 'POST';
      const responseOf = () => page.waitForResponse((response) => isOperation(response.request()));
      const [first, ...others] = parse(EXAMPLES[index]?.query ?? '').definitions.flatMap((definition) =>
        definition.kind === Kind.OPERATION_DEFINITION ? [definition.name?.value ?? ''] : [],
      );
      // The editor knows the operations of a tab shortly after it has opened; several of them are offered in a menu. The
      // button stops an operation for as long as the response of the previous one is being processed.
      const menu = others.length > 0 ? '[aria-haspopup]' : ':not([aria-haspopup])';
      const execute = page.locator(`.graphiql-execute-button[aria-label^="Execute"]${menu}`);
      const responded = responseOf();
      // GraphiQL ignores a click until it has processed the previous response, and a menu may still be the previous one.
      await eventually(async () => {
        try {
          const sent = page.waitForRequest(isOperation, CLICK);
          sent.catch(() => {});
          await execute.click(CLICK);
          if (others.length > 0) await page.getByRole('menuitem', { name: first, exact: true }).click(CLICK);
          return await sent;
        } catch (error) {
          await page.keyboard.press('Escape');
          throw error;
        }
      }, 20_000);
      const response = await responded;
      const isStream = response.headers()['content-type']?.startsWith('text/event-stream');
      if (isStream) {
        await page.locator('.graphiql-execute-button').click();
        return [];
      }
      const { errors = [] } = (await response.json()) as {
        errors?: { message: string; extensions: { code: string } }[];
      };
      return errors.map(({ message, extensions: { code } }) => `${code}: ${message}`);
    }
    const last = EXAMPLES.length - 1;
    for (const index of EXAMPLES.keys()) {
      // Drift and the recorder need parts that this server does not have.
      for (const error of await errorsOf(index))
        expect(error, EXAMPLES[index]?.query).toMatch(/^(SERVICE_UNAVAILABLE|NOT_CONFIGURED):/);
    }
    await page.reload();
    await tabs.nth(last).waitFor();
    for (const index of [last, EXAMPLES.findIndex(({ scope }) => scope === 'write')])
      expect(await errorsOf(index)).toEqual([]);
    const stored = await page.evaluate('JSON.stringify({ ...localStorage })');
    expect(stored).not.toContain('eg_');
    expect(complaints).toEqual([]);
  });
});
