import { AppError, invalid } from '../../../../errors/app-error.ts';
import { CLOCK_SKEW_MS, type Clock } from '../../../../platform/clock.ts';
import type { Logger } from '../../../../platform/logger.ts';
import { newObjectId, objectIdsOf } from '../../../../platform/mongo/object-id.ts';
import type { Tenant } from '../../../tenants/tenants.types.ts';
import type { EndpointStore } from '../../endpoints/endpoint.store.ts';
import { requireEnabledEndpoint, requireEndpoint } from '../../endpoints/endpoint-errors.ts';
import type { QueueStore } from '../queue.store.ts';
import { type DeliveryStatus, TERMINAL_STATUSES } from '../state.ts';
import type { RecoveryDoc, Selection } from './recovery.model.ts';
import type { RecoveryStore } from './recovery.store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Longest time range of one recovery (contract 5). */
const MAX_RANGE_DAYS = 30;
/** Deliveries requeued at once. While the endpoint has as many that are due, none is requeued. */
const BATCH = 500;
const BEGINNING = new Date(0);

interface Deps {
  endpoints: EndpointStore;
  queue: Pick<QueueStore, 'countDue'>;
  recoveries: RecoveryStore;
  clock: Clock;
  log: Logger;
  /** Wakes the dispatcher: deliveries became due. */
  wake: (customerId: number) => void;
}

/** Creation times of deliveries; `until` is now by default. */
interface TimeRange {
  since: Date;
  until?: Date | null;
}

interface RecoverInput extends TimeRange {
  /** Only counts the deliveries. */
  dryRun?: boolean | null;
}

export interface RecoveredDeliveries {
  /** Failed and cancelled deliveries. */
  queued: number;
  /** Deliveries that are still attempted. */
  open: number;
}

/** Selection of deliveries as a client makes it; every condition that is given must match. */
export interface ReplayInput {
  since?: Date | null;
  until?: Date | null;
  /** By default, all that are terminal. */
  status?: DeliveryStatus | null;
  deliveryIds?: readonly string[] | null;
  eventIds?: readonly string[] | null;
  /** Only counts the deliveries. */
  dryRun?: boolean | null;
}

