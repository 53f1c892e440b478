import { EventEmitter } from 'node:events';
import type { Connection, mongo } from 'mongoose';
import type { Logger } from '../logger.ts';

const REOPEN_MS = 1_000;

/**
 * What any process has inserted or updated: one change stream for the whole process, open only while somebody
 * listens (contract 12, subscriptions).
 *
 * @param collections names of the collections that can be listened to
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
      log.warn({ err: error }, 'change stream broke off, opening it again');
      void shut().then(() => setTimeout(open, REOPEN_MS).unref());
    });
  }

  async function shut(): Promise<void> {
    const closing = stream;
    stream = null;
    await closing?.close().catch(() => {});
  }

  return {
    /** Calls `listener` with each document of the collection as it is after a change; returns how to stop that. */
    listen<D>(collection: string, listener: (document: D) => void): () => void {
      emitter.on(collection, listener);
      listeners += 1;
      open();
      return () => {
        emitter.off(collection, listener);
        listeners -= 1;
        if (listeners === 0) void shut();
      };
    },
    async close(): Promise<void> {
      closed = true;
      await shut();
    },
  };
}

export type Changes = ReturnType<typeof createChanges>;
