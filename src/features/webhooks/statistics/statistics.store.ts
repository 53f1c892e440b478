import type { Model, mongo } from 'mongoose';
import { refusedAsDuplicates } from '../../../platform/mongo/duplicate-key.ts';
import { rawCollection, rawReads } from '../../../platform/mongo/raw-collection.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { Bins } from './sketch.ts';
import type { Counters, StatisticsDoc } from './statistics.model.ts';
import {
  REACH_DAYS,
  STATISTICS_STEPS,
  STEP_MS,
  type StatisticsStep,
  startOfStep,
} from './statistics.types.ts';

/** Results of an endpoint in one hour. */
export interface HourCounters extends Counters {
  customerId: number;
  endpointId: number;
  hour: Date;
}

/** Results of one hour that a process writes at once. */
export interface Flush {
  /** The process. */
  writer: string;
  /** Greater than the numbers of its earlier flushes. */
  number: number;
  endpoints: readonly HourCounters[];
}

const idPrefix = (endpointId: number): string => `${endpointId}/`;

/** Ids of an endpoint's steps sort by their start. */
const statisticsId = (endpointId: number, step: StatisticsStep, at: Date): string =>
  `${idPrefix(endpointId)}${step}/${at.toISOString()}`;

/** '0' is the character after '/', so the range has all ids that begin with the prefix. */
const ofEndpoint = ({ customerId }: Tenant, endpointId: number) => ({
  customerId,
  _id: { $gte: idPrefix(endpointId), $lt: `${endpointId}0` },
});

const withPrefix = (path: string, bins: Bins): Bins =>
  Object.fromEntries(Object.entries(bins).map(([bin, count]) => [`${path}.${bin}`, count]));

/** Returns the fields that are not 0: an absent counter is 0. */
const nonZero = (counters: Bins): Bins =>
  Object.fromEntries(Object.entries(counters).filter(([, count]) => count > 0));

/** Returns the write that adds results to a step, unless this flush has added them before. */
function addition(step: StatisticsStep, counted: HourCounters, { writer, number }: Flush) {
  const { customerId, endpointId, hour, succeeded, failed, attempts, failedAttempts } = counted;
  const at = startOfStep(hour, step);
  const expiresAt = new Date(at.getTime() + STEP_MS[step] + (REACH_DAYS[step] + 1) * STEP_MS.day);
  const { lastSuccessAt, lastFailureAt } = counted;
  return {
    updateOne: {
      filter: {
        _id: statisticsId(endpointId, step, at),
        customerId,
        // Once the flush is written, this matches nothing, and the insertion is refused as a duplicate.
        [`flushes.${writer}`]: { $not: { $gte: number } },
      },
      update: {
        $inc: {
          ...nonZero({ succeeded, failed, attempts, failedAttempts }),
          ...withPrefix('durations', counted.durations),
          ...withPrefix('arrivals', counted.arrivals),
        },
        $max: { ...(lastSuccessAt && { lastSuccessAt }), ...(lastFailureAt && { lastFailureAt }) },
        $set: { [`flushes.${writer}`]: number },
        $setOnInsert: { step, at, expiresAt },
      },
      upsert: true,
    },
  };
}

/** Counters of the results of attempts, by endpoint and step. */
export function statisticsStore({ WebhookStatistics }: { WebhookStatistics: Model<StatisticsDoc> }) {
  const collection = rawCollection(WebhookStatistics);
  const reads = rawReads(WebhookStatistics);

  return {
    /** Adds the results of a process in one round trip. Safe to repeat: results that are written are not added again. */
    async add(flush: Flush): Promise<void> {
      let operations = STATISTICS_STEPS.flatMap((step) =>
        flush.endpoints.map((counted) => addition(step, counted, flush)),
      );
      // A first duplicate may be the insertion of another process; a second one is a flush that is written already.
      for (let round = 1; round <= 2 && operations.length > 0; round += 1) {
        const refused = await collection
          .bulkWrite(operations as mongo.AnyBulkWriteOperation<StatisticsDoc>[], { ordered: false })
          .then(() => [], refusedAsDuplicates);
        operations = refused.flatMap((index) => operations[index] ?? []);
      }
    },

    /** Steps of an endpoint with results that start within a time range, in order. */
    range: (
      { customerId }: Tenant,
      endpointId: number,
      { step, since, until }: { step: StatisticsStep; since: Date; until: Date },
    ) =>
      reads
        .find({
          customerId,
          _id: { $gte: statisticsId(endpointId, step, since), $lt: statisticsId(endpointId, step, until) },
        })
        .project<Omit<StatisticsDoc, 'flushes'>>({ flushes: 0 })
        .sort({ _id: 1 })
        .toArray(),

    /** All steps of an endpoint with results, by their length and then in order. */
    all: (tenant: Tenant, endpointId: number) =>
      reads
        .find(ofEndpoint(tenant, endpointId))
        .project<Omit<StatisticsDoc, 'flushes'>>({ flushes: 0 })
        .sort({ _id: 1 })
        .toArray(),

    /** Removes the statistics of an endpoint. */
    removeOf: async (tenant: Tenant, endpointId: number): Promise<void> => {
      await collection.deleteMany(ofEndpoint(tenant, endpointId));
    },
  };
}

export type StatisticsStore = ReturnType<typeof statisticsStore>;
