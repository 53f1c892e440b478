import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, expectFit } from '../support/browser.ts';
import {
  apiDrift,
  apiFeature,
  byScore,
  expectedFeatureNumbers,
  expectedNumbers,
  score,
  shownNumbers,
} from './drift-numbers.ts';
import {
  type DriftConsole,
  expectPhraseOfScore,
  featureNames,
  leads,
  startDriftConsole,
  tabUntil,
} from './drift-page-support.ts';
import { expectTablesFit } from './phone-support.ts';

const SCOPES = [null, 'trial', 'visitor', 'renewal'];
/** Accessibility is checked in both color schemes of each. */
const SCREENS = [
  { width: 1440, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const;

const pathOf = (stage: string | null): string => (stage === null ? '/drift' : `/drift?stage=${stage}`);

describe.skipIf(!CHROMIUM)('drift on the console', () => {
  let app: DriftConsole['app'];
  let browser: DriftConsole['browser'];
  let sidecar: DriftConsole['sidecar'];
  let tenant: DriftConsole['tenant'];
  let stop: DriftConsole['stop'];
  beforeAll(async () => {
    ({ app, browser, sidecar, tenant, stop } = await startDriftConsole());
  });
  afterAll(() => stop());

  test('explains the next step without samples', async () => {
    await using tab = await browser.open(app.url, app.admin, { path: '/drift' });
    await tab.page.getByText('sidecar load --set reference').waitFor();
    await tab.page.getByText('Run the first check with “Check now”').waitFor();
    await tab.expectAccessible();
    tab.expectQuiet();
  });

  describe('with samples', () => {
    beforeAll(async () => {
      // The trial stage drifts by its ages and by a new plan; renewal has too few rows.
      await sidecar.add('reference', 'visitor', leads(400, 1));
      await sidecar.add('reference', 'trial', leads(400, 2));
      await sidecar.add('reference', 'renewal', leads(40, 3));
      await sidecar.add('current', 'visitor', leads(420, 4));
      for (const stage of SCOPES.slice(0, 2)) await sidecar.check(stage ?? undefined);
      await sidecar.add('current', 'trial', leads(1_300, 5, { shift: 60, newPlan: true }));
      await sidecar.add('current', 'renewal', leads(12, 6));
      for (const stage of SCOPES) await sidecar.check(stage ?? undefined);
    });

    describe.each(SCREENS)('$width px, $colorScheme', ({ width, height, colorScheme }) => {
      test.each([null, 'trial', 'renewal'])('every number of the page matches the API: %s', async (stage) => {
        await using tab = await browser.open(app.url, app.admin, { width, height, path: pathOf(stage) });
        const { page } = tab;
        await page.emulateMedia({ colorScheme });
        const { status, history, weeks } = await apiDrift(app, { stage });
        await page.getByRole('table', { name: 'Features' }).waitFor();
        await page.getByRole('button', { name: /^Show \d+ checks? as a table$/ }).click();
        await page.getByRole('table', { name: 'Checks' }).getByRole('row').nth(history.length).waitFor();
        await expectTablesFit(page);
        await expect.poll(() => shownNumbers(page, 'main')).toEqual(expectedNumbers(status, history, weeks));
        await expectPhraseOfScore(page, status);
        await expectFit(page);
        await tab.expectAccessible();
        tab.expectQuiet();
      });

      test.each([
        { stage: null, feature: 'age' },
        { stage: 'trial', feature: 'plan' },
        { stage: 'trial', feature: 'residual' },
      ])('every number of $feature matches the API: $stage', async ({ stage, feature }) => {
        await using tab = await browser.open(app.url, app.admin, { width, height, path: pathOf(stage) });
        const { page } = tab;
        await page.emulateMedia({ colorScheme });
        const { status } = await apiDrift(app, { stage });
        const found = await apiFeature(app, { stage, feature });
        await page.getByRole('button', { name: feature, exact: true }).click();
        const panel = page.getByRole('dialog', { name: feature });
        await panel.getByRole('button', { name: /^Show \d+ checks? as a table$/ }).click();
        await panel.getByRole('table', { name: 'Scores of the feature' }).waitFor();
        await panel.getByRole('button', { name: 'Save' }).waitFor();
        await expect
          .poll(() => shownNumbers(page, '[role=dialog]'))
          .toEqual(expectedFeatureNumbers(found, status.threshold));
        const contributions = found.details.bins.map(({ contribution }) => contribution);
        expect(contributions).toEqual(contributions.toSorted((one, other) => other - one));
        await expectFit(page);
        await tab.expectAccessible();
        tab.expectQuiet();
      });
    });

    test('marks the drifted stage and the one with too few samples', async () => {
      await using tab = await browser.open(app.url, app.admin, { path: '/drift' });
      const tabs = tab.page.getByRole('tab');
      await expect
        .poll(() => tabs.allTextContents(), { timeout: 10_000 })
        .toEqual(['All samplesdrifted', 'renewaltoo few samples', 'trialdrifted', 'visitor']);
      tab.expectQuiet();
    });

    test('shows no score of a stage with too few samples', async () => {
      await using tab = await browser.open(app.url, app.admin, { path: '/drift?stage=renewal' });
      const { page } = tab;
      await page.getByText('no score', { exact: true }).waitFor();
      await page.getByText('Each set needs at least 30 rows').waitFor();
      await page.getByText('No check had enough samples for a score.').waitFor();
      expect(await page.getByRole('meter').count()).toBe(0);
      expect(
        await page.getByRole('table', { name: 'Features' }).getByText('too few samples').count(),
      ).toBeGreaterThan(3);
    });

    test('is usable with the keyboard alone, and keeps stage and feature in the address', async () => {
      await using tab = await browser.open(app.url, app.admin, { path: '/drift' });
      const { page } = tab;
      const { keyboard } = page;
      const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
      const search = (): string => new URL(page.url()).search;
      await page.getByRole('tab', { name: 'visitor' }).waitFor();
      await tabUntil(page, 'All samples');
      for (const _press of ['renewal', 'trial']) await keyboard.press('ArrowRight');
      await page.getByRole('heading', { name: 'Stage trial', exact: true }).waitFor();
      expect(search()).toBe('?stage=trial');
      await tabUntil(page, 'Score');
      const order = () => page.getByRole('columnheader', { name: 'Score' }).getAttribute('aria-sort');
      expect(await order()).toBe('descending');
      const { status } = await apiDrift(app, { stage: 'trial' });
      const names = byScore(status.featureDrifts).map(({ feature }) => feature);
      expect(await featureNames(page)).toEqual(names);
      await keyboard.press('Enter');
      expect(await order()).toBe('ascending');
      expect(await featureNames(page)).toEqual(names.toReversed());
      await keyboard.press('Enter');
      await tabUntil(page, 'plan');
      await keyboard.press('Enter');
      const panel = page.getByRole('dialog', { name: 'plan' });
      await panel.getByRole('table', { name: 'Bins' }).waitFor();
      expect(search()).toBe('?stage=trial&feature=plan');
      await keyboard.press('Escape');
      await panel.waitFor({ state: 'detached' });
      await expect.poll(focused).toBe('plan');
      expect(search()).toBe('?stage=trial');
      tab.expectQuiet();
    });

    test('opens a feature by its address, and the page before with the back button', async () => {
      await using tab = await browser.open(app.url, app.admin, { path: '/drift?stage=trial' });
      const { page } = tab;
      await page.getByRole('button', { name: 'age', exact: true }).click();
      await page.getByRole('dialog', { name: 'age' }).waitFor();
      await page.reload();
      await page.getByRole('dialog', { name: 'age' }).getByText('What moved').waitFor();
      await page.goBack();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('tab', { name: 'visitor' }).click();
      await page.getByRole('heading', { name: 'Stage visitor', exact: true }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Stage trial', exact: true }).waitFor();
    });

    test('explains that a stage has no samples', async () => {
      await using tab = await browser.open(app.url, app.admin, { path: '/drift?stage=nope' });
      const { page } = tab;
      await page.getByRole('heading', { name: 'No samples for stage nope' }).waitFor();
      expect(await page.getByRole('button', { name: 'Check now' }).count()).toBe(0);
      await tab.expectAccessible();
      await page.getByRole('link', { name: 'show all samples' }).click();
      await page.getByRole('heading', { name: 'All samples' }).waitFor();
      tab.expectQuiet();
    });

    test('an admin changes weight and threshold of a feature, which the status reflects', async () => {
      await using tab = await browser.open(app.url, app.admin, { path: '/drift?stage=trial&feature=age' });
      const { page } = tab;
      const panel = page.getByRole('dialog', { name: 'age' });
      const before = await apiDrift(app, { stage: 'trial' });
      const set = async (weight: string, threshold: string): Promise<void> => {
        await panel.getByRole('textbox', { name: 'Weight' }).fill(weight);
        await panel.getByRole('textbox', { name: 'Threshold' }).fill(threshold);
        await panel.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Settings of age saved.').first().waitFor();
      };
      await set('0', '90');
      const { status } = await apiDrift(app, { stage: 'trial' });
      expect(status.driftScore).not.toBe(before.status.driftScore);
      expect(status.featureDrifts.find(({ feature }) => feature === 'age')).toMatchObject({
        weight: 0,
        threshold: 90,
        drifted: false,
      });
      await panel.getByText('no drift').waitFor();
      await page.keyboard.press('Escape');
      await page.getByText(score(status.driftScore), { exact: true }).first().waitFor();
      await tab.goto('/drift?stage=trial&feature=age');
      await set('1', '');
      await expect.poll(async () => (await apiDrift(app, { stage: 'trial' })).status).toEqual(before.status);
      await tab.expectAccessible();
      tab.expectQuiet();
    });

    test('the form has the settings that another admin has saved since it was last open', async () => {
      await using tab = await browser.open(app.url, app.admin, { path: '/drift?stage=trial' });
      const { page } = tab;
      const weight = page.getByRole('dialog').getByRole('textbox', { name: 'Weight' });
      await page.getByRole('button', { name: 'age', exact: true }).click();
      await weight.waitFor();
      await expect.poll(() => weight.inputValue()).toBe('1');
      await page.keyboard.press('Escape');
      await weight.waitFor({ state: 'detached' });
      const features = [{ feature: 'age', weight: 3, threshold: null }];
      await sidecar.request('PUT', '/drift/features', { features });
      await page.getByRole('button', { name: 'age', exact: true }).click();
      await weight.waitFor();
      expect(await weight.inputValue()).toBe('3');
      await sidecar.request('PUT', '/drift/features', { features: [] });
    });

    test('runs a check of the selected stage, and shows it', async () => {
      await using tab = await browser.open(app.url, app.admin, { path: '/drift?stage=visitor' });
      const { page } = tab;
      await page.getByRole('img', { name: /^Line chart of 1 check:/ }).waitFor();
      await page.getByRole('button', { name: 'Check now' }).click();
      await page.getByRole('alert').getByText('Drift score of stage visitor').waitFor();
      await page.getByRole('img', { name: /^Line chart of 2 checks:/ }).waitFor();
      tab.expectQuiet();
    });

    test('a check with too few samples is not reported as no drift', async () => {
      await using tab = await browser.open(app.url, app.admin, { path: '/drift?stage=renewal' });
      const { page } = tab;
      await page.getByRole('button', { name: 'Check now' }).click();
      const notification = page.getByRole('alert').filter({ hasText: 'stage renewal' });
      await notification.getByText('Too few samples').waitFor();
      expect(await notification.getByText('No drift detected').count()).toBe(0);
      tab.expectQuiet();
    });

    test('explains that a feature of the address has no samples', async () => {
      await using tab = await browser.open(app.url, app.admin, { path: '/drift?stage=trial&feature=nope' });
      const panel = tab.page.getByRole('dialog', { name: 'nope' });
      await panel.getByText('No samples with feature `nope`.').waitFor();
      expect(await panel.getByText('another customer').count()).toBe(0);
      await tab.expectAccessible();
    });

    test('shows status and features without an admin key', async () => {
      await using tab = await browser.open(app.url, tenant.write, { path: '/drift?stage=trial' });
      const { page } = tab;
      await page.getByRole('meter', { name: 'Drift score' }).waitFor();
      await page.getByText('Admin key required').waitFor();
      expect(await page.getByRole('button', { name: 'Check now' }).count()).toBe(0);
      await page.getByRole('button', { name: 'plan', exact: true }).click();
      const panel = page.getByRole('dialog', { name: 'plan' });
      await panel.getByRole('table', { name: 'Bins' }).waitFor();
      expect(await panel.getByRole('button', { name: 'Save' }).count()).toBe(0);
      await tab.expectAccessible();
      tab.expectQuiet();
    });
  });
});
