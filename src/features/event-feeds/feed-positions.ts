import { LRUCache } from 'lru-cache';
import { AppError, invalid } from '../../errors/app-error.ts';
import { cursorCodec, isInteger } from '../../platform/cursor.ts';
import { parseDateTime } from '../../platform/date-time.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { OutboxEventStore } from '../outbox/outbox-event.store.ts';
import type { PublishedEventService } from '../outbox/published-events.service.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { LogDoc } from './event-log.model.ts';
import type { EventLogStore } from './event-log.store.ts';
import type { LogLag } from './log-lag.ts';
import type { WatchedLog } from './log-readers.ts';

/** How long a position that depends on all stored events waits for a new log. Milliseconds. */
const MAX_SCAN_WAIT_MS = 5_000;
/** Tenants whose oldest event is remembered. */
const MAX_OLDEST = 1_000;
/** Events from a time on among which the first of the log is found: their ids and their order differ by few. */
const FIRST_OF_TIME = 1_000;
/** Describes the positions that are no cursors, without a full stop. */
export const POSITION = 'Must be "beginning", "end", or an ISO 8601 date, or date and time with an offset';

interface Deps {
  logs: Pick<EventLogStore, 'open' | 'find' | 'after' | 'lastSequence' | 'ofEvents'>;
  events: Pick<OutboxEventStore, 'since'>;
  publishedEvents: Pick<PublishedEventService, 'findMany'>;
  lag: LogLag;
}

/** Cursors are positions in the log of a tenant: each feed accepts those of another one. */
export const cursorOf = ({ customerId }: TenantRef) => cursorCodec(['eventFeed', customerId], isInteger);

/** Positions in the log of a tenant: as clients name them, and whether retention has left what follows. */
export function feedPositions({ logs, events, publishedEvents, lag }: Deps) {
  /** Time of the first event by tenant and the end of what retention has removed. */
  const oldest = new LRUCache<string, Date>({ max: MAX_OLDEST });

  /** Returns the error for a position after which retention has removed events. */
  const positionGone = async (
    tenant: Tenant,
    { removedUntil }: LogDoc,
    sequence: number,
  ): Promise<AppError> => {
    const first = await oldestOf(tenant, removedUntil);
    const left = first ? `the oldest stored event is of ${first.toISOString()}` : 'no other event is stored';
    return new AppError(
      'POSITION_GONE',
      `Up to ${removedUntil - sequence} events after this position were removed by retention; ${left}. Seek to "beginning", or to a later time, to continue.`,
    );
  };

  /** Returns the time of the first event that can be read; null if there is none. */
  async function oldestOf(tenant: Tenant, removedUntil: number): Promise<Date | null> {
    const key = `${tenant.customerId}/${removedUntil}`;
    const known = oldest.get(key);
    if (known) return known;
    const [entry] = await logs.after(tenant, { sequence: removedUntil, limit: 1 });
    const id = entry?._id.toHexString();
    const event = id && (await publishedEvents.findMany(tenant, [id])).get(id);
    if (event) oldest.set(key, event.createdAt);
    return event ? event.createdAt : null;
  }

  /** Returns the log of a tenant; creates it if there is none. */
  const requireLog = async (tenant: Tenant): Promise<LogDoc> =>
    (await logs.find(tenant)) ?? logs.open(tenant);

  /** Returns the log if the events after a position can be read. @throws AppError `POSITION_GONE` */
  async function requireReadable(tenant: Tenant, sequence: number): Promise<LogDoc> {
    const log = await requireLog(tenant);
    if (sequence < log.removedUntil) throw await positionGone(tenant, log, sequence);
    return log;
  }

  /** Returns the position of a cursor, also if the events after it are removed. */
  async function decode(tenant: Tenant, cursor: string): Promise<number> {
    const sequence = cursorOf(tenant).decode(cursor);
    if (sequence < 0 || sequence > (await logs.lastSequence(tenant, 'local')))
      throw invalid('cursor', 'Must be a cursor that a feed of the customer has returned.');
    return sequence;
  }

  /** Returns the sequence of a position that is no cursor. @param path name of the argument */
  async function sequenceAt(
    tenant: Tenant,
    log: WatchedLog,
    { to, path }: { to: string; path: string },
  ): Promise<number> {
    if (to === 'beginning') return (await requireLog(tenant)).removedUntil;
    const since = parseDateTime(to);
    if (!since && to !== 'end')
      throw invalid(path, `${POSITION}; to seek, also a cursor of a feed of the customer.`);
    await lag.untilLogged(tenant, log, { maxMs: MAX_SCAN_WAIT_MS, signals: [] });
    const { isComplete, removedUntil } = await requireLog(tenant);
    if (!isComplete)
      throw new AppError('SERVICE_UNAVAILABLE', 'The log of the customer is being created; try again.');
    const first = since && (await logs.ofEvents(await events.since(tenant, { since, limit: FIRST_OF_TIME })));
    if (!first || first.length === 0) return logs.lastSequence(tenant);
    return Math.max(removedUntil, Math.min(...first.map(({ sequence }) => sequence)) - 1);
  }

  /** Returns the position of a cursor after which the events can be read. @throws AppError `POSITION_GONE` */
  async function decodeReadable(tenant: Tenant, cursor: string): Promise<number> {
    const sequence = await decode(tenant, cursor);
    await requireReadable(tenant, sequence);
    return sequence;
  }

  return { positionGone, oldestOf, requireReadable, requireLog, decode, decodeReadable, sequenceAt };
}

export type FeedPositions = ReturnType<typeof feedPositions>;
