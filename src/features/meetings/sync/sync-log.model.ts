import { type Connection, type Model, Schema } from 'mongoose';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';
import { SYNC_LOG_TYPES, type SyncLogEntry } from '../meetings.types.ts';

export interface SyncLogDoc extends SyncLogEntry {
  /** Run and number of the entry, see `logEntryId`. */
  _id: string;
  customerId: number;
}

const optionalNumber = { type: Number, default: null } as const;

const logSchema = new Schema<SyncLogDoc>(
  {
    _id: { type: String, required: true },
    customerId: { type: Number, required: true },
    at: { type: Date, required: true },
    type: { type: String, enum: SYNC_LOG_TYPES, required: true },
    page: optionalNumber,
    count: optionalNumber,
    durationMs: optionalNumber,
    detail: { type: String, default: null },
  },
  {
    ...STRICT,
    collection: 'meetingSyncLog',
    shardKey: { customerId: 1, _id: 1 },
  },
);
// Runs are kept as long.
logSchema.index({ at: 1 }, { expireAfterSeconds: 180 * 24 * 60 * 60 });

export const syncLogModel = (connection: Connection): Model<SyncLogDoc> =>
  connection.model<SyncLogDoc>('MeetingSyncLog', logSchema);
