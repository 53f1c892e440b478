import type { Scope } from '../../../features/tenants/scopes.ts';

/** A default tab of GraphiQL with operations of one feature; the user runs one at a time. */
export interface Example {
  /** Scope that is sufficient for every operation in the tab. */
  scope: Scope;
  query: string;
  /** Variables of all operations in the tab. */
  variables?: Record<string, unknown>;
}
