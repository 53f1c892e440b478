/** A default tab of GraphiQL with operations of one feature; the user runs one at a time. */
export interface Example {
  query: string;
  /** Variables of all operations in the tab. */
  variables?: Record<string, unknown>;
}

/** First line of a tab for which the scope of the demo key, `read`, is not sufficient. */
export const NEEDS_WRITE = '# Requires an API key with the scope `write` in the Authorization header.';
export const NEEDS_ADMIN = '# Requires an API key with the scope `admin` in the Authorization header.';
