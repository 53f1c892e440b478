import { type Connection, type Model, Schema } from 'mongoose';

/** The right to do one type of work for a tenant, of which one at a time is permitted. */
export interface TenantLeaseDoc {
  /** The customer. */
  _id: number;
  /** Absent while no process holds the lease. */
  token?: string;
  expiresAt: Date;
}

/** Returns the model of a collection of leases. @param name of the model */
export const tenantLeaseModel = (
  connection: Connection,
  name: string,
  collection: string,
): Model<TenantLeaseDoc> =>
  connection.model<TenantLeaseDoc>(
    name,
    new Schema<TenantLeaseDoc>(
      {
        _id: { type: Number, required: true },
        token: String,
        expiresAt: { type: Date, required: true },
      },
      { strict: 'throw', strictQuery: 'throw', versionKey: false, collection },
    ),
  );
