import { type Connection, type Model, Schema } from 'mongoose';
import { STRICT } from './strict-schema.ts';

interface CounterDoc {
  _id: string;
  value: number;
}

const counterSchema = new Schema<CounterDoc>(
  { _id: { type: String, required: true }, value: { type: Number, required: true } },
  { ...STRICT, collection: 'counters' },
);

export const counterModel = (connection: Connection): Model<CounterDoc> =>
  connection.model<CounterDoc>('Counter', counterSchema);

/** Returns the next number of a sequence, starting at 1. A number is never returned again, even if it was not used. */
export async function nextInSequence(Counter: Model<CounterDoc>, name: string): Promise<number> {
  const counter = await Counter.findOneAndUpdate(
    { _id: name },
    { $inc: { value: 1 } },
    { upsert: true, returnDocument: 'after' },
  );
  return counter.value;
}
