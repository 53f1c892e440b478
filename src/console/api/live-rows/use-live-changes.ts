import { useEffect, useRef, useState } from 'react';
import type { TypedDocumentString } from '../../generated/graphql.ts';
import { useLiveSubscription } from '../use-live-subscription.ts';
import { addChanges, type Change, type Changes } from './merge-live-rows.ts';

/** Batches changes, so that a busy list renders at most four times per second. */
const BATCH_MS = 250;

/** A subscription to the changes of the rows of a list. */
export interface RowSubscription<N, R, V> {
  document: TypedDocumentString<R, V>;
  variables: V;
  rowOf: (data: R) => N;
}

interface LiveChangesOptions {
  enabled: boolean;
  /** When the shown rows were requested, as `performance.now()`; they contain all earlier changes. */
  requestedAt: number;
  /** Key of the query that is refetched whenever the subscription connects. */
  queryKey: readonly unknown[];
}

/** Buffers the changes of rows since the shown ones were requested. */
export function useLiveChanges<N extends { id: string }, R, V extends Record<string, unknown>>(
  { document, variables, rowOf }: RowSubscription<N, R, V>,
  { enabled, requestedAt, queryKey }: LiveChangesOptions,
): { live: boolean; changes: Changes<N> } {
  const [changes, setChanges] = useState<Changes<N>>(new Map());
  const batch = useRef<Change<N>[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latestRequestedAt = useRef(requestedAt);
  latestRequestedAt.current = requestedAt;
  useEffect(() => () => clearTimeout(timer.current), []);

  const flush = (): void => {
    const added = batch.current;
    batch.current = [];
    timer.current = undefined;
    setChanges((buffered) => addChanges(buffered, added, latestRequestedAt.current));
  };
  const live = useLiveSubscription(
    document,
    variables,
    (data) => {
      batch.current.push({ row: rowOf(data), receivedAt: performance.now() });
      timer.current ??= setTimeout(flush, BATCH_MS);
    },
    { enabled, queryKey },
  );
  return { live, changes };
}
