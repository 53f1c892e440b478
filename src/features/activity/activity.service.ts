import type { Clock } from '../../platform/clock.ts';
import type { Tenant } from '../tenants/tenants.types.ts';

type Count<T> = (tenant: Tenant, since: Date) => Promise<T[]>;

interface Deps<E, D, C> {
  events: Count<E>;
  deliveries: Count<D>;
  conversations: Count<C>;
  clock: Clock;
  /** Retention of events and deliveries in milliseconds. */
  retentionMs: number;
}

/** Counts what happened since a time. */
export function activityService<E, D, C>({ clock, retentionMs, ...counts }: Deps<E, D, C>) {
  return {
    /** Returns the start of the counted time range: `since`, but not before retention begins. */
    start: (since: Date): Date => new Date(Math.max(since.getTime(), clock.now().getTime() - retentionMs)),
    ...counts,
  };
}
