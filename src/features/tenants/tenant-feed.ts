import { addAbortListener } from 'node:events';
import { Repeater, SlidingBuffer } from '@repeaterjs/repeater';
import { AppError, invalid } from '../../errors/app-error.ts';
import {
  type ChangeHistory,
  HistoryLostError,
  UnknownChangeError,
} from '../../platform/mongo/change-history.ts';
import type { ChangeId } from '../../platform/mongo/change-id.ts';
import type { Changes } from '../../platform/mongo/change-stream.ts';
import { isEndedSession, isNarrower, limitsOf } from './api-key.ts';
import type { StoredApiKey, TenantDoc } from './tenants.model.ts';
import type { Principal, Tenant } from './tenants.types.ts';

/** Changes buffered for a slow subscriber; it reads the rest from the history. */
const MAX_BUFFERED = 1_000;

/** An update with its id, after which a client can resume. */
export interface FeedEvent<T> {
  id: ChangeId;
  value: T;
}

/** The updates of one subscription. */
export interface Feed<T> extends AsyncIterableIterator<FeedEvent<T>> {
  return(): Promise<IteratorResult<FeedEvent<T>>>;
}

interface Change<D> {
  id: ChangeId;
  document: D;
}

/** Where a client's feed begins and ends. */
export interface FeedPosition {
  /** Id of the client's last event; null or absent to begin with new changes. */
  after?: string | null;
  /** Ends the feed, before it is returned as well. */
  signal?: AbortSignal;
}

interface FeedOptions<D, T> extends FeedPosition {
  collection: string;
  principal: Principal;
  tenant: Tenant;
  /** Field values that the documents must have. */
  filter?: Partial<D>;
  /** Converts a changed document to an update; null to send none. */
  convert: (document: D) => Promise<T | null> | T | null;
}

/**
 * Publishes the changes that any process makes to a tenant's documents in one collection. The subscriber receives every
 * change after the returned promise resolves; with `after`, every change since that event, each once. The feed ends when
 * the subscriber stops, when its API key is revoked, narrowed or expires, when its tenant is suspended, when changes may
 * have been missed, or when the buffer overflows before the first change is read.
 *
 * @throws the database's error if it cannot open the change stream
 * @throws AppError VALIDATION_FAILED or NOT_FOUND if the feed cannot begin after that event
 */
export async function tenantFeed<D extends object, T>(
  changes: Changes,
  { collection, principal, tenant, convert, after = null, signal, ...options }: FeedOptions<D, T>,
): Promise<Feed<T>> {
  const filter = { ...options.filter, customerId: tenant.customerId };
  const historyAfter = (id: ChangeId) => changes.history<D>({ collection, tenant, filter, after: id });
  let history: ChangeHistory<D> | null = null;
  /** Id of the last change that the subscriber received; null before the first one. */
  let lastId: ChangeId | null = after;
  /** Changes up to this id come from the history, later changes from the listener. */
  let boundary: ChangeId = after ?? '';
  let catchingUp = after !== null;
  /** Number of buffered changes after the boundary. */
  let held = 0;

  const live = new Repeater<Change<D> | typeof LISTENING>(async (push, stop) => {
    // After a gap the client subscribes again, which authenticates it again.
    const onGap = () => stop();
    const stopDocuments = changes.listen<D>(collection, tenant.customerId, {
      onChange(document, id) {
        if (!hasValues(document, filter)) return;
        held += 1;
        if (held > MAX_BUFFERED && !readFromHistory(id)) stop();
        else void push({ id, document });
      },
      onGap,
    });
    const stopKeys = changes.listen<StoredApiKey>('apiKeys', principal.keyId, {
      onChange(key) {
        const isEnded = principal.session && isEndedSession(key, principal.session);
        if (key.revokedAt || isEnded || isNarrower(limitsOf(key), principal)) stop();
      },
      onGap,
    });
    const stopTenant = changes.listen<TenantDoc>('tenants', tenant.customerId, {
      onChange({ suspendedAt }) {
        if (suspendedAt && principal.tenant) stop();
      },
      onGap,
    });
    const expiry = principal.expiresAt && setTimeout(stop, timerUntil(principal.expiresAt));
    void push(LISTENING);
    await stop;
    history?.close();
    stopDocuments();
    stopKeys();
    stopTenant();
    if (expiry) clearTimeout(expiry);
  }, new SlidingBuffer(MAX_BUFFERED));

  /** Drops buffered changes up to an id, to read them from the history. Returns false if that is not possible. */
  function readFromHistory(id: ChangeId): boolean {
    if (!catchingUp) {
      if (lastId === null) return false;
      history = historyAfter(lastId);
      catchingUp = true;
    }
    boundary = id;
    held = 0;
    return true;
  }

  function isPast(id: ChangeId): boolean {
    if (id <= boundary) return true;
    catchingUp = false;
    return false;
  }

  async function nextPastChange(): Promise<Change<D> | null> {
    if (!history || !catchingUp) return null;
    const change = await history.next(isPast);
    if (change) lastId = change.id;
    else history.close();
    return change;
  }

  async function nextChange(): Promise<Change<D> | null> {
    for (;;) {
      const past = await nextPastChange();
      if (past) return past;
      const { done, value } = await live.next();
      if (done) return null;
      if (value === LISTENING || value.id <= boundary) continue;
      held -= 1;
      lastId = value.id;
      return value;
    }
  }

  if (signal) addAbortListener(signal, () => void live.return());
  /** Read before the feed is returned, so that the caller receives the errors of `after`. */
  let first: Change<D> | null = null;
  try {
    if (after !== null) history = historyAfter(after);
    // A repeater begins to listen with the first read.
    await live.next();
    await changes.opened();
    if (history) {
      const position = changes.position();
      if (position > boundary) boundary = position;
    }
    first = await nextPastChange();
  } catch (error) {
    await live.return();
    throw toFeedError(error);
  }

  const feed: Feed<T> = {
    [Symbol.asyncIterator]: () => feed,
    async next() {
      try {
        for (;;) {
          const change = first ?? (await nextChange());
          first = null;
          if (!change) return { done: true, value: undefined };
          const value = await convert(change.document);
          if (value !== null) return { done: false, value: { id: change.id, value } };
        }
      } catch (error) {
        await live.return();
        throw toFeedError(error);
      }
    },
    async return() {
      await live.return();
      return { done: true, value: undefined };
    },
  };
  return feed;
}

const LISTENING = Symbol('listening');

/** Maps the errors of a history; `after` is the `Last-Event-ID` of a subscription. */
function toFeedError(error: unknown): unknown {
  if (error instanceof UnknownChangeError)
    return invalid(
      'Last-Event-ID',
      'Must be the id of an event of this subscription; omit it to receive events from now on.',
    );
  if (error instanceof HistoryLostError)
    return new AppError(
      'NOT_FOUND',
      'The events since Last-Event-ID are no longer available or too many to be read in time; read the current state and subscribe without Last-Event-ID.',
    );
  return error;
}

const hasValues = (document: object, values: object): boolean =>
  Object.entries(values).every(([field, value]) => document[field as keyof typeof document] === value);

/** Node's longest timer, 24 days. A longer subscription ends then, and the client subscribes again. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const timerUntil = (expiresAt: Date): number => Math.min(expiresAt.getTime() - Date.now(), MAX_TIMER_MS);