/** Sends deliveries that have ended again, as a client selects them. A job requeues them in batches. */
export function recoveryService({ endpoints, queue, recoveries, clock, log, wake }: Deps) {
  /** Returns the range with its end; one until now, which a client began with its own clock, may be longer. @throws AppError `VALIDATION_FAILED` when it is empty or too long */
  function validRange({ since, until: wanted }: TimeRange, now: Date, what: string) {
    const until = wanted && wanted < now ? wanted : now;
    if (since >= until) throw invalid('since', 'Must be in the past, and before `until`.');
    const toleranceMs = until === now ? CLOCK_SKEW_MS : 0;
    if (until.getTime() - since.getTime() > MAX_RANGE_DAYS * DAY_MS + toleranceMs)
      throw invalid(
        'since',
        `Must be at most ${MAX_RANGE_DAYS} days before \`until\`, which is now by default. Set \`until\` to ${what} older deliveries, ${MAX_RANGE_DAYS} days at a time.`,
      );
    return { since, until };
  }

  /** @throws AppError `VALIDATION_FAILED` when nothing limits the selection, or a status is not terminal */
  function selectionOf(
    { since, until, status, deliveryIds, eventIds }: ReplayInput,
    owner: Pick<Selection, 'customerId' | 'endpointId'>,
    now: Date,
  ): Selection {
    if (!since && !deliveryIds && !eventIds)
      throw invalid('since', 'Must be given, unless `deliveryIds` or `eventIds` is.');
    if (status && !isTerminal(status))
      throw invalid('status', `Must be one of ${TERMINAL_STATUSES.join(', ')}: others are still attempted.`);
    const range = since
      ? validRange({ since, until }, now, 'replay')
      : { since: BEGINNING, until: until ?? now };
    return {
      ...owner,
      ...range,
      statuses: status ? [status] : [...TERMINAL_STATUSES],
      ...(deliveryIds && { deliveryIds: objectIdsOf(deliveryIds) }),
      ...(eventIds && { eventIds: objectIdsOf(eventIds) }),
    };
  }

  /** Requeues the next batch if fewer deliveries of the endpoint are due; returns true when the recovery is complete. */
  async function feed(recovery: RecoveryDoc): Promise<boolean> {
    // Retries that are due later do not count: they can be hours away.
    if ((await queue.countDue(recovery, clock.now(), BATCH)) >= BATCH) return false;
    const deliveries = await recoveries.next(recovery, { limit: BATCH, now: clock.now() });
    if (deliveries.length === 0) {
      await recoveries.remove(recovery._id);
      return true;
    }
    if (await recoveries.requeue(recovery, deliveries, clock.now())) wake(recovery.customerId);
    return false;
  }

  /** Ends a recovery whose endpoint is disabled. The next success resumes the recovery from an outage. */
  async function end({ _id, customerId, endpointId, since, outage }: RecoveryDoc): Promise<void> {
    if (outage) {
      // There is at least one, unless it has just completed.
      const exhausted = { count: 1, createdSince: since, finishedSince: outage.finishedSince };
      await endpoints.addExhausted({ customerId, id: endpointId }, exhausted, null);
    }
    await recoveries.remove(_id);
  }

  /** Starts to send the selected deliveries again; returns their number. */
  async function begin(selection: Selection, now: Date): Promise<number> {
    const recovery: RecoveryDoc = { _id: newObjectId(now), ...selection, position: null, createdAt: now };
    const count = await recoveries.count(selection, now);
    if (!(await recoveries.insert(recovery)))
      throw new AppError(
        'CONFLICT',
        'A recovery or replay of this endpoint is in progress; retry when it has completed.',
      );
    await feed(recovery);
    return count;
  }

  return {
    /**
     * Sends the failed and cancelled deliveries of a time range again, or only counts them.
     *
     * @returns the number of deliveries found, and of those in the range that are still attempted
     * @throws AppError `NOT_FOUND`; `CONFLICT` while a recovery or replay of the endpoint is in progress or it is disabled,
     * except for a dry run
     */
    async start(
      tenant: Tenant,
      endpointId: number,
      { dryRun, ...range }: RecoverInput,
    ): Promise<RecoveredDeliveries> {
      const now = clock.now();
      const selection = {
        customerId: tenant.customerId,
        endpointId,
        ...validRange(range, now, 'recover'),
      };
      await (dryRun ? requireEndpoint : requireEnabledEndpoint)(endpoints, tenant, endpointId);
      const open = await recoveries.countOpen(selection);
      return { queued: dryRun ? await recoveries.count(selection, now) : await begin(selection, now), open };
    },

    /**
     * Sends the selected deliveries again, succeeded ones too, or only counts them.
     *
     * @throws AppError as `start`
     */
    async replay(tenant: Tenant, endpointId: number, input: ReplayInput): Promise<{ count: number }> {
      const now = clock.now();
      const selection = selectionOf(input, { customerId: tenant.customerId, endpointId }, now);
      if (input.dryRun) {
        await requireEndpoint(endpoints, tenant, endpointId);
        return { count: await recoveries.count(selection, now) };
      }
      await requireEnabledEndpoint(endpoints, tenant, endpointId);
      return { count: await begin(selection, now) };
    },

    /** Continues every recovery and replay; called by the scheduler. Returns true while there are any. */
    async feedAll(): Promise<boolean> {
      const all = await recoveries.all();
      for (const recovery of all) {
        const endpoint = await endpoints.current(recovery);
        if (!endpoint?.enabled) await end(recovery);
        else if (await feed(recovery)) log.info({ endpointId: recovery.endpointId }, 'recovery completed');
      }
      return all.length > 0;
    },
  };
}

const isTerminal = (status: DeliveryStatus): boolean =>
  (TERMINAL_STATUSES as readonly DeliveryStatus[]).includes(status);

export type RecoveryService = ReturnType<typeof recoveryService>;
