import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Row, random, startTestSidecar } from '../sidecar/support.ts';
import { startApp } from '../support/app.ts';
import { startBrowser } from '../support/browser.ts';
import { type ApiStatus, score } from './drift-numbers.ts';

/** The service with a sidecar and a tenant, and a browser. */
export async function startDriftConsole() {
  const sidecar = await startTestSidecar();
  const app = await startApp({ ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: 'off' });
  const browser = await startBrowser();
  return {
    ...{ app, browser, sidecar, tenant: await app.newTenant() },
    async stop() {
      await browser[Symbol.asyncDispose]();
      await app.stop();
      await sidecar.stop();
    },
  };
}

export type DriftConsole = Awaited<ReturnType<typeof startDriftConsole>>;

/** Rows with a number, a category and missing values. */
export function leads(count: number, seed: number, { shift = 0, newPlan = false } = {}): Row[] {
  const numbers = random(seed);
  const next = () => numbers.next().value;
  return Array.from({ length: count }, () => ({
    features: {
      age: 20 + 40 * next() + shift,
      visits: next() < 0.2 ? null : Math.round(next() * 12),
      plan: newPlan && next() < 0.5 ? 'gold' : next() < 0.5 ? 'free' : 'team',
    },
    prediction: next(),
    outcome: next() < 0.1 ? null : Math.round(next()),
  }));
}

/** Names in the feature table, in its order. */
export const featureNames = (page: Page): Promise<string[]> =>
  page
    .getByRole('table', { name: 'Features' })
    .getByRole('row')
    .getByRole('button')
    .allTextContents()
    .then((texts) => texts.slice(2));

/** Presses Tab until the element with this text has the focus. */
export async function tabUntil(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if (
      String(await page.evaluate('document.activeElement.textContent'))
        .trim()
        .startsWith(text)
    )
      return;
  }
  throw new Error(`${text} cannot be reached with the keyboard`);
}

/** The meter and the mark of the deciding component, which have no text of their own. */
export async function expectPhraseOfScore(page: Page, status: ApiStatus): Promise<void> {
  const { insufficientData, driftScore, threshold, components } = status;
  const meter = page.getByRole('meter', { name: 'Drift score' });
  if (insufficientData) return expect(await meter.count()).toBe(0);
  expect(await meter.getAttribute('aria-valuetext')).toBe(`${score(driftScore)}, threshold ${threshold}`);
  const [deciding] = Object.entries(components ?? {}).find(([, value]) => value === driftScore) ?? [];
  const marked = page.getByRole('listitem').filter({ hasText: 'decides the score' });
  expect(await marked.count()).toBe(1);
  expect((await marked.textContent())?.toLowerCase()).toMatch(new RegExp(`^${deciding}`));
}
