import DataLoader from 'dataloader';
import type { GraphQLContext } from './context.ts';

/** Maximum number of rows whose edges one read loads; it bounds the data that is loaded and then discarded. */
const MAX_BATCH = 500;

/** Options of a field that resolves with `batchedEdge`. */
export const BATCHED = { extensions: { batched: true } } as const;

/**
 * Creates the resolver of an edge, which collects the rows of a request and reads their edges together. A batch begins
 * when no other read of the request is in progress, since the rows of separate reads arrive at different times. An
 * edge is read once per row object, which the subscribers of a change share.
 *
 * @param read returns the values in the order of the rows
 */
export function batchedEdge<Row extends object, Value>(
  read: (rows: readonly Row[], context: GraphQLContext) => Promise<readonly Value[]>,
): (row: Row, context: GraphQLContext) => Promise<Value> {
  const loaders = new WeakMap<GraphQLContext, DataLoader<Row, Value>>();
  const values = new WeakMap<Row, Promise<Value>>();

  const loaderOf = (context: GraphQLContext): DataLoader<Row, Value> => {
    const { reads } = context;
    const loader =
      loaders.get(context) ??
      new DataLoader<Row, Value>((rows) => reads.run(() => read(rows, context)), {
        // The context of a subscription outlives its events.
        cache: false,
        maxBatchSize: MAX_BATCH,
        batchScheduleFn: (dispatch) => reads.whenIdle(dispatch),
      });
    loaders.set(context, loader);
    return loader;
  };

  return (row, context) => {
    const value = values.get(row) ?? loaderOf(context).load(row);
    values.set(row, value);
    return value;
  };
}
