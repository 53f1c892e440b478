import type { QueryKey } from '@tanstack/react-query';
import type { Session } from './session/session.tsx';

/** A query as pages declare it. */
export interface PageQuery {
  queryKey: QueryKey;
  queryFn: () => Promise<unknown>;
  /** False if the session may not send it. */
  enabled?: boolean;
}

/**
 * Member of a page of the menu: returns the queries without which it shows placeholders, so that its link can send them
 * before the click.
 */
export type FirstQueries = (session: Session) => readonly PageQuery[];
