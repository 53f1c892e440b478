import { Modal, type ModalProps } from '@mantine/core';
import { useLayoutEffect } from 'react';

let openCount = 0;
/** Element that had the focus before the first of the open dialogs. */
let trigger: Element | null = null;

const isInDialog = (element: Element | null): boolean => element?.closest('[role="dialog"]') != null;

function returnFocus(): void {
  const active = document.activeElement;
  if (openCount > 0) return;
  const element = trigger?.checkVisibility() ? trigger : document.querySelector('h1');
  trigger = null;
  const isElsewhere = active !== document.body && !isInDialog(active);
  if (!isElsewhere && element instanceof HTMLElement) element.focus({ preventScroll: true });
}

/**
 * Returns the focus to the element that opened a dialog, or the first of a sequence of dialogs. If that element is
 * gone or hidden, the heading of the page receives the focus.
 */
export function useFocusReturn(opened: boolean): void {
  useLayoutEffect(() => {
    if (!opened) return;
    openCount += 1;
    const active = document.activeElement;
    // A dialog that follows another one keeps its trigger.
    if (active !== document.body && !isInDialog(active)) trigger = active;
    return () => {
      openCount -= 1;
      setTimeout(returnFocus);
    };
  }, [opened]);
}

/** Long names in titles and texts break, so that the button that closes the dialog stays in reach. */
const STYLES = { content: { overflowWrap: 'anywhere' } } as const;

export function Dialog(props: ModalProps) {
  useFocusReturn(props.opened);
  return <Modal centered returnFocus={false} styles={STYLES} {...props} />;
}
