import { useEffect, useRef } from 'react';

/** Batches updates, so that a busy page renders and requests at most four times per second. */
const BATCH_MS = 250;

/** Returns a function that runs the callback once for all calls within a batch. */
export function useBatchedCallback(callback: () => void): () => void {
  const latest = useRef(callback);
  latest.current = callback;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, BATCH_MS);
  };
}
