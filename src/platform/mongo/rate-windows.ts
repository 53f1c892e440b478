import { type Connection, type Model, Schema } from 'mongoose';
import type { Clock } from '../clock.ts';

interface RateWindowDoc {
  _id: string;
  hits: number;
  expiresAt: Date;
}

const rateWindowSchema = new Schema<RateWindowDoc>(
  {
    _id: { type: String, required: true },
    hits: { type: Number, required: true },
    expiresAt: { type: Date, required: true },
  },
  { strict: 'throw', strictQuery: 'throw', versionKey: false, collection: 'rateWindows' },
);
rateWindowSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const rateWindowModel = (connection: Connection): Model<RateWindowDoc> =>
  connection.model<RateWindowDoc>('RateWindow', rateWindowSchema);

const WINDOW_MS = 60_000;

/** Creates a rate limit over windows of one minute that all processes share, for low and exact limits. */
export function createRateWindows(RateWindow: Model<RateWindowDoc>, clock: Clock) {
  return {
    /** Counts a hit; returns null within the limit, else the seconds until the window ends. */
    async hit(key: string, limit: number): Promise<number | null> {
      const now = clock.now().getTime();
      const end = (Math.floor(now / WINDOW_MS) + 1) * WINDOW_MS;
      const window = await RateWindow.findOneAndUpdate(
        { _id: `${key}:${end}` },
        { $inc: { hits: 1 }, $setOnInsert: { expiresAt: new Date(end + WINDOW_MS) } },
        { upsert: true, returnDocument: 'after' },
      ).lean<RateWindowDoc>();
      return window && window.hits > limit ? Math.ceil((end - now) / 1000) : null;
    },
  };
}

export type RateWindows = ReturnType<typeof createRateWindows>;
