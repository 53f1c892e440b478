import type { Model, mongo } from 'mongoose';

/**
 * One write of a unit of work. Stores make them, the committer runs them. They go past mongoose's documents, whose
 * casting would cost more than the insert: what is written is built from typed values by the stores themselves.
 */
export interface Write {
  collection: mongo.Collection;
  operation: mongo.AnyBulkWriteOperation;
  /** Documents that it must match, or its unit does not take place. */
  guards: 0 | 1;
}

const collectionOf = (model: Model<never>): mongo.Collection =>
  model.collection as unknown as mongo.Collection;

/** Adds a document. */
export const insertion = <D>(model: Model<D>, document: D): Write => ({
  collection: collectionOf(model as unknown as Model<never>),
  operation: { insertOne: { document: document as mongo.Document } },
  guards: 0,
});

/** Changes exactly one document: when none matches, the unit is planned anew. */
export const change = <D>(model: Model<D>, filter: mongo.Document, update: mongo.Document): Write => ({
  collection: collectionOf(model as unknown as Model<never>),
  operation: { updateOne: { filter, update } },
  guards: 1,
});

/** Removes exactly one document: when none matches, the unit is planned anew. */
export const removal = <D>(model: Model<D>, filter: mongo.Document): Write => ({
  collection: collectionOf(model as unknown as Model<never>),
  operation: { deleteOne: { filter } },
  guards: 1,
});
