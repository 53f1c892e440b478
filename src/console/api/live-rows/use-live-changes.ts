import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { TypedDocumentString } from '../../generated/graphql.ts';
import { useBatchedCallback } from '../use-batched-callback.ts';
import { useLiveSubscription } from '../use-live-subscription.ts';
import type { LoadedRows } from '../use-paged-list.ts';
import { addChanges, type Change, type Changes, type ListOrder, MAX_CHANGES } from './merge-live-rows.ts';

/** A subscription to the changes of the rows of a list. */
export interface RowSubscription<N, R, V> {
  document: TypedDocumentString<R, V>;
  variables: V;
  rowOf: (data: R) => N;
}

interface LiveChangesOptions<N> extends ListOrder<N> {
  enabled: boolean;
  /** False if the newest rows are not part of the list, as on a further page. */
  showsNewest: boolean;
  /** Key of the query of the shown rows, which is refetched whenever the subscription connects. */
  queryKey: readonly unknown[];
}

/** Buffers the changes of rows since the shown ones were requested. */
export function useLiveChanges<N extends { id: string }, R, V extends Record<string, unknown>>(
  { document, variables, rowOf }: RowSubscription<N, R, V>,
  { enabled, queryKey, ...list }: LiveChangesOptions<N>,
): { live: boolean; changes: Changes<N> } {
  const queries = useQueryClient();
  const [changes, setChanges] = useState<Changes<N>>(new Map());
  const batch = useRef<Change<N>[]>([]);

  const flush = useBatchedCallback(() => {
    const added = batch.current;
    batch.current = [];
    // The cache, because a rendered state may lag behind the request.
    const state = queries.getQueryState<LoadedRows<N>>(queryKey);
    const isFetching = state?.fetchStatus !== 'idle';
    const next = addChanges(changes, added, { ...list, loaded: state?.data, isFetching });
    const isOverflow = isFetching && next.size >= MAX_CHANGES;
    setChanges(isOverflow ? new Map() : next);
    // The rows of the request in flight are unknown, so the dropped changes may concern them.
    if (isOverflow) void queries.invalidateQueries({ queryKey });
  });
  const live = useLiveSubscription(
    document,
    variables,
    (data) => {
      batch.current.push({ row: rowOf(data), receivedAt: performance.now() });
      flush();
    },
    { enabled, queryKey },
  );
  return { live, changes };
}
