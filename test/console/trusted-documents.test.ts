import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { CHROMIUM, startBrowser, type TestBrowser } from '../support/browser.ts';
import { listening, postConversion } from '../webhooks/support.ts';

describe.skipIf(!CHROMIUM)('the console of a service that executes trusted documents only', () => {
  let app: TestApp;
  let browser: TestBrowser;
  beforeAll(async () => {
    app = await startApp({ GRAPHQL_DOCUMENTS: 'trusted' });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await app.stop();
  });

  test('sends identifiers instead of texts, in subscriptions as well', async () => {
    const { tenant } = await listening(app);
    await using tab = await browser.open(app.url, null);
    const bodies: Record<string, unknown>[] = [];
    tab.page.on('request', (request) => {
      if (request.url().endsWith('/graphql')) bodies.push(request.postDataJSON());
    });
    await tab.page.getByLabel('API key').fill(tenant.read);
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await tab.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await tab.goto('/deliveries');
    await tab.page.getByRole('heading', { level: 1 }).waitFor();
    await tab.page.getByText('Live').first().waitFor();
    await postConversion(app, tenant);
    await tab.page.getByText('conversion.recorded').first().waitFor();
    expect(bodies.length).toBeGreaterThan(3);
    for (const { query, documentId } of bodies) {
      expect(query ?? '').toBe('');
      expect(documentId).toMatch(/^sha256:[0-9a-f]{64}$/);
    }
    tab.expectQuiet();
  });
});
