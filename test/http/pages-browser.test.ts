import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { KEYS, startServer } from './support.ts';

describe.skipIf(!CHROMIUM)('in a browser', () => {
  let server: Awaited<ReturnType<typeof startServer>>;
  let browser: Browser;
  beforeAll(async () => {
    server = await startServer({ demoReadKey: KEYS.read });
    browser = await chromium.launch({
      executablePath: CHROMIUM ?? undefined,
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    });
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  /** Opens a page, and keeps what the browser complains of, and every address elsewhere that is asked for. */
  async function open(path: string): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage();
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
    return { page, complaints };
  }

  test.each([
    ['/api/v1/docs', '/customers/{customerId}/webhook-endpoints'],
    ['/v1/docs', '/conversations/{conversation_id}'],
  ])('%s renders its document from local files alone', async (path, operation) => {
    const { page, complaints } = await open(path);
    await page.locator(`[data-path="${operation}"]`).first().click();
    await page.getByText('Try it out').first().waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('/graphql opens with the examples, loads the schema and runs an operation', async () => {
    const { page, complaints } = await open('/graphql');
    await page.getByRole('tab', { name: 'Administration' }).waitFor();
    await page.locator('.graphiql-tab-button', { hasText: /^Endpoints$/ }).click();
    await page.locator('.graphiql-execute-button').click();
    await page.getByRole('menuitem', { name: 'EventTypes' }).click();
    const answer = page.locator('.graphiql-response');
    await expect.poll(() => answer.innerText(), { timeout: 15_000 }).toContain('conversation.started');
    expect(complaints).toEqual([]);
    await page.close();
  });
});
