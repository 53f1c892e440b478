import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someRows, startTestSidecar, type TestSidecar } from '../sidecar/support.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { CHROMIUM, startBrowser, type TestBrowser } from '../support/browser.ts';

describe.skipIf(!CHROMIUM)('drift on the console', () => {
  let app: TestApp;
  let browser: TestBrowser;
  let sidecar: TestSidecar;
  let tenant: TestTenant;
  beforeAll(async () => {
    sidecar = await startTestSidecar();
    app = await startApp({ ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: 'off' });
    browser = await startBrowser();
    tenant = await app.newTenant();
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await app.stop();
    await sidecar.stop();
  });

  test('explains the next step without samples', async () => {
    await using tab = await browser.open(app.url, app.admin);
    await tab.goto('/drift');
    await tab.page.getByText('sidecar load --set reference').waitFor();
    await tab.page.getByText('Run the first check with “Check now”').waitFor();
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  describe('with samples', () => {
    beforeAll(async () => {
      // Ages drift in the trial stage only, which is enough for overall drift.
      await sidecar.add('reference', 'visitor', someRows(400, 1));
      await sidecar.add('reference', 'trial', someRows(400, 2));
      await sidecar.add('current', 'visitor', someRows(400, 3));
      await sidecar.check();
      await sidecar.add('current', 'trial', someRows(400, 4, 60));
      await sidecar.check();
      await sidecar.check('visitor');
    });

    test('explains the score, and lists the features by score', async () => {
      await using tab = await browser.open(app.url, app.admin);
      await tab.goto('/drift');
      const { page } = tab;
      const { body } = await app.request('GET', '/api/drift.getStatus', { key: app.admin });
      const status = body as unknown as {
        driftScore: number;
        isDrifted: boolean;
        featureDrifts: { feature: string; score: number; drifted: boolean }[];
      };
      expect(status.isDrifted).toBe(true);
      const meter = page.getByRole('meter', { name: 'Drift score' });
      expect(await meter.getAttribute('aria-valuetext')).toBe(
        `${status.driftScore.toFixed(2)} of 1, threshold 0.2`,
      );
      await page.getByText('above the threshold of 0.2', { exact: true }).waitFor();
      await page.getByText('the model may need retraining').waitFor();
      const features = page.getByRole('list', { name: 'Features' }).getByRole('listitem');
      const sorted = status.featureDrifts.toSorted((a, b) => b.score - a.score);
      expect(sorted.map(({ drifted }) => drifted)).toContain(false);
      const texts = await features.allTextContents();
      expect(texts).toHaveLength(sorted.length);
      for (const [index, { feature, score, drifted }] of sorted.entries()) {
        expect(texts[index]).toContain(feature);
        expect(texts[index]).toContain(score.toFixed(3));
        expect(texts[index]).toContain(drifted ? 'drifted' : 'no drift');
      }
      await tab.expectAccessible();
      tab.expectQuiet();
    });

    test('shows the scores over time, with a text alternative and a table', async () => {
      await using tab = await browser.open(app.url, app.admin);
      await tab.goto('/drift');
      const { page } = tab;
      const chart = page.getByRole('img', { name: /^Line chart of 2 checks: .* drift detected in 1\./ });
      await chart.getByText('Threshold 0.2').waitFor();
      await page.getByRole('button', { name: 'Show 2 checks as a table' }).click();
      const rows = page.getByRole('table', { name: 'Checks' }).getByRole('row');
      await expect.poll(() => rows.count()).toBe(3);
      expect(await rows.nth(1).textContent()).toMatch(/drifted$/);
      expect(await rows.nth(2).textContent()).toMatch(/no drift$/);
      await tab.expectAccessible();
      tab.expectQuiet();
    });

    test('keeps the selected funnel stage in the URL', async () => {
      await using tab = await browser.open(app.url, app.admin);
      await tab.goto('/drift');
      const { page } = tab;
      await page.getByRole('combobox', { name: 'Funnel stage' }).click();
      await page.getByRole('option', { name: 'visitor' }).click();
      await page.getByRole('heading', { name: 'Score over time: stage visitor' }).waitFor();
      await page.getByRole('img', { name: /^Line chart of 1 check:/ }).waitFor();
      expect(new URL(page.url()).search).toBe('?stage=visitor');
      await page.goBack();
      await page.getByRole('img', { name: /^Line chart of 2 checks/ }).waitFor();
    });

    test('runs the first check of a stage, and shows it', async () => {
      await using tab = await browser.open(app.url, app.admin);
      await tab.goto('/drift?stage=trial');
      const { page } = tab;
      await page.getByText('Run the first check of stage trial').waitFor();
      await page.getByRole('button', { name: 'Check now' }).click();
      await page.getByRole('alert').getByText('Drift score of stage trial').waitFor();
      await page.getByRole('img', { name: /^Line chart of 1 check:/ }).waitFor();
      await tab.expectAccessible();
      const { body } = await app.request('GET', '/api/drift.getHistory?stage=trial', { key: app.admin });
      expect(body).toMatchObject([{ stage: 'trial', isDrifted: true }]);
      tab.expectQuiet();
    });

    test('runs an overall check, and refetches the status', async () => {
      const before = (await app.request('GET', '/api/drift.getStatus', { key: app.admin })).body;
      await using tab = await browser.open(app.url, app.admin);
      await tab.goto('/drift');
      const { page } = tab;
      await page.getByRole('img', { name: /^Line chart of 2 checks/ }).waitFor();
      await sidecar.add('current', 'visitor', someRows(800, 5));
      await page.getByRole('button', { name: 'Check now' }).click();
      await page.getByRole('img', { name: /^Line chart of 3 checks/ }).waitFor();
      const after = (await app.request('GET', '/api/drift.getStatus', { key: app.admin })).body;
      expect(Number(after.driftScore)).toBeLessThan(Number(before.driftScore));
      const shown = `${Number(after.driftScore).toFixed(2)} of 1, threshold 0.2`;
      const meter = page.getByRole('meter', { name: 'Drift score' });
      await expect.poll(() => meter.getAttribute('aria-valuetext')).toBe(shown);
      tab.expectQuiet();
    });

    test('shows only the status without an admin key', async () => {
      await using tab = await browser.open(app.url, tenant.write);
      await tab.goto('/drift');
      const { page } = tab;
      await page.getByRole('meter', { name: 'Drift score' }).waitFor();
      await page.getByText('Admin key required').waitFor();
      expect(await page.getByRole('button', { name: 'Check now' }).count()).toBe(0);
      expect(await page.getByRole('combobox', { name: 'Funnel stage' }).count()).toBe(0);
      await tab.expectAccessible();
      tab.expectQuiet();
    });

    test('fits on a phone', async () => {
      await using tab = await browser.open(app.url, app.admin, { width: 375, height: 800 });
      await tab.goto('/drift');
      await tab.page.getByRole('list', { name: 'Features' }).waitFor();
      await tab.expectAccessible();
      const overflow = 'document.documentElement.scrollWidth - window.innerWidth';
      expect(await tab.page.evaluate(overflow)).toBeLessThanOrEqual(0);
      tab.expectQuiet();
    });
  });

  test('explains that the sidecar is unavailable, and recovers', async () => {
    const own = await startTestSidecar();
    const { port } = new URL(own.url);
    await using service = await disposable(
      startApp({ ML_SIDECAR_URL: own.url, DRIFT_CHECK_SCHEDULE: 'off' }),
    );
    await own.stop();
    await using tab = await browser.open(service.app.url, service.app.admin);
    await tab.goto('/drift');
    const { page } = tab;
    await page.getByRole('heading', { name: 'ML sidecar unavailable' }).waitFor();
    await page.getByRole('alert').getByText('ML_SIDECAR_URL').waitFor();
    expect(await page.getByRole('meter').count()).toBe(0);
    await tab.expectAccessible();
    await using back = await startTestSidecar({ mongodbUri: own.mongodbUri, port: Number(port) });
    expect(back.url).toBe(own.url);
    // The circuit breaker stays open for some seconds, so an early attempt fails as well.
    const again = page.getByRole('button', { name: 'Try again' });
    await eventually(async () => {
      if (await again.isEnabled({ timeout: 500 }).catch(() => false))
        await again.click({ timeout: 500 }).catch(() => {});
      return page.getByRole('meter', { name: 'Drift score' }).isVisible();
    }, 30_000);
  }, 90_000);
});

/** A service that stops at the end of its block. */
async function disposable(starting: Promise<TestApp>) {
  const app = await starting;
  return { app, [Symbol.asyncDispose]: () => app.stop() };
}
