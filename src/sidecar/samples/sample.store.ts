import mongoose from 'mongoose';
import { duplicateKeyOf } from '../../platform/mongo/duplicate-key.ts';
import type { ModelDb } from '../model-db.ts';
import type { EncodedRows } from './encode-rows.ts';
import { releaseBlock } from './release-block.ts';
import type { Block, SampleSet } from './samples.types.ts';
import { fieldOf, fromStored, type StoredBlock, toStored } from './stored-block.ts';

type ObjectId = mongoose.Types.ObjectId;

/** The samples of one set and stage. Removal deletes the partition; samples added later form a new one. */
export interface Partition {
  _id: ObjectId;
  set: SampleSet;
  /** Null for samples without a stage, which only count in checks of all samples. */
  stage: string | null;
  /** Number of blocks added; blocks are numbered from 1. */
  batches: number;
  /** Number of the oldest block with rows that count; older blocks are expired. */
  firstBatch: number;
  /** Number of expired rows at the beginning of that block. */
  skippedRows: number;
  /** Number of rows that count. */
  rows: number;
  features: string[];
  /** Present once a row with an id was added. */
  hasIds?: true;
}

/** The rows of one request; immutable. */
interface BatchDoc extends StoredBlock {
  /** Contains the time when the rows were received. */
  _id: ObjectId;
  partition: ObjectId;
  n: number;
  /** Latest time of its rows; absent unless each has one. */
  newestAt?: Date;
}

/** Reports that samples were removed while they were read, so the result would be inconsistent. */
export class SamplesChangedError extends Error {}

/** A block and its number in its partition. */
export interface NumberedBlock {
  n: number;
  block: Block;
}

/** Number of rows that the driver fetches at a time. */
const ROWS_READ_AHEAD = 10_000;

/** Position of the first row of a partition. */
const ALL_ROWS = { firstBatch: 1, skippedRows: 0 };

const isDuplicate = (error: unknown): boolean => duplicateKeyOf(error) !== null;

export const partitionsOf = (db: ModelDb) => db.collection<Partition>('partitions');
export const batchesOf = (db: ModelDb) => db.collection<BatchDoc>('batches');

/** Returns the number of blocks of a partition to fetch at a time. */
export const readAhead = ({ batches, firstBatch, rows }: Partition): number =>
  Math.max(2, Math.ceil((ROWS_READ_AHEAD * (batches - firstBatch + 1)) / Math.max(1, rows)));

interface BlocksOptions {
  /** Number of the first block. */
  from: number;
  /** Number of the last block; the last block of the partition by default. */
  to?: number;
  /** Columns to read; all by default. */
  features?: readonly string[] | undefined;
}

/** Creates the store of the raw samples. */
export function sampleStore(db: ModelDb) {
  const partitions = partitionsOf(db);
  const batches = batchesOf(db);

  /** Returns the partition of a set and stage, which it creates if there is none. */
  async function partitionOf(set: SampleSet, stage: string | null): Promise<ObjectId> {
    const empty = { batches: 0, ...ALL_ROWS, rows: 0, features: [] };
    const found = await partitions.findOneAndUpdate(
      { set, stage },
      { $setOnInsert: empty },
      { upsert: true, returnDocument: 'after', projection: { _id: 1 } },
    );
    if (!found) throw new Error('The upsert returned no document.');
    return found._id;
  }

  const transaction = <T>(work: (session: mongoose.mongo.ClientSession) => Promise<T>): Promise<T> =>
    db.client.withSession((session) => session.withTransaction(() => work(session)));

  return {
    /** Creates the indexes, and deletes the batches that an interrupted `remove` left behind. */
    async prepare(): Promise<void> {
      await partitions.createIndex({ set: 1, stage: 1 }, { unique: true });
      await batches.createIndex({ partition: 1, n: 1 }, { unique: true });
      // Earlier versions had no sliding window.
      await partitions.updateMany({ firstBatch: { $exists: false } }, { $set: ALL_ROWS });
      // In this order: a batch is inserted with its partition, so one without a partition in the later read is orphaned.
      const used = await batches.distinct('partition');
      const alive = await partitions.distinct('_id');
      const orphans = used.filter((id) => !alive.some((other) => other.equals(id)));
      if (orphans.length > 0) await batches.deleteMany({ partition: { $in: orphans } });
    },

    /** Lists the partitions that have rows. */
    list: (): Promise<Partition[]> => partitions.find({ rows: { $gt: 0 } }, { sort: { _id: 1 } }).toArray(),

    /** Adds rows in one transaction and returns the updated partition. */
    async add(set: SampleSet, stage: string | null, encoded: EncodedRows): Promise<Partition> {
      const { rows, columns } = encoded.block;
      const stored = toStored(encoded);
      // NaN if a row has no time.
      const newestMs = encoded.times?.reduce((newest, time) => Math.max(newest, time)) ?? Number.NaN;
      const newest = Number.isNaN(newestMs) ? {} : { newestAt: new Date(newestMs) };
      for (;;) {
        const _id = await partitionOf(set, stage).catch((error: unknown) => {
          if (isDuplicate(error)) return partitionOf(set, stage); // a concurrent upsert created it
          throw error;
        });
        const partition = await transaction(async (session) => {
          const updated = await partitions.findOneAndUpdate(
            { _id },
            {
              $inc: { batches: 1, rows },
              $addToSet: { features: { $each: [...columns.keys()] } },
              ...(encoded.ids ? { $set: { hasIds: true as const } } : {}),
            },
            { session, returnDocument: 'after' },
          );
          if (updated)
            await batches.insertOne(
              {
                _id: new mongoose.Types.ObjectId(),
                partition: _id,
                n: updated.batches,
                ...stored,
                ...newest,
              },
              { session },
            );
          return updated;
        });
        if (partition) return partition; // otherwise it was removed concurrently
      }
    },

    /** Removes the samples of a set, or of one stage of it, and returns the number of rows. */
    async remove(set: SampleSet, stage: string | undefined): Promise<number> {
      const filter = stage === undefined ? { set } : { set, stage };
      const removed = await transaction(async (session) => {
        const found = await partitions.find(filter, { session }).toArray();
        await partitions.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } }, { session });
        return found;
      });
      // Outside the transaction: batches without a partition are never read.
      await batches.deleteMany({ partition: { $in: removed.map(({ _id }) => _id) } });
      return removed.reduce((sum, { rows }) => sum + rows, 0);
    },

    /**
     * Yields blocks of a partition in order; fewer if the samples are removed meanwhile. Frees each block when the next
     * one is requested.
     */
    async *blocks(
      partition: Partition,
      { from, to = partition.batches, features }: BlocksOptions,
    ): AsyncGenerator<NumberedBlock> {
      const columns = features?.map((name) => [`columns.${fieldOf(name)}`, 1]) ?? [['columns', 1]];
      const cursor = batches.find(
        { partition: partition._id, n: { $gte: from, $lte: to } },
        {
          projection: { _id: 0, n: 1, rows: 1, ...Object.fromEntries(columns) },
          sort: { n: 1 },
          batchSize: readAhead(partition),
        },
      );
      for await (const { n, rows, columns: stored = {} } of cursor) {
        const block = fromStored({ rows, columns: stored });
        yield { n, block };
        releaseBlock(block);
      }
    },
  };
}

export type SampleStore = ReturnType<typeof sampleStore>;
