import mongoose from 'mongoose';
import type { EncodedRows } from './encode-rows.ts';
import { releaseBlock } from './release-block.ts';
import type { Block, SampleSet } from './samples.types.ts';
import { fieldOf, fromStored, type StoredBlock, toStored } from './stored-block.ts';

type ObjectId = mongoose.Types.ObjectId;

/** The samples of one set and stage. Emptied and filled again, it is another one with another id. */
export interface Partition {
  _id: ObjectId;
  set: SampleSet;
  /** Null: samples of no stage, which count in overall checks alone. */
  stage: string | null;
  /** Blocks added so far; they are numbered from 1. */
  batches: number;
  rows: number;
  features: string[];
}

/** The rows of one request, never changed. */
interface BatchDoc extends StoredBlock {
  partition: ObjectId;
  n: number;
}

/** A block and its number in its partition. */
export interface NumberedBlock {
  n: number;
  block: Block;
}

/** Rows that the driver holds at a time while many blocks are read. */
const ROWS_READ_AHEAD = 10_000;
const DUPLICATE_KEY = 11_000;

const isDuplicate = (error: unknown): boolean =>
  error instanceof mongoose.mongo.MongoServerError && error.code === DUPLICATE_KEY;

/** The raw samples in MongoDB. */
export function sampleStore(db: mongoose.mongo.Db) {
  const partitions = db.collection<Partition>('partitions');
  const batches = db.collection<BatchDoc>('batches');

  /** The partition of a set and stage, made when there is none. */
  async function partitionOf(set: SampleSet, stage: string | null): Promise<ObjectId> {
    const empty = { batches: 0, rows: 0, features: [] };
    const found = await partitions.findOneAndUpdate(
      { set, stage },
      { $setOnInsert: empty },
      { upsert: true, returnDocument: 'after', projection: { _id: 1 } },
    );
    if (!found) throw new Error('An upsert gave no document.');
    return found._id;
  }

  const transaction = <T>(work: (session: mongoose.mongo.ClientSession) => Promise<T>): Promise<T> =>
    db.client.withSession((session) => session.withTransaction(() => work(session)));

  return {
    /** Makes the indexes, and removes what a `remove` that was cut off has left. */
    async prepare(): Promise<void> {
      await partitions.createIndex({ set: 1, stage: 1 }, { unique: true });
      await batches.createIndex({ partition: 1, n: 1 }, { unique: true });
      // In this order: a block comes with its partition, so one whose partition is missing afterwards has lost it.
      const used = await batches.distinct('partition');
      const alive = await partitions.distinct('_id');
      const orphans = used.filter((id) => !alive.some((other) => other.equals(id)));
      if (orphans.length > 0) await batches.deleteMany({ partition: { $in: orphans } });
    },

    /** All partitions that hold rows, as of now. */
    list: (): Promise<Partition[]> => partitions.find({ rows: { $gt: 0 } }, { sort: { _id: 1 } }).toArray(),

    /** Adds rows: wholly or, whatever happens, not at all. @returns the partition with them */
    async add(set: SampleSet, stage: string | null, encoded: EncodedRows): Promise<Partition> {
      const { rows, columns } = encoded.block;
      const stored = toStored(encoded);
      for (;;) {
        const _id = await partitionOf(set, stage).catch((error: unknown) => {
          if (isDuplicate(error)) return partitionOf(set, stage); // another process made it this very moment
          throw error;
        });
        const partition = await transaction(async (session) => {
          const updated = await partitions.findOneAndUpdate(
            { _id },
            { $inc: { batches: 1, rows }, $addToSet: { features: { $each: [...columns.keys()] } } },
            { session, returnDocument: 'after' },
          );
          if (updated)
            await batches.insertOne({ partition: _id, n: updated.batches, ...stored }, { session });
          return updated;
        });
        if (partition) return partition; // else it was emptied in between
      }
    },

    /** Empties a set, or one stage of it. @returns how many rows there were */
    async remove(set: SampleSet, stage: string | undefined): Promise<number> {
      const filter = stage === undefined ? { set } : { set, stage };
      const removed = await transaction(async (session) => {
        const found = await partitions.find(filter, { session }).toArray();
        await partitions.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } }, { session });
        return found;
      });
      // Without their partition they do not exist for anybody.
      await batches.deleteMany({ partition: { $in: removed.map(({ _id }) => _id) } });
      return removed.reduce((sum, { rows }) => sum + rows, 0);
    },

    /**
     * Blocks of a partition in their order, from one number on to the last that `partition` knows of. Fewer come when
     * it is emptied meanwhile. Each is gone when the next is asked for.
     * @param features the columns that are wanted; all by default
     */
    async *blocks(
      partition: Partition,
      from: number,
      features?: readonly string[],
    ): AsyncGenerator<NumberedBlock> {
      const columns = features?.map((name) => [`columns.${fieldOf(name)}`, 1]) ?? [['columns', 1]];
      const cursor = batches.find(
        { partition: partition._id, n: { $gte: from, $lte: partition.batches } },
        {
          projection: { _id: 0, n: 1, rows: 1, ...Object.fromEntries(columns) },
          sort: { n: 1 },
          batchSize: Math.max(2, Math.ceil((ROWS_READ_AHEAD * partition.batches) / partition.rows)),
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
