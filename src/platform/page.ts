/** What a list is asked for: at most `limit` rows after the one that `after` names. */
export interface PageRequest {
  limit: number;
  /** Opaque cursor of the row before the first one wanted; null: from the start. */
  after: string | null;
}

/** A row and the cursor that continues after it. */
export interface Edge<T> {
  cursor: string;
  node: T;
}

/** One page of a list, in the list's order. */
export interface Page<T> {
  edges: Edge<T>[];
  hasMore: boolean;
}
