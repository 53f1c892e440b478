/** A tab that GraphiQL opens with: the operations of one feature, of which whoever looks runs one at a time. */
export interface Example {
  query: string;
  /** Those of all operations of the tab. */
  variables?: Record<string, unknown>;
}

/** First line of a tab that the demo's key, which only reads, is too small for. */
export const NEEDS_WRITE = '# Needs a key of scope `write` in the Authorization header.';
export const NEEDS_ADMIN = '# Needs an admin key in the Authorization header.';
