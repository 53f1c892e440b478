import type { Model, mongo } from 'mongoose';
import type { DocumentRef } from '../mongo/ids-of-tenants.ts';
import { untypedCollection } from '../mongo/raw-collection.ts';

/** Writes and events that are committed together, and the result for the caller. */
export interface UnitOfWork<E, T> {
  writes: Write[];
  /** Events to publish with the writes. */
  events: E[];
  result: T;
}

/** Reads the current state and describes a unit of work; called again when a concurrent change invalidated the unit. */
export type Plan<E, T> = () => Promise<UnitOfWork<E, T>> | UnitOfWork<E, T>;

/** A committed unit: its result, and the effect of each of its events. */
export interface Committed<T, F> {
  result: T;
  /** In the order of the unit's events. */
  effects: F[];
}

/**
 * One write of a unit of work, created by a store and executed by the committer. It bypasses mongoose, whose casting
 * costs more than the insert; stores build documents from typed values.
 */
export interface Write {
  collection: mongo.Collection;
  operation: mongo.AnyBulkWriteOperation;
  /** Number of documents that the write must match; otherwise its unit is not committed. */
  guards: 0 | 1;
}

export interface Insertion<D = DocumentRef> extends Write {
  document: D;
}

export const insertion = <D>(model: Model<D>, document: D): Insertion<D> => ({
  collection: untypedCollection(model),
  operation: { insertOne: { document: document as mongo.Document } },
  guards: 0,
  document,
});

/** Updates one document; if none matches, the committer plans the unit again. */
export const change = <D>(model: Model<D>, filter: mongo.Document, update: mongo.Document): Write => ({
  collection: untypedCollection(model),
  operation: { updateOne: { filter, update } },
  guards: 1,
});

/** Deletes one document; if none matches, the committer plans the unit again. */
export const removal = <D>(model: Model<D>, filter: mongo.Document): Write => ({
  collection: untypedCollection(model),
  operation: { deleteOne: { filter } },
  guards: 1,
});
