import { useTimeout } from '@mantine/hooks';
import type { PointerEvent } from 'react';

/** How long the pointer rests on a link that the user means: a crossing pointer sends nothing. Milliseconds. */
const POINTER_REST_MS = 50;
/** The same for the focus, which stays longer on each link that the Tab key passes. Milliseconds. */
const FOCUS_REST_MS = 300;

/** Returns the handlers of a link that call `prepare` when the user is about to follow it. */
export function useLinkIntent(prepare: () => void) {
  const { start, clear } = useTimeout(prepare, POINTER_REST_MS);
  const focus = useTimeout(prepare, FOCUS_REST_MS);
  return {
    onPointerEnter({ pointerType }: PointerEvent) {
      // A finger touches a link also to scroll.
      if (pointerType !== 'touch') start();
    },
    onPointerLeave: clear,
    onFocus: focus.start,
    onBlur: focus.clear,
    onPointerDown({ pointerType, button }: PointerEvent) {
      if (pointerType === 'touch' || button !== 0) return;
      clear();
      prepare();
    },
  };
}
