import { createKeyedSerial } from '../../platform/keyed-serial.ts';
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

  async function measure(partitions: readonly Partition[]): Promise<WeeklyPerformance> {
    const current = await readRows(partitions.filter(({ set }) => set === 'current'));
    if (current.predictions.length === 0) return { isProbabilistic: null, weeks: [] };
    const reference = await readRows(partitions.filter(({ set }) => set === 'reference'));
    if (!isProbabilistic(current) || !isProbabilistic(reference))
      return { isProbabilistic: false, weeks: [] };
    const calibrate = calibrationOf(reference);
    return {
      isProbabilistic: true,
      weeks: byWeek(current).map(([week, rows]) => ({
        week: new Date(FIRST_MONDAY_MS + week * WEEK_MS).toISOString(),
        ...performanceOf(rows, calibrate),
      })),
    };
  }

  /** The latest results, and the calls that have not begun, by stage. */
  const latest = new Map<string | undefined, { version: string; result: WeeklyPerformance }>();
  const waiting = new Map<string | undefined, Promise<WeeklyPerformance>>();

  /**
   * Measures the current rows of a stage, or of all samples, by week. A result is returned until the samples change, and
   * shared among concurrent calls.
   * @param read returns the partitions of the stage
   */
  return async (
    stage: string | undefined,
    read: () => Promise<readonly Partition[]>,
  ): Promise<WeeklyPerformance> => {
    const partitions = await read();
    const known = latest.get(stage);
    if (known?.version === versionOf(partitions)) return known.result;
    const shared = waiting.get(stage);
    if (shared) return shared;
    const result = oneAtATime('performance', async () => {
      waiting.delete(stage);
      const partitions = await read();
      const version = versionOf(partitions);
      const known = latest.get(stage);
      if (known?.version === version) return known.result;
      const result = await measure(partitions);
      latest.set(stage, { version, result });
      return result;
    });
    waiting.set(stage, result);
    return result;
  };
}

/** Runs one measurement at a time, of all models: each holds up to two million rows. */
const oneAtATime = createKeyedSerial();

/** Returns a text that differs once rows were added, removed or expired. */
const versionOf = (partitions: readonly Partition[]): string =>
  JSON.stringify(
    partitions.map(({ _id, batches, firstBatch, skippedRows }) => [_id, batches, firstBatch, skippedRows]),
  );

/** Groups rows by week. Returns the latest weeks, oldest first. */
function byWeek({ predictions, outcomes, times }: TimedOutcomes): [number, Outcomes][] {
  const weeks = times.map((time) => Math.floor((time - FIRST_MONDAY_MS) / WEEK_MS));
  const counts = new Map<number, number>();
  for (const week of weeks) counts.set(week, (counts.get(week) ?? 0) + 1);
  const latest = [...counts.keys()].sort((a, b) => a - b).slice(-MAX_WEEKS);
  const groups = new Map(
    latest.map((week) => {
      const rows = counts.get(week) ?? 0;
      return [week, { predictions: new Float64Array(rows), outcomes: new Float64Array(rows), filled: 0 }];
    }),
  );
  for (const [row, week] of weeks.entries()) {
    const group = groups.get(week);
    if (!group) continue;
    group.predictions[group.filled] = predictions[row] as number;
    group.outcomes[group.filled] = outcomes[row] as number;
    group.filled += 1;
  }
  return [...groups];
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
