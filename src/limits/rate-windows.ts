import { type Connection, type Model, Schema } from 'mongoose';
import { AppError } from '../errors/app-error.ts';
import type { Clock } from '../platform/clock.ts';

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
    /**
     * Counts a hit.
     *
     * @param rule description of the limit, as the beginning of the error message: `An endpoint receives at most 10 test events`
     * @throws AppError `RATE_LIMITED` beyond the limit
     */
    async count(key: string, { limit, rule }: { limit: number; rule: string }): Promise<void> {
      const now = clock.now().getTime();
      const end = (Math.floor(now / WINDOW_MS) + 1) * WINDOW_MS;
      const window = await RateWindow.findOneAndUpdate(
        { _id: `${key}:${end}` },
        { $inc: { hits: 1 }, $setOnInsert: { expiresAt: new Date(end + WINDOW_MS) } },
        { upsert: true, returnDocument: 'after' },
      ).lean<RateWindowDoc>();
      if (!window || window.hits <= limit) return;
      const retryAfter = Math.ceil((end - now) / 1000);
      throw new AppError('RATE_LIMITED', `${rule} per minute; retry after ${retryAfter} s.`, { retryAfter });
    },
  };
}

export type RateWindows = ReturnType<typeof createRateWindows>;
