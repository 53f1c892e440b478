import { type Connection, type Model, Schema } from 'mongoose';
import { STRICT } from '../mongo/strict-schema.ts';

/** The right to do one type of work for a tenant, one process at a time. */
export interface TenantLeaseDoc {
  /** The customer. */
  _id: number;
  /** Absent while no process holds the lease. */
  token?: string;
  expiresAt: Date;
}

/** Returns the function that creates the model of a collection of leases, once per connection. @param name of the model */
export function tenantLeaseModel(
  name: string,
  collection: string,
): (connection: Connection) => Model<TenantLeaseDoc> {
  const schema = new Schema<TenantLeaseDoc>(
    {
      _id: { type: Number, required: true },
      token: String,
      expiresAt: { type: Date, required: true },
    },
    { ...STRICT, collection },
  );
  return (connection) => connection.model<TenantLeaseDoc>(name, schema);
}
