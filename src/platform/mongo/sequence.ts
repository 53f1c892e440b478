import { type Connection, type Model, Schema } from 'mongoose';

interface CounterDoc {
  _id: string;
  value: number;
}

const counterSchema = new Schema<CounterDoc>(
  { _id: { type: String, required: true }, value: { type: Number, required: true } },
  { strict: 'throw', strictQuery: 'throw', versionKey: false, collection: 'counters' },
);

export const counterModel = (connection: Connection): Model<CounterDoc> =>
  connection.model<CounterDoc>('Counter', counterSchema);

/** The next number of a sequence, from 1; one that its caller does not use is left out for good. */
export async function nextInSequence(Counter: Model<CounterDoc>, name: string): Promise<number> {
  const counter = await Counter.findOneAndUpdate(
    { _id: name },
    { $inc: { value: 1 } },
    { upsert: true, returnDocument: 'after' },
  );
  return counter.value;
}
