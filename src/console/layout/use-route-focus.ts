import { type RefObject, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/** Path of the page that is shown; null until the first one is. */
let shownPath: string | null = null;
/** Its path in the address, which also names the customer. */
let shownPathname = location.pathname;
/** True if the browser's history led to the path, and the browser restores the scroll position. */
let isHistoryStep = false;

window.addEventListener('popstate', () => {
  // Another query of the same page moves no focus.
  isHistoryStep = location.pathname !== shownPathname;
});

/**
 * Moves the focus to the heading of a page when it replaces another one, so that the keyboard continues there and a
 * screen reader announces it. The first page, and another query of the same page, leave the focus where it is.
 */
export function useRouteFocus(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const [path] = useLocation();
  useEffect(() => {
    if (shownPath !== null && shownPath !== path) heading.current?.focus({ preventScroll: isHistoryStep });
    shownPath = path;
    shownPathname = location.pathname;
    isHistoryStep = false;
  }, [path]);
  return heading;
}
