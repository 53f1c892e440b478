import { type Connection, type Model, Schema } from 'mongoose';
import { type FieldMapping, REPROJECTION_STATUSES, type ReprojectionStatus } from '../meetings.types.ts';

/** Re-projection of a tenant's activities by its current mapping, with the lease of the process that works on it. */
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
  /** Token of the process that claimed it last; absent once that process has released the lease. */
  token?: string;
  /** Expiry of the lease; any process may claim it from then on. Null when nothing is left to do or to check. */
  dueAt: Date | null;
}

/** A tenant's own field mapping. It outlives the connection. */
export interface MappingDoc {
  /** The customer. */
  _id: number;
  /** As `_id`, for subscriptions; absent in mappings that an earlier version of the service stored. */
  customerId?: number;
  mappings: FieldMapping[];
  /** Increases with each change; absent in mappings that an earlier version of the service stored. */
  version?: number;
  /** One for each change, stored with it: a change replaces the re-projection of the one before. */
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
  { strict: 'throw', strictQuery: 'throw', versionKey: false, collection: 'recorderMappings' },
);
mappingSchema.index({ 'reprojection.dueAt': 1 }, { sparse: true });

export const mappingModel = (connection: Connection): Model<MappingDoc> =>
  connection.model<MappingDoc>('FieldMappings', mappingSchema);
