import type { Model, mongo } from 'mongoose';

/**
 * A model's collection past mongoose, for the few reads that every request makes: a query through mongoose costs the
 * process half as much again. Filters must be built from typed values, since nothing is cast or sanitised.
 */
export const rawCollection = <D extends mongo.Document>(model: Model<D>): mongo.Collection<D> =>
  model.collection as unknown as mongo.Collection<D>;
