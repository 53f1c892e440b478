import { EventEmitter } from 'node:events';
import type { Connection, mongo } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';
import type { Logger } from '../logger.ts';

const REOPEN_DELAY_MS = 1_000;

function unsettled(): PromiseWithResolvers<void> {
  const resolvers = Promise.withResolvers<void>();
  // A failure concerns only those who wait for it.
  resolvers.promise.catch(() => {});
  return resolvers;
}

/**
 * Notifies listeners of documents that any process inserts or updates. All listeners of a process share one change
 * stream, which is open only while there are listeners (contract 12, subscriptions).
 *
 * @param collections names of the observed collections
 */
export function createChanges(connection: Connection, collections: readonly string[], log: Logger) {
  const emitter = new EventEmitter().setMaxListeners(0);
  let stream: mongo.ChangeStream | null = null;
  let opening = unsettled();
  let listeners = 0;
  let closed = false;

  function open(): void {
    if (stream || closed || listeners === 0) return;
    const opened = connection
      .getClient()
      .db(connection.name)
      .watch(
        [{ $match: { operationType: { $in: ['insert', 'update'] }, 'ns.coll': { $in: collections } } }],
        {
          fullDocument: 'updateLookup',
        },
      );
    stream = opened;
    const { resolve, reject } = opening;
    opened.on('change', (change: mongo.ChangeStreamDocument) => {
      if ('fullDocument' in change && change.fullDocument) emitter.emit(change.ns.coll, change.fullDocument);
    });
    // The database sends a resume token with its first response: from then on every change is received.
    opened.once('resumeTokenChanged', () => resolve());
    opened.on('error', (error: unknown) => {
      reject(error);
      if (stream !== opened) return;
      log.warn({ err: error }, 'change stream failed, reopening it');
      void closeStream().then(() => setTimeout(open, REOPEN_DELAY_MS).unref());
    });
  }

  async function closeStream(): Promise<void> {
    const closing = stream;
    stream = null;
    opening = unsettled();
    await closing?.close().catch(() => {});
  }

  return {
    /** Calls `listener` with each inserted or updated document; returns a function that removes the listener. */
    listen<D>(collection: string, listener: (document: D) => void): () => void {
      emitter.on(collection, listener);
      listeners += 1;
      open();
      return () => {
        emitter.off(collection, listener);
        listeners -= 1;
        if (listeners === 0) void closeStream();
      };
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
