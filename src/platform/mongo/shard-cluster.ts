import { type Connection, mongo } from 'mongoose';
import type { ClusterState, IndexDescription, ShardedCollection, ShardStep } from './shard-plan.ts';

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
