import { type Connection, type Model, Schema } from 'mongoose';
import { AppError } from '../errors/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import { STRICT } from '../platform/mongo/strict-schema.ts';
import { LIMITS } from './limits.ts';

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
  { ...STRICT, collection: 'rateWindows' },
);
rateWindowSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const rateWindowModel = (connection: Connection): Model<RateWindowDoc> =>
  connection.model<RateWindowDoc>('RateWindow', rateWindowSchema);

const WINDOW_MS = 60_000;

/** Limits that are counted in these windows, each as the beginning of its error message. */
const RULES = {
  testEvents: (max: number) => `An endpoint receives at most ${max} test events`,
  challenges: (max: number) => `A customer verifies at most ${max} URLs of webhook endpoints`,
  providerKeys: (max: number) => `A customer connects at most ${max} provider keys`,
  providerWebhooks: (max: number) => `A connection receives at most ${max} webhooks`,
};

/**
 * Creates a rate limit over minutes of the clock that all processes share, for rare operations with a low limit: each hit
 * is a write. `shared-quota.ts` limits what every request does, and reserves points ahead of it.
 */
export function createRateWindows(RateWindow: Model<RateWindowDoc>, clock: Clock) {
  return {
    /**
     * Counts a hit of an endpoint or a customer.
     * @throws AppError `RATE_LIMITED` beyond the limit
     */
    async count(rule: keyof typeof RULES, id: number): Promise<void> {
      const max = LIMITS[rule].default;
      const now = clock.now().getTime();
      const end = (Math.floor(now / WINDOW_MS) + 1) * WINDOW_MS;
      const window = await RateWindow.findOneAndUpdate(
        { _id: `${rule}:${id}:${end}` },
        { $inc: { hits: 1 }, $setOnInsert: { expiresAt: new Date(end + WINDOW_MS) } },
        { upsert: true, returnDocument: 'after' },
      ).lean<RateWindowDoc>();
      if (!window || window.hits <= max) return;
      const retryAfter = Math.ceil((end - now) / 1000);
      throw new AppError('RATE_LIMITED', `${RULES[rule](max)} per minute; retry after ${retryAfter} s.`, {
        retryAfter,
      });
    },
  };
}

export type RateWindows = ReturnType<typeof createRateWindows>;
