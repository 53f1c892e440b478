import { type Connection, type Model, Schema, type Types } from 'mongoose';
import { STRICT } from '../../platform/mongo/strict-schema.ts';

/** A named position in the log of a tenant, and the consumer that holds it. */
export interface EventFeedDoc {
  _id: Types.ObjectId;
  customerId: number;
  name: string;
  /** Last acknowledged sequence. */
  sequence: number;
  /** Consumer that holds the feed, or held it last; null before the first. */
  consumer: string | null;
  /** End of the consumer's lease. */
  expiresAt: Date;
  usedAt: Date;
  /** Custom types that a pull has named: their events are published from then on. Absent for none. */
  customTypes?: string[];
}

/** Time after which a feed that no consumer uses is removed. Seconds. */
const UNUSED_TTL_SECONDS = 90 * 24 * 60 * 60;

const schema = new Schema<EventFeedDoc>(
  {
    customerId: { type: Number, required: true },
    name: { type: String, required: true },
    sequence: { type: Number, required: true },
    consumer: { type: String, default: null },
    expiresAt: { type: Date, required: true },
    usedAt: { type: Date, required: true },
    customTypes: { type: [String], default: undefined } as never,
  },
  { ...STRICT, collection: 'eventFeeds' },
);
schema.index({ customerId: 1, name: 1 }, { unique: true });
schema.index({ usedAt: 1 }, { expireAfterSeconds: UNUSED_TTL_SECONDS });

export const eventFeedModel = (connection: Connection): Model<EventFeedDoc> =>
  connection.model<EventFeedDoc>('EventFeed', schema);
