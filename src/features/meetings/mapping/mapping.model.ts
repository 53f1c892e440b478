import { type Connection, type Model, Schema } from 'mongoose';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';
import { type FieldMapping, REPROJECTION_STATUSES, type ReprojectionStatus } from '../meetings.types.ts';

/** Re-projection by a tenant's current mapping, with the lease of the process that works on it. */
export interface ReprojectionState {
  status: ReprojectionStatus;
  /** Null until a process has counted the activities. */
  total: number | null;
  done: number;
  withoutRecord: number;
  skipped: number;
  /** Time spent on the batches. */
  activeMs: number;
  startedAt: Date;
  finishedAt: Date | null;
  /** Claims since the last batch. */
  claims: number;
  /** Token of the lease; absent once the lease is released. */
  token?: string;
  /** When any process may claim it: the expiry of the lease. Null if nothing is left to do or to check. */
  dueAt: Date | null;
}

/** A tenant's own field mapping, which outlives the connection. */
export interface MappingDoc {
  /** The customer. */
  _id: number;
  /** Equals `_id`, for subscriptions; absent in mappings of an earlier version. */
  customerId?: number;
  mappings: FieldMapping[];
  /** Increases with each change; absent in mappings of an earlier version. */
  version?: number;
  /** A change of the mapping replaces the re-projection of the previous one. */
  reprojection?: ReprojectionState;
}

const mappingSchema = new Schema<MappingDoc>(
  {
    _id: { type: Number, required: true },
    customerId: { type: Number },
    mappings: { type: Schema.Types.Mixed, required: true },
    version: { type: Number },
    reprojection: {
      status: { type: String, enum: REPROJECTION_STATUSES },
      total: Number,
      done: Number,
      withoutRecord: Number,
      skipped: Number,
      activeMs: Number,
      startedAt: Date,
      finishedAt: Date,
      claims: Number,
      token: String,
      dueAt: Date,
    },
  },
  { ...STRICT, collection: 'recorderMappings' },
);
mappingSchema.index({ 'reprojection.dueAt': 1 }, { sparse: true });

export const mappingModel = (connection: Connection): Model<MappingDoc> =>
  connection.model<MappingDoc>('FieldMappings', mappingSchema);
