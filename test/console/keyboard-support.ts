import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Describes an element that has the focus, and whether the focus is visible. */
const DESCRIBE = `(element) => {
  const { outlineStyle, boxShadow } = getComputedStyle(element);
  const bounds = element.getBoundingClientRect();
  return {
    tag: element.tagName,
    text: (element.getAttribute('aria-label') ?? element.innerText ?? '').trim(),
    isVisible: bounds.width > 0 && bounds.bottom > 0 && bounds.top < innerHeight,
    isMarked: outlineStyle !== 'none' || boxShadow !== 'none' || element.matches('input, select, textarea'),
  };
}`;
const FOCUSED = `(${DESCRIBE})(document.activeElement)`;

/** Notes each element that receives the focus from now on, instead of those before. */
const RECORD = `(() => {
  window.focused = [];
  window.reached = new Set();
  window.recording?.abort();
  window.recording = new AbortController();
  const { signal } = window.recording;
  document.addEventListener('focusin', ({ target }) => {
    window.focused.push((${DESCRIBE})(target));
    window.reached.add(target);
  }, { signal });
})()`;

/** The dialog in front, which keeps the focus; without one, the page. */
const ROOT = `([...document.querySelectorAll('[role="dialog"]')].at(-1) ?? document.body)`;

/** Notes the actions that are shown, and returns their number. Tab leads to one radio button of a group. */
const NOTE_ACTIONS = `(() => {
  window.actions = [...${ROOT}.querySelectorAll('*')].filter((element) =>
    !element.matches('input[type=radio]:not(:checked)') &&
    element.matches('a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, [role=switch]') &&
    element.tabIndex >= 0 && element.checkVisibility({ visibilityProperty: true }));
  return window.actions.length;
})()`;

/** Describes the noted actions that are still shown and have not received the focus. */
const MISSED = `window.actions
  .filter((element) => element.isConnected && !window.reached.has(element)).map(${DESCRIBE})`;

/** Describes the elements behind the dialog that have received the focus. */
const BEHIND = `[...window.reached]
  .filter((element) => element.isConnected && !${ROOT}.contains(element)).map(${DESCRIBE})`;

/** An element that has, or had, the focus. */
export interface Focused {
  tag: string;
  text: string;
  isVisible: boolean;
  isMarked: boolean;
}

export const focused = async (page: Page): Promise<Focused> => (await page.evaluate(FOCUSED)) as Focused;

/** Every action of the page, or of its open dialog and no other, is reached by Tab with a visible focus. */
export async function expectReachedByTab(page: Page): Promise<void> {
  await page.evaluate(RECORD);
  const actions = (await page.evaluate(NOTE_ACTIONS)) as number;
  expect(actions, page.url()).toBeGreaterThan(0);
  // A region that scrolls, and up to ten parts of each of two times, are reached as well.
  for (let presses = 0; presses < actions + 25; presses += 1) await page.keyboard.press('Tab');
  // A list of options that opens with the focus closes.
  await page.evaluate('document.activeElement.blur()');
  const reached = (await page.evaluate('window.focused')) as Focused[];
  const isLost = ({ isVisible, isMarked }: Focused): boolean => !isVisible || !isMarked;
  expect.soft(reached.filter(isLost), page.url()).toEqual([]);
  expect.soft(await page.evaluate(MISSED), page.url()).toEqual([]);
  expect.soft(await page.evaluate(BEHIND), page.url()).toEqual([]);
}
