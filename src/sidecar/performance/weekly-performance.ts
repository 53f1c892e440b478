import type { ModelDb } from '../model-db.ts';
import { batchesOf, type Partition } from '../samples/sample.store.ts';
import { PREDICTION, RESIDUAL } from '../samples/samples.types.ts';
import { fieldOf, fromStored, storedNumbers } from '../samples/stored-block.ts';
import {
  calibrationOf,
  isProbabilistic,
  type Outcomes,
  type Performance,
  performanceOf,
} from './model-performance.ts';

/** Maximum number of rows that are read of each set, the newest blocks of each stage. */
const MAX_ROWS = 1_000_000;
/** Maximum number of weeks in a response. */
const MAX_WEEKS = 53;
const WEEK_MS = 7 * 24 * 60 * 60_000;
/** A Monday. */
const FIRST_MONDAY_MS = Date.UTC(1970, 0, 5);

/** `GET /drift/performance`. */
export interface WeeklyPerformance {
  /** True if the predictions are probabilities and the outcomes binary; null without rows. */
  isProbabilistic: boolean | null;
  /** Newest week last; empty unless `isProbabilistic`. */
  weeks: (Performance & {
    /** Monday, 0:00 UTC. */
    week: string;
  })[];
}

interface TimedOutcomes extends Outcomes {
  times: Float64Array;
}

/** Creates the reader of the performance by week. Rows count in the week of their `occurredAt` or of their arrival. */
export function createWeeklyPerformance(db: ModelDb) {
  const batches = batchesOf(db);

  async function readRows(partitions: readonly Partition[]): Promise<TimedOutcomes> {
    const parts: TimedOutcomes[] = [];
    const quota = Math.floor(MAX_ROWS / Math.max(1, partitions.length));
    for (const { _id, firstBatch, skippedRows } of partitions) {
      let left = quota;
      const columns = [PREDICTION, RESIDUAL].map((name) => [`columns.${fieldOf(name)}`, 1]);
      const cursor = batches.find(
        { partition: _id, n: { $gte: firstBatch } },
        { projection: { n: 1, rows: 1, times: 1, ...Object.fromEntries(columns) }, sort: { n: -1 } },
      );
      for await (const { _id: id, n, rows, times, columns: stored } of cursor) {
        const block = fromStored({ rows, columns: stored });
        const from = Math.max(n === firstBatch ? skippedRows : 0, rows - left);
        const predictions = block.columns.get(PREDICTION)?.numbers?.subarray(from) ?? new Float64Array();
        const residuals = block.columns.get(RESIDUAL)?.numbers?.subarray(from) ?? new Float64Array();
        const receivedAt = id.getTimestamp().getTime();
        const rowTimes = times ? storedNumbers(times).subarray(from) : null;
        parts.push({
          predictions,
          // The difference of two binary values and a probability can be inexact.
          outcomes: predictions.map((value, row) => roundNearInteger(value - (residuals[row] ?? Number.NaN))),
          times: predictions.map((_value, row) => {
            const time = rowTimes?.[row] ?? Number.NaN;
            return Number.isNaN(time) ? receivedAt : time;
          }),
        });
        left -= predictions.length;
        if (left <= 0) break;
      }
    }
    return {
      predictions: concatenated(parts.map(({ predictions }) => predictions)),
      outcomes: concatenated(parts.map(({ outcomes }) => outcomes)),
      times: concatenated(parts.map(({ times }) => times)),
    };
  }

  /** Measures the current rows of the partitions by week. */
  return async (partitions: readonly Partition[]): Promise<WeeklyPerformance> => {
    const current = await readRows(partitions.filter(({ set }) => set === 'current'));
    if (current.predictions.length === 0) return { isProbabilistic: null, weeks: [] };
    const reference = await readRows(partitions.filter(({ set }) => set === 'reference'));
    if (!isProbabilistic(current) || !isProbabilistic(reference))
      return { isProbabilistic: false, weeks: [] };
    const calibrate = calibrationOf(reference);
    const weekOf = (time: number): number => Math.floor((time - FIRST_MONDAY_MS) / WEEK_MS);
    const weeks = [...new Set(Array.from(current.times, weekOf))].sort((a, b) => a - b).slice(-MAX_WEEKS);
    return {
      isProbabilistic: true,
      weeks: weeks.map((week) => {
        const isIn = (_value: number, row: number): boolean => weekOf(current.times[row] as number) === week;
        const rows = {
          predictions: current.predictions.filter(isIn),
          outcomes: current.outcomes.filter(isIn),
        };
        return {
          week: new Date(FIRST_MONDAY_MS + week * WEEK_MS).toISOString(),
          ...performanceOf(rows, calibrate),
        };
      }),
    };
  };
}

/** Removes the floating-point error of a subtraction whose exact result is an integer. */
const roundNearInteger = (value: number): number =>
  Math.abs(value - Math.round(value)) < 1e-9 ? Math.round(value) : value;

function concatenated(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
