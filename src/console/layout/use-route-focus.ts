import { type RefObject, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/** Path of the page that is shown; null until the first one is. */
let shownPath: string | null = null;
/** True if the browser's history led to the path, and the browser restores the scroll position. */
let isHistoryStep = false;

window.addEventListener('popstate', () => {
  isHistoryStep = true;
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
    isHistoryStep = false;
  }, [path]);
  return heading;
}
