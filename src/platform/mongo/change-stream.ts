import { setImmediate } from 'node:timers/promises';
import type { Connection, mongo } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';
import { errorCodeOf } from '../error-code.ts';
import { createKeyedSerial } from '../keyed-serial.ts';
import type { Logger } from '../logger.ts';
import type { TenantRef } from '../tenant-ref.ts';
import { type ChangeHistory, createChangeHistory, type HistoryOptions } from './change-history.ts';
import { type ChangeId, deliveredUntil, toChangeId } from './change-id.ts';

const REOPEN_DELAY_MS = 1_000;

function unsettled(): PromiseWithResolvers<void> {
  const resolvers = Promise.withResolvers<void>();
  // Only the waiting callers see the failure.
  resolvers.promise.catch(() => {});
  return resolvers;
}

/** Server error codes after which a stream cannot continue: its history is lost, or its resume token is not accepted. */
export const UNRESUMABLE_CODES: readonly unknown[] = [260, 280, 286, 40_615];

export interface ChangeListener<D> {
  onChange(document: D, id: ChangeId): void;
  /** Called when changes may have been missed. */
  onGap(): void;
}

/** Returns the key that listeners of a document subscribe to. */
type KeyOf = (document: never) => string | number;

/**
 * Notifies listeners of documents that any process inserts or updates. All listeners of a process share one change
 * stream, which is open only while there are listeners (contract 12, subscriptions). After a failure it resumes where
 * it ended; if the database no longer has that part of its history, the listeners are notified of the gap.
 *
 * @param keys how to derive the key of a document, by the name of its collection
 */
export function createChanges(connection: Connection, keys: Readonly<Record<string, KeyOf>>, log: Logger) {
  const listeners = new Map<string, Set<ChangeListener<never>>>();
  const inTurn = createKeyedSerial();
  let stream: mongo.ChangeStream | null = null;
  let opening = unsettled();
  let resumeToken: unknown = null;
  /** Id of the last change that the listeners received. */
  let lastId: ChangeId = '';
  let closed = false;

  function open(): void {
    if (stream || closed || listeners.size === 0) return;
    const opened = connection
      .getClient()
      .db(connection.name)
      .watch(
        [
          {
            $match: {
              operationType: { $in: ['insert', 'update'] },
              'ns.coll': { $in: Object.keys(keys) },
            },
          },
        ],
        { fullDocument: 'updateLookup', ...(resumeToken !== null && { startAfter: resumeToken }) },
      );
    stream = opened;
    const { resolve, reject } = opening;
    // The first response of the database has a resume token; every later change reaches the stream.
    opened.once('resumeTokenChanged', () => resolve());
    opened.on('change', (change: mongo.ChangeStreamDocument) => {
      // The stream may be closed and replaced while the driver still emits its last changes.
      if (stream !== opened) return;
      if (!('fullDocument' in change) || !change.fullDocument || !('coll' in change.ns)) return;
      const document = change.fullDocument as never;
      const id = toChangeId(change._id);
      lastId = id;
      const key = keys[change.ns.coll]?.(document);
      for (const { onChange } of [...(listeners.get(`${change.ns.coll}/${key}`) ?? [])])
        onChange(document, id);
    });
    opened.on('error', (error: unknown) => {
      reject(error);
      reopen(opened, error);
    });
    opened.on('close', () => reopen(opened, null));
  }

  function reopen(failed: mongo.ChangeStream, error: unknown): void {
    if (stream !== failed) return;
    log.warn({ err: error }, 'change stream failed, reopening it');
    resumeToken = failed.resumeToken ?? resumeToken;
    if (resumeToken === null || UNRESUMABLE_CODES.includes(errorCodeOf(error))) {
      resumeToken = null;
      for (const { onGap } of [...listeners.values()].flatMap((set) => [...set])) onGap();
    }
    void closeStream().then(() => setTimeout(open, REOPEN_DELAY_MS).unref());
  }

  async function closeStream(): Promise<void> {
    const closing = stream;
    const opened = opening.promise;
    stream = null;
    opening = unsettled();
    if (!closing) return;
    // A cursor that the driver is opening would stay open in the database.
    await opened.then(() => setImmediate()).catch(() => {});
    await closing.close().catch(() => {});
  }

  return {
    /** Calls `listener` for each change of a document with `key`; returns a function that removes the listener. */
    listen<D>(collection: string, key: string | number, listener: ChangeListener<D>): () => void {
      const topic = `${collection}/${key}`;
      const ofTopic = listeners.get(topic) ?? new Set();
      listeners.set(topic, ofTopic);
      ofTopic.add(listener);
      open();
      return () => {
        ofTopic.delete(listener);
        if (ofTopic.size === 0 && listeners.get(topic) === ofTopic) listeners.delete(topic);
        if (listeners.size > 0) return;
        resumeToken = null;
        void closeStream();
      };
    },
    /** Number of listeners that have not been removed. */
    listenerCount: (): number => listeners.values().reduce((total, { size }) => total + size, 0),
    /** Returns the last id that the present listeners may have missed; requires an open stream. */
    position(): ChangeId {
      const current = stream?.resumeToken ?? resumeToken;
      const id = current ? deliveredUntil(current) : '';
      return id > lastId ? id : lastId;
    },
    /**
     * Reads past changes. The reads of one tenant take turns: its clients may resume many subscriptions at a time, and
     * occupy only one database connection.
     */
    history<D>({
      tenant: { customerId },
      ...options
    }: HistoryOptions & { tenant: TenantRef }): ChangeHistory<D> {
      const history = createChangeHistory<D>(connection, options);
      return { ...history, next: (isPast) => inTurn(String(customerId), () => history.next(isPast)) };
    },
    /**
     * Resolves when every change from now on reaches the listeners; requires one.
     * @throws the error of the database if it cannot open the change stream
     */
    opened: (): Promise<void> => opening.promise,
    async close(): Promise<void> {
      closed = true;
      opening.reject(new AppError('SERVICE_UNAVAILABLE', 'The server is stopping; subscribe again.'));
      await closeStream();
    },
  };
}

export type Changes = ReturnType<typeof createChanges>;
