import { type Connection, type Model, Schema } from 'mongoose';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';
import type { Bins } from './sketch.ts';
import { STATISTICS_STEPS, type StatisticsStep } from './statistics.types.ts';

/** Counters of results. */
export interface Counters {
  succeeded: number;
  failed: number;
  attempts: number;
  failedAttempts: number;
  /** Durations of attempts, in milliseconds. */
  durations: Bins;
  /** Times from acceptance to arrival, in milliseconds. */
  arrivals: Bins;
  lastSuccessAt?: Date;
  lastFailureAt?: Date;
}

/** Results of the attempts to an endpoint that began in one hour or day. A counter that is absent is 0. */
export interface StatisticsDoc extends Partial<Counters> {
  /** Endpoint, step and start: see `statisticsId`. */
  _id: string;
  customerId: number;
  step: StatisticsStep;
  at: Date;
  /** Number of the latest flush of each process that has written, so that none counts twice. */
  flushes: Record<string, number>;
  expiresAt: Date;
}

const count = { type: Number };
const mixed = { type: Schema.Types.Mixed };

const statisticsSchema = new Schema<StatisticsDoc>(
  {
    _id: { type: String, required: true },
    customerId: { type: Number, required: true },
    step: { type: String, enum: STATISTICS_STEPS, required: true },
    at: { type: Date, required: true },
    succeeded: count,
    failed: count,
    attempts: count,
    failedAttempts: count,
    durations: mixed,
    arrivals: mixed,
    lastSuccessAt: Date,
    lastFailureAt: Date,
    flushes: mixed,
    expiresAt: { type: Date, required: true },
  },
  {
    ...STRICT,
    collection: 'webhookStatistics',
    shardKey: { customerId: 1, _id: 1 },
  },
);
statisticsSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const statisticsModel = (connection: Connection): Model<StatisticsDoc> =>
  connection.model<StatisticsDoc>('WebhookStatistics', statisticsSchema);
