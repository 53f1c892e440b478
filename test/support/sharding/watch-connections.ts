import { appendFileSync } from 'node:fs';
import type { Connection, Mongoose, mongo } from 'mongoose';
import { shardedCollections } from '../../../src/database/sharding.ts';
import { REPORT_VARIABLE } from './report-variable.ts';
import { type ShardKeys, untargetedStatements } from './shard-key-check.ts';
import { isException } from './untargeted-commands.ts';

/** Deep enough to contain the code that opened a connection, or the store that sent a command. */
const STACK_FRAMES = 60;

function stackFrames(): string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = STACK_FRAMES;
  const frames = (new Error().stack ?? '').split('\n').slice(1);
  Error.stackTraceLimit = stackTraceLimit;
  return frames.map((frame) => frame.trim()).filter((frame) => !frame.includes('/node_modules/'));
}

let keys: ShardKeys | undefined;
/** Each process reports a statement once: the same one can be sent thousands of times. */
const reported = new Set<string>();

function shardKeys(): ShardKeys {
  keys ??= new Map(shardedCollections().map(({ collection, key }) => [collection, Object.keys(key)]));
  return keys;
}

function check({ commandName, command }: mongo.CommandStartedEvent): void {
  const report = process.env[REPORT_VARIABLE];
  if (!report) return;
  for (const statement of untargetedStatements(commandName, command, shardKeys())) {
    const shape = JSON.stringify(statement);
    if (reported.has(shape) || isException(statement)) continue;
    reported.add(shape);
    const service = stackFrames().filter((frame) => frame.includes('/src/'));
    appendFileSync(report, `${JSON.stringify({ ...statement, from: service.slice(0, 3) })}\n`);
  }
}

const watched = new WeakSet<Mongoose>();

/**
 * Watches the commands of every connection that the service opens from now on. Connections that a test opens for itself
 * do not come from the composition root, and are not watched.
 */
export function watchConnections(mongoose: Mongoose): void {
  // Test files of one worker share the module.
  if (watched.has(mongoose)) return;
  watched.add(mongoose);
  const createConnection = mongoose.createConnection.bind(mongoose) as (...args: unknown[]) => Connection;
  mongoose.createConnection = ((...args: unknown[]) => {
    const isOfService = stackFrames().some((frame) => frame.includes('/src/runtime/compose.ts'));
    if (args.length === 0 || !isOfService) return createConnection(...args);
    const [uri, options] = args as [string, mongo.MongoClientOptions];
    const connection = createConnection(uri, { ...options, monitorCommands: true });
    connection.once('connected', () => connection.getClient().on('commandStarted', check));
    return connection;
  }) as typeof mongoose.createConnection;
}
