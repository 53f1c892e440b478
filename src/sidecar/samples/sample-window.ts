import mongoose from 'mongoose';
import { type CurrentWindow, namedValue } from '../../config/values.ts';
import type { Clock } from '../../platform/clock.ts';
import type { DriftReference } from '../../shared/drift-references.ts';
import type { ModelDb } from '../model-db.ts';
import { REFERENCE_REACH_MS } from './row-selection.ts';
import {
  batchesOf,
  type Partition,
  partitionsOf,
  readAhead,
  type SampleStore,
  SamplesChangedError,
} from './sample.store.ts';

/** Attempts at an update while another process expires rows of the same partition. */
const MAX_ATTEMPTS = 5;

/** Smallest id of a block that was received at a time or later. */
const receivedAt = (ms: number): mongoose.Types.ObjectId =>
  mongoose.mongo.ObjectId.createFromTime(Math.max(0, Math.floor(ms / 1_000)));

interface CountedFeatures {
  batches: number;
  features: ReadonlyMap<string, unknown>;
}

interface Deps {
  db: ModelDb;
  store: SampleStore;
  /** Null if all current rows count. */
  window: CurrentWindow | null;
  /** Returns the reference of a stage; null for all samples. Rows of a reference are kept longer. */
  referenceOf: (stage: string | null) => DriftReference;
  clock: Clock;
}

/**
 * Creates the sliding window of the current set. A partition records the position of its oldest row that counts: one
 * atomic update moves it, after which the older rows are expired for every process. Blocks of expired rows are deleted
 * later, when this process has subtracted them from its counts.
 */
export function createSampleWindow({ db, store, window, referenceOf, clock }: Deps) {
  const partitions = partitionsOf(db);
  const batches = batchesOf(db);

  /** Expires the rows of a partition that the window excludes; returns null if another process changed it meanwhile. */
  async function expire(partition: Partition): Promise<Partition | null> {
    if (window === null || partition.set === 'reference') return partition;
    const moved = await findStart(partition, window);
    if (!moved) return null;
    const expired = partition.rows - moved.rows;
    if (expired === 0) return partition;
    const { firstBatch, skippedRows } = moved;
    const before = { firstBatch: partition.firstBatch, skippedRows: partition.skippedRows };
    const { matchedCount } = await partitions.updateOne(
      { _id: partition._id, ...before },
      { $set: { firstBatch, skippedRows }, $inc: { rows: -expired } },
    );
    return matchedCount === 1 ? moved : null;
  }

  /** Returns the partition with only the rows in the window; null if some of its blocks are deleted. */
  async function findStart(partition: Partition, general: CurrentWindow): Promise<Partition | null> {
    const { rows, ms } = namedValue(general.stages ?? {}, partition.stage) ?? general;
    let excess = rows === null ? 0 : Math.max(0, partition.rows - rows);
    const oldest = ms === null ? Number.NEGATIVE_INFINITY : clock.now().getTime() - ms;
    if (ms === null && excess === 0) return partition;
    let start = partition;
    const cursor = batches.find(
      { partition: partition._id, n: { $gte: partition.firstBatch, $lte: partition.batches } },
      { projection: { n: 1, rows: 1 }, sort: { n: 1 }, batchSize: readAhead(partition) },
    );
    for await (const block of cursor) {
      if (block.n !== start.firstBatch) return null;
      const live = block.rows - start.skippedRows;
      const isOld = block._id.getTimestamp().getTime() < oldest;
      const expired = isOld ? live : Math.min(excess, live);
      if (expired < live) {
        return {
          ...start,
          skippedRows: start.skippedRows + expired,
          rows: start.rows - expired,
        };
      }
      excess = Math.max(0, excess - expired);
      start = { ...start, firstBatch: block.n + 1, skippedRows: 0, rows: start.rows - expired };
    }
    return start;
  }

  return {
    /** True if current rows expire. */
    slides: window !== null,

    /** Lists the partitions that have rows, after it has expired the rows that the window excludes. */
    async partitions(): Promise<Partition[]> {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
        const states = await Promise.all((await store.list()).map(expire));
        const unchanged = states.filter((state) => state !== null);
        if (unchanged.length === states.length) return unchanged.filter(({ rows }) => rows > 0);
      }
      throw new SamplesChangedError();
    },

    /**
     * Drops the features of a partition that only expired rows have, unless rows were added after the counts.
     * @param counted number of the last block counted, and the features of the rows that count
     */
    async dropFeatures({ _id, set, features }: Partition, counted: CountedFeatures): Promise<void> {
      if (window === null || set === 'reference' || counted.features.size >= features.length) return;
      await partitions.updateOne(
        { _id, batches: counted.batches },
        { $set: { features: [...counted.features.keys()] } },
      );
    },

    /** Deletes the blocks whose rows are all expired, unless a reference can include them. */
    async deleteExpired(): Promise<void> {
      for await (const { _id, stage, firstBatch } of partitions.find({ firstBatch: { $gt: 1 } })) {
        const expired = { partition: _id, n: { $lt: firstBatch } };
        const keptMs = Math.max(...[stage, null].map((of) => REFERENCE_REACH_MS[referenceOf(of)]));
        if (keptMs === 0) {
          await batches.deleteMany(expired);
          continue;
        }
        const oldest = await batches.findOne({ partition: _id, n: firstBatch }, { projection: { _id: 1 } });
        const windowStart = oldest?._id.getTimestamp().getTime() ?? clock.now().getTime();
        await batches.deleteMany({ ...expired, _id: { $lt: receivedAt(windowStart - keptMs) } });
      }
    },
  };
}

export type SampleWindow = ReturnType<typeof createSampleWindow>;
