import type mongoose from 'mongoose';
import { type CurrentWindow, namedValue, type OutcomeDelay } from '../../config/values.ts';
import type { DriftReference } from '../../shared/drift-references.ts';
import type { ModelDb } from '../model-db.ts';
import { batchesOf, type Partition, partitionsOf, SamplesChangedError } from './sample.store.ts';
import { type Block, type Column, RESIDUAL, type SampleSet } from './samples.types.ts';
import { fieldOf, fromStored, nameOf, storedNumbers } from './stored-block.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Length of the trailing reference, and of a current window that has none. */
const TRAILING_MS = 28 * DAY_MS;
/** 52 weeks, so that the seasonal reference has the same weekdays. */
const YEAR_MS = 364 * DAY_MS;

/** Time before the current window that a reference includes. */
export const REFERENCE_REACH_MS: Readonly<Record<DriftReference, number>> = {
  fixed: 0,
  trailing: TRAILING_MS,
  seasonal: YEAR_MS,
};

/** The selected rows of a block in one set. */
interface SelectedRows {
  partition: Partition;
  n: number;
  rows: Uint32Array;
  /** 1 for each row whose outcome can still arrive. */
  young: Uint8Array;
}

/** The rows that a check with time ranges compares. */
export interface RowSelection {
  /** True if the scope has any stored rows, selected or not. */
  hasRows: boolean;
  features: readonly string[];
  rows: Readonly<Record<SampleSet, number>>;
  /** Number of rows whose outcome can still arrive; they have no residual. */
  youngRows: Readonly<Record<SampleSet, number>>;
  /**
   * Returns the selected rows of a set in blocks, the newest of each stage first.
   *
   * @param options.maxRows only the newest rows of each stage, with an equal share of this number; default: all
   * @throws SamplesChangedError
   */
  blocks(set: SampleSet, features: readonly string[], options?: { maxRows?: number }): AsyncGenerator<Block>;
  isCurrent(partition: mongoose.Types.ObjectId, n: number, row: number): boolean;
}

interface Range {
  reference: DriftReference;
  /** End of the current window, inclusive. */
  at: Date;
}

interface Deps {
  db: ModelDb;
  /** Null if all current rows count. */
  window: CurrentWindow | null;
  delay: OutcomeDelay | null;
}

/** Beginning of the current window of a partition. */
interface WindowStart {
  /** Milliseconds since 1970; the window excludes it, and `before` does not. */
  ms: number;
  /** Oldest row of a window that is a number of rows. */
  row?: { n: number; row: number };
}

/**
 * Creates the selection of rows by time. The time of a row is its `occurredAt` or, without one, the time at which the
 * sidecar received it. Expired rows count until they are deleted.
 */
