import { type Connection, type Model, Schema } from 'mongoose';
import type { FieldMapping } from '../meetings.types.ts';

/** A tenant's own field mapping. It outlives the connection. */
export interface MappingDoc {
  /** The customer. */
  _id: number;
  mappings: FieldMapping[];
  /** Increases with each change; absent in mappings that an earlier version of the service stored. */
  version?: number;
}

const mappingSchema = new Schema<MappingDoc>(
  {
    _id: { type: Number, required: true },
    mappings: { type: Schema.Types.Mixed, required: true },
    version: { type: Number },
  },
  { strict: 'throw', strictQuery: 'throw', versionKey: false, collection: 'recorderMappings' },
);

export const mappingModel = (connection: Connection): Model<MappingDoc> =>
  connection.model<MappingDoc>('RecorderMapping', mappingSchema);
