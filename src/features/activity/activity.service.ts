import type { Clock } from '../../platform/clock.ts';
import { createKeyedSerial } from '../../platform/keyed-serial.ts';
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

/**
 * Counts what happened since a time. Counts of one tenant run one after another, so that they occupy only one connection
 * to the database.
 */
export function activityService<E, D, C>(deps: Deps<E, D, C>) {
  const { clock, retentionMs } = deps;
  const serial = createKeyedSerial();
  const oneAtATime =
    <T>(count: Count<T>): Count<T> =>
    (tenant, since) =>
      serial(String(tenant.customerId), () => count(tenant, since));

  return {
    /** Returns the start of the counted time range: `since`, but no earlier than the retention reaches. */
    start: (since: Date): Date => new Date(Math.max(since.getTime(), clock.now().getTime() - retentionMs)),
    events: oneAtATime(deps.events),
    deliveries: oneAtATime(deps.deliveries),
    conversations: oneAtATime(deps.conversations),
  };
}
