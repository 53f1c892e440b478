import { type Connection, type Model, Schema, type Types } from 'mongoose';
import { STRICT } from './strict-schema.ts';

interface CheckpointDoc {
  /** Name of the job. */
  _id: string;
  position: Types.ObjectId;
}

const checkpointSchema = new Schema<CheckpointDoc>(
  { _id: { type: String, required: true }, position: { type: Schema.Types.ObjectId, required: true } },
  { ...STRICT, collection: 'checkpoints' },
);

export const checkpointModel = (connection: Connection): Model<CheckpointDoc> =>
  connection.model<CheckpointDoc>('Checkpoint', checkpointSchema);

/** Position of a job that processes the documents of a collection in the order of their ids. */
export interface Checkpoint {
  /** Returns the stored position; null if none has been stored. */
  read(): Promise<Types.ObjectId | null>;
  /** Stores a position, unless a later one is stored. */
  save(position: Types.ObjectId): Promise<void>;
}

/** @param job id of the stored position: a renamed job begins without one */
export const createCheckpoint = (CheckpointModel: Model<CheckpointDoc>, job: string): Checkpoint => ({
  async read() {
    const stored = await CheckpointModel.findById(job).lean<CheckpointDoc>();
    return stored?.position ?? null;
  },
  async save(position) {
    await CheckpointModel.updateOne({ _id: job }, { $max: { position } }, { upsert: true });
  },
});
