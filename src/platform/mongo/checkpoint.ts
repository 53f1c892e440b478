import { type Connection, type Model, Schema, type Types } from 'mongoose';

interface CheckpointDoc {
  /** Name of the job. */
  _id: string;
  position: Types.ObjectId;
}

const checkpointSchema = new Schema<CheckpointDoc>(
  { _id: { type: String, required: true }, position: { type: Schema.Types.ObjectId, required: true } },
  { strict: 'throw', strictQuery: 'throw', versionKey: false, collection: 'checkpoints' },
);

export const checkpointModel = (connection: Connection): Model<CheckpointDoc> =>
  connection.model<CheckpointDoc>('Checkpoint', checkpointSchema);

/** Position of a job that processes the documents of a collection in the order of their ids. */
export interface Checkpoint {
  /** Returns the stored position; the first call of all stores and returns `start`. */
  readOrStart(start: Types.ObjectId): Promise<Types.ObjectId>;
  /** Stores a position; an earlier one than the stored one has no effect. */
  save(position: Types.ObjectId): Promise<void>;
}

export const createCheckpoint = (CheckpointModel: Model<CheckpointDoc>, job: string): Checkpoint => ({
  async readOrStart(start) {
    const stored = await CheckpointModel.findById(job).lean<CheckpointDoc>();
    if (stored) return stored.position;
    const inserted = await CheckpointModel.findOneAndUpdate(
      { _id: job },
      { $setOnInsert: { position: start } },
      { upsert: true, returnDocument: 'after' },
    ).lean<CheckpointDoc>();
    return inserted.position;
  },
  async save(position) {
    await CheckpointModel.updateOne({ _id: job }, { $max: { position } });
  },
});
