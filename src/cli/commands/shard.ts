import { AppError } from '../../errors/app-error.ts';
import type { ClusterState, ShardStep } from '../../platform/mongo/shard-plan.ts';
import { newCommand } from '../command.ts';
import { commandConfig, withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { UsageError } from '../output/command-failure.ts';
import { print, table } from '../output/text-output.ts';

interface Options {
  plan?: boolean;
  apply?: boolean;
  json: boolean;
}

/** Database name in a plan without a connection. */
const DEFAULT_DATABASE = 'engagement';

/** Decisions left to the operator, each with an example. */
const hints = (database: string): string[] => [
  `Before a bulk load, split by customer: sh.splitAt("${database}.conversations", { customerId: 1000, _id: MinKey() }); the balancer does the same later, chunk by chunk.`,
  `To keep a customer's data on one shard or in one region, use a zone: sh.addShardToZone("shard2", "large"); sh.updateZoneKeyRange("${database}.conversations", { customerId: 7, _id: MinKey() }, { customerId: 8, _id: MinKey() }, "large").`,
  'Start every shard with --setParameter periodicNoopIntervalSecs=1: change streams wait for the shard that wrote last.',
];

const notSharded = (state: ClusterState | null): AppError =>
  new AppError(
    'NOT_CONFIGURED',
    state === null
      ? 'MONGODB_URI is not set: the embedded database cannot be sharded. Set MONGODB_URI to the mongos of a sharded cluster.'
      : 'MONGODB_URI names a replica set, which cannot shard collections. Add it to a cluster as a shard and set MONGODB_URI to a mongos (docs/scale.md).',
  );

const refuseConflicts = (steps: readonly ShardStep[]): void => {
  const conflicts = steps.filter(({ state }) => state === 'conflict');
  if (conflicts.length === 0) return;
  const details = conflicts.map(({ collection, note }) => ({ path: collection ?? '', message: note ?? '' }));
  throw new AppError('CONFLICT', 'Collections are sharded by other keys; nothing was changed.', { details });
};

const line = ({ database, command }: ShardStep): string =>
  database === 'admin'
    ? `db.adminCommand(${JSON.stringify(command)})`
    : `db.getSiblingDB(${JSON.stringify(database)}).runCommand(${JSON.stringify(command)})`;

async function execute(apply: boolean) {
  const [{ UNSHARDED, shardedCollections }, { readClusterState, runSteps, shardPlan }] = await Promise.all([
    import('../../database/sharding.ts'),
    import('../../platform/mongo/shard-plan.ts'),
  ]);
  const { connectMongo } = await import('../../platform/mongo/connect.ts');
  const { mongodbUri } = commandConfig();
  const collections = shardedCollections();
  const unsharded = Object.entries(UNSHARDED).map(([collection, reason]) => ({ collection, reason }));
  const resultOf = (database: string, state: ClusterState | null) => ({
    database,
    topology: state?.topology ?? null,
    steps: shardPlan(database, collections, state),
    unsharded,
    hints: hints(database),
  });

  if (mongodbUri === null) {
    if (apply) throw notSharded(null);
    return resultOf(DEFAULT_DATABASE, null);
  }
  const connection = await connectMongo(mongodbUri);
  try {
    const state = await readClusterState(connection, collections);
    if (!apply) return resultOf(connection.name, state);
    if (state.topology !== 'sharded cluster') throw notSharded(state);
    refuseConflicts(shardPlan(connection.name, collections, state));
    // The backend creates collections and indexes first: sharding a collection that has documents requires an index.
    return await withBackend(async ({ services }) => {
      const before = await readClusterState(connection, collections);
      const plan = shardPlan(connection.name, collections, before);
      const pending = plan.filter((step) => step.state === 'pending').map(line);
      const act = {
        ...{ customerId: null, action: 'shardDatabase', target: { type: 'database', id: connection.name } },
        describe: () => ({ commands: pending }),
      };
      if (pending.length > 0) await performed(services, act, () => runSteps(connection, plan));
      return resultOf(connection.name, await readClusterState(connection, collections));
    });
  } finally {
    await connection.close();
  }
}

/** `shard`: prints or runs the commands that shard the database. */
export const shard = () =>
  newCommand('shard', 'print (--plan) or run (--apply) the commands that shard the database')
    .option(
      '--plan',
      'print the commands; with MONGODB_URI, compare with that database (required unless --apply)',
    )
    .option(
      '--apply',
      'run the commands that are pending; requires a mongos at MONGODB_URI (required unless --plan)',
    )
    .action(async ({ plan = false, apply = false, json }: Options) => {
      if (plan === apply) throw new UsageError('Use either --plan or --apply.');
      const result = await execute(apply);
      const rows = result.steps.map((step) => [step.state, line(step), step.note ?? '']);
      const text = [
        `Database ${result.database}: ${result.topology ?? 'not connected'}.`,
        table(['State', 'Command (mongosh, on a mongos)', ''], rows),
        `Not sharded:\n${table(
          ['Collection', 'Reason'],
          result.unsharded.map(({ collection, reason }) => [collection, reason]),
        )}`,
        ...(apply ? [] : result.hints),
      ].join('\n\n');
      print({ json, result, text });
    });