export function createRowSelection({ db, window, delay }: Deps) {
  const partitions = partitionsOf(db);
  const batches = batchesOf(db);

  /** Yields the number and the times of each block, newest block first. */
  async function* timesOf(partition: Partition) {
    const cursor = batches.aggregate<{
      _id: mongoose.Types.ObjectId;
      n: number;
      rows: number;
      times?: mongoose.mongo.Binary;
      fields: string[];
    }>([
      { $match: { partition: partition._id, n: { $lte: partition.batches } } },
      { $sort: { n: -1 } },
      {
        $project: {
          n: 1,
          rows: 1,
          times: 1,
          fields: { $map: { input: { $objectToArray: '$columns' }, in: '$$this.k' } },
        },
      },
    ]);
    for await (const { _id, n, rows, times, fields } of cursor) {
      const receivedAt = _id.getTimestamp().getTime();
      const known = times ? storedNumbers(times) : null;
      const timeOf = (row: number): number => {
        const time = known?.[row] ?? Number.NaN;
        return Number.isNaN(time) ? receivedAt : time;
      };
      yield { n, rows, timeOf, fields };
    }
  }

  async function findStart(partition: Partition, { reference, at }: Range): Promise<WindowStart> {
    const { rows = null, ms = null } = namedValue(window?.stages ?? {}, partition.stage) ?? window ?? {};
    const end = at.getTime();
    if (ms !== null) return { ms: end - ms };
    if (rows === null) return { ms: reference === 'fixed' ? Number.NEGATIVE_INFINITY : end - TRAILING_MS };
    const start: WindowStart = { ms: end };
    let left = rows;
    for await (const block of timesOf(partition)) {
      for (let row = block.rows - 1; row >= 0 && left > 0; row -= 1) {
        const time = block.timeOf(row);
        if (time > end) continue;
        left -= 1;
        start.ms = Math.min(start.ms, time);
        start.row = { n: block.n, row };
      }
      if (left === 0) break;
    }
    return start;
  }

  /** Returns a function that determines the set of a row of the current partition; null for none. */
  async function setsOf(partition: Partition, range: Range) {
    const { reference, at } = range;
    const start = await findStart(partition, range);
    const end = at.getTime();
    const isCurrent = (n: number, row: number, time: number): boolean => {
      if (time > end) return false;
      if (!start.row) return time > start.ms;
      return n > start.row.n || (n === start.row.n && row >= start.row.row);
    };
    const reach = REFERENCE_REACH_MS[reference];
    const from = start.ms - reach;
    const to = reference === 'trailing' ? start.ms : end - reach;
    return (n: number, row: number, time: number): SampleSet | null => {
      if (isCurrent(n, row, time)) return 'current';
      const isInRange = start.row ? time >= from && time <= to : time > from && time <= to;
      return reference !== 'fixed' && isInRange ? 'reference' : null;
    };
  }

  /** Selects the rows of a stage, or of all. */
  return async (stage: string | undefined, range: Range): Promise<RowSelection> => {
    const filter = {
      ...(stage === undefined ? {} : { stage }),
      ...(range.reference === 'fixed' ? {} : { set: 'current' as const }),
    };
    const selected: Record<SampleSet, SelectedRows[]> = { reference: [], current: [] };
    const rows = { reference: 0, current: 0 };
    const youngRows = { reference: 0, current: 0 };
    const features = new Set<string>();
    const currentRows = new Map<string, Uint32Array>();
    let hasRows = false;
    for (const partition of await partitions.find(filter, { sort: { _id: 1 } }).toArray()) {
      const isFixed = partition.set === 'reference';
      const setOf = isFixed ? () => 'reference' as const : await setsOf(partition, range);
      const delayMs = delay ? (namedValue(delay.stageMs, partition.stage) ?? delay.defaultMs) : 0;
      const oldestYoung = isFixed || delayMs === 0 ? Number.POSITIVE_INFINITY : range.at.getTime() - delayMs;
      for await (const block of timesOf(partition)) {
        hasRows = true;
        for (const field of block.fields) features.add(nameOf(field));
        const found: Record<SampleSet, number[]> = { reference: [], current: [] };
        for (let row = 0; row < block.rows; row += 1) {
          const set = setOf(block.n, row, block.timeOf(row));
          if (set) found[set].push(row);
        }
        for (const set of ['reference', 'current'] as const) {
          if (found[set].length === 0) continue;
          const chosen = Uint32Array.from(found[set]);
          const young = Uint8Array.from(chosen, (row) => Number(block.timeOf(row) > oldestYoung));
          selected[set].push({ partition, n: block.n, rows: chosen, young });
          rows[set] += chosen.length;
          youngRows[set] += young.reduce((sum, flag) => sum + flag, 0);
          if (set === 'current') currentRows.set(`${partition._id} ${block.n}`, chosen);
        }
      }
    }
    return {
      hasRows,
      features: [...features].sort(),
      rows,
      youngRows,
      async *blocks(set, names, { maxRows = Number.POSITIVE_INFINITY } = {}) {
        for (const part of newestOf(selected[set], maxRows)) {
          const columns = names.map((name) => [`columns.${fieldOf(name)}`, 1]);
          const stored = await batches.findOne(
            { partition: part.partition._id, n: part.n },
            { projection: { _id: 0, rows: 1, ...Object.fromEntries(columns) } },
          );
          if (!stored) throw new SamplesChangedError();
          yield pickRows(fromStored({ rows: stored.rows, columns: stored.columns ?? {} }), part);
        }
      },
      isCurrent: (partition, n, row) => currentRows.get(`${partition} ${n}`)?.includes(row) ?? false,
    };
  };
}

export type SelectRows = ReturnType<typeof createRowSelection>;

/** Returns the newest selected rows, of each partition with an equal share of the limit. */
function newestOf(selected: readonly SelectedRows[], maxRows: number): SelectedRows[] {
  const quota = Math.floor(maxRows / new Set(selected.map(({ partition }) => partition)).size);
  const taken = new Map<Partition, number>();
  return selected.flatMap((part) => {
    const before = taken.get(part.partition) ?? 0;
    const skipped = Math.max(0, part.rows.length - (quota - before));
    if (skipped >= part.rows.length) return [];
    taken.set(part.partition, before + part.rows.length - skipped);
    return [{ ...part, rows: part.rows.subarray(skipped), young: part.young.subarray(skipped) }];
  });
}

/** Copies the selected rows of a block, without the residuals of young rows. */
function pickRows({ columns }: Block, { rows, young }: SelectedRows): Block {
  const picked = [...columns].map(([name, { numbers, words, codes }]): [string, Column] => {
    const numberOf = (row: number, index: number): number =>
      name === RESIDUAL && young[index] === 1 ? Number.NaN : (numbers?.[row] ?? Number.NaN);
    return [
      name,
      {
        numbers: numbers && Float64Array.from(rows, numberOf),
        words,
        codes: codes && Uint32Array.from(rows, (row) => codes[row] as number),
      },
    ];
  });
  return { rows: rows.length, columns: new Map(picked) };
}
