import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ConsolePage } from '../support/browser.ts';
import { expectFit } from '../support/browser.ts';

/** Text of this length without a place to break it. */
export const long = (name: string, length = 500): string => name.padEnd(length, '_x');

/** Visible elements of tables, dialogs and menus that reach beyond the right edge of the screen. */
const OVERFLOWING = `[...document.querySelectorAll('table *, [role="dialog"] *, nav *')]
  .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('svg, pre, [role="tooltip"]'))
  .filter((element) => !element.querySelector(':scope > pre'))
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
  .map((element) => element.outerHTML.slice(0, 200))`;

const SCROLLING_TABLES = `[...document.querySelectorAll('section')]
  .filter((element) => element.querySelector(':scope > table') && element.scrollWidth > element.clientWidth)
  .map(({ ariaLabel, scrollWidth, clientWidth }) => ariaLabel + ': ' + scrollWidth + ' of ' + clientWidth + ' px')`;

/** Resolves once a page whose width has just changed is laid out for it. */
const NEXT_FRAME = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';

/** Resolves once the menu has moved in or out. */
const END_OF_TRANSITIONS = `Promise.allSettled(document.getAnimations()
  .filter((animation) => animation instanceof CSSTransition)
  .map(({ finished }) => finished))`;

/** Targets that are smaller than 24 px and too close to others (WCAG 2.2). */
const SMALL_TARGETS = `axe.run({ runOnly: ['target-size'] }).then(({ violations }) =>
  violations.flatMap(({ nodes }) => nodes.map(({ html, failureSummary }) => html + failureSummary)))`;

/** No table of the page scrolls horizontally. */
export const expectTablesFit = async (page: Page): Promise<void> =>
  expect.soft(await page.evaluate(SCROLLING_TABLES), page.url()).toEqual([]);

/** Changes the size of the screen, and waits until the page is laid out for it. */
export async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await laidOut(page);
}

async function laidOut(page: Page): Promise<void> {
  await page.waitForFunction(`innerWidth === ${page.viewportSize()?.width}`);
  await page.evaluate(NEXT_FRAME);
  await page.evaluate(END_OF_TRANSITIONS);
}

/** The page fits the width of the screen, with accessible content and targets of a sufficient size. */
export async function expectPhoneLayout(tab: ConsolePage): Promise<void> {
  const { page } = tab;
  await laidOut(page);
  await expectFit(page);
  await expectTablesFit(page);
  expect.soft(await page.evaluate(OVERFLOWING), page.url()).toEqual([]);
  await tab.expectAccessible();
  expect.soft(await page.evaluate(SMALL_TARGETS), page.url()).toEqual([]);
}

/** Checks that the buttons and links at the top of the page and of the first card can be clicked. */
export async function expectReachableActions(page: Page): Promise<void> {
  const main = page.getByRole('main');
  const actions = [
    ...(await main.locator('button:visible:enabled:not([aria-disabled="true"])').all()).slice(0, 8),
    ...(await main.locator('tbody tr').first().locator('a:visible, button:visible').all()),
  ];
  for (const action of actions) await action.click({ trial: true });
}
