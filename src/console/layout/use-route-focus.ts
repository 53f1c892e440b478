import { type RefObject, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/** Path of the page that is shown; null until the first one is. */
let shownPath: string | null = null;
/** Path of that page in the address bar, which includes the customer. */
let shownPathname = location.pathname;
/** True after back or forward navigation: the browser restores the scroll position. */
let isHistoryStep = false;

window.addEventListener('popstate', () => {
  // A change of the query alone does not move the focus.
  isHistoryStep = location.pathname !== shownPathname;
});

/**
 * Moves the focus to the heading when a page replaces another one: the keyboard continues there, and a screen reader
 * announces the page. The first page and a change of the query alone leave the focus where it is.
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
