import { EventEmitter } from 'node:events';
import type { Connection, mongo } from 'mongoose';
import type { Logger } from '../logger.ts';

const REOPEN_DELAY_MS = 1_000;

/**
 * Notifies listeners of documents that any process inserts or updates. All listeners of a process share one change
 * stream, which is open only while there are listeners (contract 12, subscriptions).
 *
 * @param collections names of the observed collections
 */
export function createChanges(connection: Connection, collections: readonly string[], log: Logger) {
  const emitter = new EventEmitter().setMaxListeners(0);
  let stream: mongo.ChangeStream | null = null;
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
    opened.on('change', (change: mongo.ChangeStreamDocument) => {
      if ('fullDocument' in change && change.fullDocument) emitter.emit(change.ns.coll, change.fullDocument);
    });
    opened.on('error', (error: unknown) => {
      log.warn({ err: error }, 'change stream failed, reopening it');
      void closeStream().then(() => setTimeout(open, REOPEN_DELAY_MS).unref());
    });
  }

  async function closeStream(): Promise<void> {
    const closing = stream;
    stream = null;
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
    async close(): Promise<void> {
      closed = true;
      await closeStream();
    },
  };
}

export type Changes = ReturnType<typeof createChanges>;
