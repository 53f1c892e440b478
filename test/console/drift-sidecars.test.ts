import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestSidecar } from '../sidecar/support.ts';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { CHROMIUM, expectFit, startBrowser, type TestBrowser } from '../support/browser.ts';
import { FEATURE, HISTORY, type SidecarAnswers, STATUS, startFakeSidecar, WELL } from '../support/sidecar.ts';
import { apiDrift, expectedNumbers, shownNumbers } from './drift-numbers.ts';

describe.skipIf(!CHROMIUM)('drift on the console, with a sidecar that fails or reports less', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser[Symbol.asyncDispose]());

  test('explains what a sidecar with the fields of contract 9 alone does not report', async () => {
    const foreign = await startFakeSidecar();
    const { featureDrifts, isDrifted, driftScore, threshold, method, lastChecked } = STATUS;
    foreign.behave({
      answers: {
        '/health': WELL['/health'],
        '/drift/status': {
          ...{ isDrifted, driftScore, threshold, method, lastChecked },
          featureDrifts: featureDrifts.map(({ feature, score, drifted }) => ({ feature, score, drifted })),
        },
        '/drift/history': HISTORY.map(({ id, stage, checkedAt, ...check }) => ({
          ...{ id, stage, checkedAt, method: 'psi' },
          ...{ driftScore: check.driftScore, isDrifted: check.isDrifted },
        })),
      },
    });
    await using cleanUp = new AsyncDisposableStack();
    cleanUp.defer(() => foreign.stop());
    const service = cleanUp.use(
      await disposable(startApp({ ML_SIDECAR_URL: foreign.url, DRIFT_CHECK_SCHEDULE: 'off' })),
    );
    await using tab = await browser.open(service.app.url, service.app.admin, { path: '/drift' });
    const { page } = tab;
    await page.getByText('The sidecar does not report the components of the score.').waitFor();
    await page.getByText('The sidecar does not report thresholds, weights, types').waitFor();
    expect(await page.getByText('not reported').count()).toBe(2);
    expect(await page.getByRole('tab').count()).toBe(1);
    await page.getByRole('button', { name: 'Show 1 check as a table' }).click();
    await page.getByRole('table', { name: 'Checks' }).waitFor();
    const { status, history } = await apiDrift(service.app, { stage: null });
    await expect.poll(() => shownNumbers(page, 'main')).toEqual(expectedNumbers(status, history));
    await tab.expectAccessible();
    await page.getByRole('button', { name: 'visits', exact: true }).click();
    await page.getByText('The sidecar does not report details of features.').waitFor();
    await tab.expectAccessible();
    expect(foreign.requests.filter((request) => request.includes('/drift/feature'))).toEqual([]);
    tab.expectQuiet();
  });

  describe('what a score is worth', () => {
    const [visits, ...others] = STATUS.featureDrifts;
    const faultless = { missing: { reference: 0, current: 0 }, newCategoryShare: 0 };
    const prediction = { ...others[0], ...faultless };
    const calm = {
      ...STATUS,
      isDrifted: false,
      driftScore: 0.02,
      components: { ...STATUS.components, features: 0.01 },
    };
    const SCREENS = [
      { width: 1440, height: 900, colorScheme: 'light' },
      { width: 390, height: 844, colorScheme: 'dark' },
    ] as const;

    test.each(SCREENS)('names what is wrong with the data: $width px, $colorScheme', async (screen) => {
      await using foreign = await disposableSidecar({
        ...WELL,
        '/drift/status': {
          ...calm,
          featureDrifts: [
            visits,
            prediction,
            { ...visits, feature: 'region', score: 0.1, drifted: false, noData: true },
          ],
        },
        '/drift/feature': { ...FEATURE, wasserstein: 0.734, outOfRange: 0.021 },
      });
      await using service = await disposable(
        startApp({ ML_SIDECAR_URL: foreign.url, DRIFT_CHECK_SCHEDULE: 'off' }),
      );
      const { width, height, colorScheme } = screen;
      await using tab = await browser.open(service.app.url, service.app.admin, {
        width,
        height,
        path: '/drift',
      });
      const { page } = tab;
      await page.emulateMedia({ colorScheme });
      await page.getByText('No drift of the model, but 1 feature drifted: visits.').waitFor();
      await page.getByText('Features drifted', { exact: true }).waitFor();
      expect(await page.getByText('No drift', { exact: true }).count()).toBe(0);
      const findings = page.getByRole('region', { name: 'Data quality' }).first();
      expect(await findings.getByRole('listitem').allTextContents()).toEqual([
        'visits: 25% of the current rows have no value, 0% of the reference; 30% of the current rows are in 12 new categories',
        'region: no data: a set has rows, but none of them has a value',
      ]);
      await page.getByRole('table', { name: 'Features' }).getByText('no data', { exact: true }).waitFor();
      await page.getByText('All bars end at 1.700').waitFor();
      expect(await page.getByRole('meter', { name: 'Drift score' }).getAttribute('aria-valuemax')).toBe(
        '1.7',
      );
      await expectFit(page);
      await tab.expectAccessible();
      await page.getByRole('button', { name: 'visits', exact: true }).click();
      const panel = page.getByRole('dialog', { name: 'visits' });
      await panel.getByText('2.1% of the current numbers are outside the range of the reference').waitFor();
      for (const fact of [
        'Noise floor',
        'Jensen-Shannon distance',
        'Wasserstein distance, in reference deviations',
      ])
        await panel.getByText(fact, { exact: true }).waitFor();
      await panel.getByText('0.734', { exact: true }).waitFor();
      await expectFit(page);
      await tab.expectAccessible();
      tab.expectQuiet();
    });

    test('does not report “no drift” while a feature is above its threshold', async () => {
      const unproven = {
        ...visits,
        drifted: false,
        significant: false,
        noise: 2,
        insufficientData: true,
        rowsNeeded: 640,
      };
      await using foreign = await disposableSidecar({
        ...WELL,
        '/drift/status': { ...calm, featureDrifts: [unproven, prediction] },
      });
      await using service = await disposable(
        startApp({ ML_SIDECAR_URL: foreign.url, DRIFT_CHECK_SCHEDULE: 'off' }),
      );
      await using tab = await browser.open(service.app.url, service.app.admin, { path: '/drift' });
      const { page } = tab;
      await page.getByText('No proven drift', { exact: true }).waitFor();
      await page.getByText('visits scored above the threshold, but not above the noise floor.').waitFor();
      await page.getByRole('table', { name: 'Features' }).getByText('needs about 640 more rows').waitFor();
      await page.getByRole('button', { name: 'Check now' }).click();
      const notification = page.getByRole('alert').filter({ hasText: 'all samples' });
      await notification.getByText('Above the threshold, but within noise: visits.').waitFor();
      expect(await page.getByText('No drift', { exact: true }).count()).toBe(0);
      expect(await page.getByText('No drift detected').count()).toBe(0);
      tab.expectQuiet();
    });
  });

  describe('a sidecar without a list of stages', () => {
    const open = async (cleanUp: AsyncDisposableStack, path: string, answers: SidecarAnswers) => {
      const foreign = await startFakeSidecar();
      cleanUp.defer(() => foreign.stop());
      foreign.behave({ answers: { ...WELL, '/drift/stages': undefined, ...answers } });
      const { app } = cleanUp.use(
        await disposable(startApp({ ML_SIDECAR_URL: foreign.url, DRIFT_CHECK_SCHEDULE: 'off' })),
      );
      const tab = cleanUp.use(await browser.open(app.url, app.admin, { path }));
      return tab;
    };

    test('shows a stage that it reports nevertheless', async () => {
      await using cleanUp = new AsyncDisposableStack();
      const { page } = await open(cleanUp, '/drift?stage=trial', {});
      await page.getByRole('heading', { name: 'Stage trial', exact: true }).waitFor();
      await page.getByText('0.310', { exact: true }).first().waitFor();
    });

    test.each([
      ['does not have the stage', {}],
      ['reports all samples only', { '/drift/status': STATUS }],
    ])('explains that there are no samples of a stage if it %s', async (_case, answers) => {
      await using cleanUp = new AsyncDisposableStack();
      const { page } = await open(cleanUp, '/drift?stage=nope', answers);
      await page.getByRole('heading', { name: 'No samples for stage nope' }).waitFor();
      expect(await page.getByRole('button', { name: 'Check now' }).count()).toBe(0);
    });

    test('compares a feature although the latest check of an earlier version has no details', async () => {
      await using cleanUp = new AsyncDisposableStack();
      const { page } = await open(cleanUp, '/drift', {
        '/drift/status': {
          ...STATUS,
          featureDrifts: STATUS.featureDrifts.map(({ feature, score, drifted, threshold }) => ({
            ...{ feature, score, drifted, threshold },
          })),
        },
      });
      await page.getByText('The latest check has no types, missing values and categories').waitFor();
      expect(await page.getByText('does not report').count()).toBe(0);
      await page.getByRole('button', { name: 'visits', exact: true }).click();
      await page.getByRole('dialog').getByText('What moved').waitFor();
    });

    test('names another method, and shows no check without a time', async () => {
      await using cleanUp = new AsyncDisposableStack();
      const { page } = await open(cleanUp, '/drift', {
        '/drift/status': {
          ...{ ...STATUS, method: 'ks', lastChecked: null, insufficientData: true },
          ...{ isDrifted: false, driftScore: 0 },
        },
      });
      await page.getByText('Score (ks) of each feature.').waitFor();
      await page.getByText('The sets have too few rows for a score.').waitFor();
      await page.getByText('Time of the latest check not reported (ks)').waitFor();
      expect(await page.getByText('Population Stability Index').count()).toBe(0);
      expect(await page.getByText('30 rows').count()).toBe(0);
    });
  });

  test('explains that the sidecar is unavailable, and recovers', async () => {
    const own = await startTestSidecar();
    const { port } = new URL(own.url);
    await using service = await disposable(
      startApp({ ML_SIDECAR_URL: own.url, DRIFT_CHECK_SCHEDULE: 'off' }),
    );
    await own.stop();
    await using tab = await browser.open(service.app.url, service.app.admin, { path: '/drift' });
    const { page } = tab;
    await page.getByRole('heading', { name: 'ML sidecar unavailable' }).waitFor();
    await page.getByRole('alert').getByText('ML_SIDECAR_URL').waitFor();
    expect(await page.getByRole('tab').count()).toBe(0);
    await tab.expectAccessible();
    await using back = await startTestSidecar({ mongodbUri: own.mongodbUri, port: Number(port) });
    expect(back.url).toBe(own.url);
    // The circuit breaker stays open for some seconds, so an early attempt fails as well.
    const again = page.getByRole('button', { name: 'Try again' });
    await eventually(async () => {
      if (await again.isEnabled({ timeout: 500 }).catch(() => false))
        await again.click({ timeout: 500 }).catch(() => {});
      return page.getByRole('heading', { name: 'All samples' }).isVisible();
    }, 30_000);
  });
});

/** A service that stops at the end of its block. */
async function disposable(starting: Promise<TestApp>) {
  const app = await starting;
  return { app, [Symbol.asyncDispose]: () => app.stop() };
}

/** A fake sidecar that stops at the end of its block. */
async function disposableSidecar(answers: SidecarAnswers) {
  const sidecar = await startFakeSidecar();
  sidecar.behave({ answers });
  return { url: sidecar.url, [Symbol.asyncDispose]: () => sidecar.stop() };
}
