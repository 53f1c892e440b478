import type mongoose from 'mongoose';

/** The collections of one model. */
export type ModelDb = Pick<mongoose.mongo.Db, 'client' | 'collection'>;

/** Returns the collections of a model in the database of the sidecar, by a prefix of their names. */
export const modelDb = (db: mongoose.mongo.Db, prefix: string): ModelDb => ({
  client: db.client,
  collection: (name: string, options?: mongoose.mongo.CollectionOptions) =>
    db.collection(`${prefix}${name}`, options),
});
