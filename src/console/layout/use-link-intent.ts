import { useTimeout } from '@mantine/hooks';
import type { PointerEvent } from 'react';

/** How long the pointer or the focus rests on a link that the user means: a crossing pointer sends nothing. Milliseconds. */
const INTENT_MS = 50;

/** Returns the handlers of a link that call `prepare` when the user is about to follow it. */
export function useLinkIntent(prepare: () => void) {
  const { start, clear } = useTimeout(prepare, INTENT_MS);
  return {
    onPointerEnter({ pointerType }: PointerEvent) {
      // A finger touches a link also to scroll.
      if (pointerType !== 'touch') start();
    },
    onPointerLeave: clear,
    onFocus: start,
    onBlur: clear,
    onPointerDown({ pointerType, button }: PointerEvent) {
      if (pointerType === 'touch' || button !== 0) return;
      clear();
      prepare();
    },
  };
}
