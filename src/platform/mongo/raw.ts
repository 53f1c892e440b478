import type { Model, mongo } from 'mongoose';

/**
 * Returns a model's driver collection, for the few reads of every request: a query through mongoose uses 50 % more CPU
 * time. Filters must be built from typed values, because nothing is cast or sanitized.
 */
export const rawCollection = <D extends mongo.Document>(model: Model<D>): mongo.Collection<D> =>
  model.collection as unknown as mongo.Collection<D>;
