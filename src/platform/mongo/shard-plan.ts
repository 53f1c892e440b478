import { type Connection, mongo } from 'mongoose';
import { indexNameOf } from './create-indexes.ts';

/** Fields, all ascending, that a cluster distributes a collection by. */
export type ShardKey = Readonly<Record<string, 1>>;

/** An index as the database or a schema describes it. */
export interface IndexDescription {
  name?: string | undefined;
  key: Readonly<Record<string, unknown>>;
  unique?: boolean | undefined;
  partialFilterExpression?: unknown;
}

/** A collection to distribute over the shards. */
export interface ShardedCollection {
  collection: string;
  key: ShardKey;
  /** Indexes that the service creates. */
  indexes: IndexDescription[];
}

/** The state of a database that a plan depends on. */
export interface ClusterState {
  topology: 'replica set' | 'sharded cluster';
  /** True if sharding is enabled for the database. */
  enabled: boolean;
  /** Shard key of each sharded collection. */
  keys: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** Indexes of each existing collection. */
  indexes: ReadonlyMap<string, IndexDescription[]>;
}

/** A command that an operator, or `--apply`, runs. */
export interface ShardStep {
  action: 'enable sharding' | 'drop index' | 'create index' | 'shard collection';
  /** Null for a step that concerns the whole database. */
  collection: string | null;
  /** `conflict`: the collection is sharded by another key, which only the operator can change. */
  state: 'pending' | 'done' | 'conflict';
  /** Database to run the command on. */
  database: string;
  command: Readonly<Record<string, unknown>>;
  /** Reason for an index change or a conflict. */
  note: string | null;
}

const sameKey = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Returns true if an index begins with all fields of the shard key, as every unique one must. */
export const beginsWith = ({ key }: IndexDescription, shardKey: ShardKey): boolean => {
  const length = Object.keys(shardKey).length;
  return sameKey(Object.entries(key).slice(0, length), Object.entries(shardKey));
};

const isIdIndex = ({ key }: IndexDescription): boolean => sameKey(key, { _id: 1 });

/** Returns true if the cluster can find the documents of a chunk by the index. */
const supports = (index: IndexDescription, shardKey: ShardKey): boolean =>
  beginsWith(index, shardKey) && index.partialFilterExpression === undefined;

/**
 * Returns the steps that shard the collections of a database, in the order in which they must run. Steps that the
 * database no longer needs are `done`.
 *
 * @param state null if no database is connected: all steps are pending
 */
export function shardPlan(
  database: string,
  collections: readonly ShardedCollection[],
  state: ClusterState | null,
): ShardStep[] {
  const enabling: ShardStep = {
    action: 'enable sharding',
    collection: null,
    state: state?.enabled ? 'done' : 'pending',
    database: 'admin',
    command: { enableSharding: database },
    note: null,
  };
  return [
    enabling,
    ...collections.flatMap((sharded) => indexSteps(database, sharded, state)),
    ...collections.map((sharded) => shardingStep(database, sharded, state)),
  ];
}

function indexSteps(
  database: string,
  { collection, key, indexes }: ShardedCollection,
  state: ClusterState | null,
): ShardStep[] {
  const existing = state?.indexes.get(collection) ?? [];
  const obstacles = existing.filter((index) => index.unique && !isIdIndex(index) && !beginsWith(index, key));
  const drops = obstacles.map(
    (index): ShardStep => ({
      action: 'drop index',
      collection,
      state: 'pending',
      database,
      command: { dropIndexes: collection, index: index.name },
      note: 'Of an earlier version: a unique index must begin with the shard key.',
    }),
  );
  const isDeclared = isIdIndex({ key }) || indexes.some((index) => supports(index, key));
  if (isDeclared) return drops;
  return [
    ...drops,
    {
      action: 'create index',
      collection,
      state: existing.some((index) => supports(index, key)) ? 'done' : 'pending',
      database,
      command: { createIndexes: collection, indexes: [{ key, name: indexNameOf(key) }] },
      note: 'Only a cluster needs it, so the service does not create it.',
    },
  ];
}

function shardingStep(
  database: string,
  { collection, key }: ShardedCollection,
  state: ClusterState | null,
): ShardStep {
  const current = state?.keys.get(collection);
  const isConflict = current !== undefined && !sameKey(current, key);
  return {
    action: 'shard collection',
    collection,
    state: current === undefined ? 'pending' : isConflict ? 'conflict' : 'done',
    database: 'admin',
    // Not `unique`: ObjectIds, and ids that begin with their owner, are unique without an index over all shards.
    command: { shardCollection: `${database}.${collection}`, key, unique: false },
    note: isConflict
      ? `Is sharded by ${JSON.stringify(current)}; change it with the command reshardCollection.`
      : null,
  };
}

/** Server error code for the indexes of a collection that does not exist. */
const NAMESPACE_NOT_FOUND = 26;

/** Reads the state that a sharding plan depends on. */
export async function readClusterState(
  connection: Connection,
  collections: readonly ShardedCollection[],
): Promise<ClusterState> {
  const client = connection.getClient();
  const db = client.db(connection.name);
  const indexesOf = async (collection: string): Promise<IndexDescription[]> => {
    try {
      return (await db.collection(collection).indexes()) as IndexDescription[];
    } catch (error) {
      if (error instanceof mongo.MongoServerError && error.code === NAMESPACE_NOT_FOUND) return [];
      throw error;
    }
  };
  const indexes = new Map<string, IndexDescription[]>();
  for (const { collection } of collections) indexes.set(collection, await indexesOf(collection));
  const hello = await client.db('admin').command({ hello: 1 });
  if (hello.msg !== 'isdbgrid') return { topology: 'replica set', enabled: false, keys: new Map(), indexes };
  const config = client.db('config');
  const known = await config.collection<{ _id: string }>('databases').findOne({ _id: connection.name });
  const namespaces = collections.map(({ collection }) => `${connection.name}.${collection}`);
  const sharded = await config
    .collection<{ _id: string; key: Record<string, unknown> }>('collections')
    // MongoDB 8.0 also lists unsharded collections that are not on the primary shard, as `unsplittable`.
    .find({ _id: { $in: namespaces }, dropped: { $ne: true }, unsplittable: { $ne: true } })
    .toArray();
  const keys = new Map(sharded.map(({ _id, key }) => [_id.slice(connection.name.length + 1), key]));
  return { topology: 'sharded cluster', enabled: known !== null, keys, indexes };
}

/** Runs the pending steps in order; stops at the first error. */
export async function runSteps(connection: Connection, steps: readonly ShardStep[]): Promise<void> {
  const client = connection.getClient();
  for (const { state, database, command } of steps)
    if (state === 'pending') await client.db(database).command({ ...command });
}
