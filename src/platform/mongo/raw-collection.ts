import type { Model, mongo } from 'mongoose';
import { READ_LIMIT } from './read-limits.ts';

/**
 * Returns a model's driver collection, for writes; use `rawReads` for reads. Nothing is cast or sanitized, so filters
 * and updates must be built from typed values.
 */
export const rawCollection = <D extends mongo.Document>(model: Model<D>): mongo.Collection<D> =>
  model.collection as unknown as mongo.Collection<D>;

/** As `rawCollection`, for code that works on documents of any type, such as scans. */
export const untypedCollection = ({ collection }: Pick<Model<unknown>, 'collection'>): mongo.Collection =>
  collection as unknown as mongo.Collection;

/**
 * Returns the reads of a model's driver collection, for the few queries that every request makes: a query through
 * mongoose uses 50 % more CPU time. Filters must be built from typed values.
 */
export function rawReads<D extends mongo.Document>(model: Model<D>) {
  const collection = rawCollection<D>(model);
  return {
    find: (filter: mongo.Filter<D>): mongo.FindCursor<mongo.WithId<D>> => collection.find(filter, READ_LIMIT),
    aggregate: <T extends mongo.Document>(pipeline: mongo.Document[]) =>
      collection.aggregate<T>(pipeline, READ_LIMIT),
  };
}
