import type { Aggregate, Connection, Query, Schema } from 'mongoose';

/** Time after which the database aborts a read. Writes have no limit: they are short, and safe to wait for. */
export const READ_LIMIT = { maxTimeMS: 10_000 } as const;

/** Limits every read of the models that are created on a connection afterwards. */
export function limitReads(connection: Connection): void {
  connection.plugin((schema: Schema) => {
    schema.pre(['find', 'findOne', 'countDocuments', 'distinct'], function (this: Query<unknown, unknown>) {
      this.setOptions(READ_LIMIT);
    });
    schema.pre('aggregate', function (this: Aggregate<unknown>) {
      this.option(READ_LIMIT);
    });
  });
}
