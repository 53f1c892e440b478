import { Modal, type ModalProps } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useSyncExternalStore } from 'react';

let openCount = 0;
const countListeners = new Set<() => void>();
/** Element that had the focus before the first of the open dialogs. */
let trigger: Element | null = null;

const DIALOG = '[role="dialog"]';

const isInDialog = (element: Element | null): boolean => element?.closest(DIALOG) != null;

function changeOpenCount(by: 1 | -1): void {
  openCount += by;
  for (const listener of countListeners) listener();
}

function onCountChange(listener: () => void): () => void {
  countListeners.add(listener);
  return () => countListeners.delete(listener);
}

/** Returns whether a dialog is open in front of another one, which Escape must not close as well. */
export const useIsDialogCovered = (): boolean => useSyncExternalStore(onCountChange, () => openCount > 1);

/** @param opener element that had the focus before the closed dialog */
function returnFocus(opener: Element | null): void {
  const active = document.activeElement;
  if (openCount > 0) {
    // The closed dialog was in front of another one, which gets the focus back.
    const behind = isInDialog(opener) && opener?.checkVisibility() ? opener : document.querySelector(DIALOG);
    if (active === document.body && behind instanceof HTMLElement) behind.focus({ preventScroll: true });
    return;
  }
  const element = trigger?.checkVisibility() ? trigger : document.querySelector('h1');
  trigger = null;
  const isElsewhere = active !== document.body && !isInDialog(active);
  if (!isElsewhere && element instanceof HTMLElement) element.focus({ preventScroll: true });
}

/**
 * Returns the focus to the element that opened a dialog, or the first of a sequence of dialogs. If that element is
 * gone or hidden, the dialog behind or the heading of the page receives the focus.
 */
export function useFocusReturn(opened: boolean): void {
  useLayoutEffect(() => {
    if (!opened) return;
    changeOpenCount(1);
    const active = document.activeElement;
    // A dialog that follows another one keeps its trigger.
    if (active !== document.body && !isInDialog(active)) trigger = active;
    return () => {
      changeOpenCount(-1);
      setTimeout(() => returnFocus(active));
    };
  }, [opened]);
}

/** Long names in titles and texts break, so that the button that closes the dialog stays in reach. */
const STYLES = { content: { overflowWrap: 'anywhere' } } as const;

interface DialogProps extends ModalProps {
  /** Accessible name of the dialog. */
  title: ReactNode;
}

export function Dialog(props: DialogProps) {
  useFocusReturn(props.opened);
  return <Modal centered returnFocus={false} styles={STYLES} {...props} />;
}
