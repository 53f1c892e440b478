import { mongo } from 'mongoose';

/** Commands that a request causes; heartbeats, replication and the commands of this bench are others. */
const COUNTED = [
  'abortTransaction',
  'aggregate',
  'bulkWrite',
  'commitTransaction',
  'count',
  'delete',
  'distinct',
  'find',
  'findAndModify',
  'insert',
  'update',
];

interface ServerStatus {
  metrics: { commands: Record<string, { total: number | mongo.Long }> };
}

/** Counts the commands that the database has executed for all of its clients. */
export interface CommandCounter extends AsyncDisposable {
  total(): Promise<number>;
}

export async function countCommands(uri: string): Promise<CommandCounter> {
  const client = await new mongo.MongoClient(uri).connect();
  return {
    async total() {
      const { metrics } = (await client.db('admin').command({ serverStatus: 1 })) as unknown as ServerStatus;
      return COUNTED.reduce((sum, name) => sum + Number(metrics.commands[name]?.total ?? 0), 0);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
