import { useTimeout } from '@mantine/hooks';

/** How long the pointer or the focus stays on a link that the user means: on its way it crosses others. Milliseconds. */
const INTENT_MS = 50;

/** Returns the handlers of a link that call `prepare` when the user is about to follow it. */
export function useLinkIntent(prepare: () => void) {
  const { start, clear } = useTimeout(prepare, INTENT_MS);
  return {
    onPointerEnter: start,
    onPointerLeave: clear,
    onFocus: start,
    onBlur: clear,
    onPointerDown() {
      clear();
      prepare();
    },
  };
}
