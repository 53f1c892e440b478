import { appendFileSync } from 'node:fs';
import type { mongo } from 'mongoose';
import { untargetedStatements } from './shard-key-check.ts';
import { isException } from './untargeted-commands.ts';
import { readWatch } from './watch-variable.ts';

/** Deep enough to contain the code that opened a connection, or the store that sent a command. */
const STACK_FRAMES = 60;

function stackFrames(): string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = STACK_FRAMES;
  const frames = (new Error().stack ?? '').split('\n').slice(1);
  Error.stackTraceLimit = stackTraceLimit;
  return frames.map((frame) => frame.trim()).filter((frame) => !frame.includes('/node_modules/'));
}

/** Each process reports a statement once: the same one can be sent thousands of times. */
const reported = new Set<string>();

function check({ commandName, command }: mongo.CommandStartedEvent): void {
  const watch = readWatch();
  if (!watch) return;
  for (const statement of untargetedStatements(commandName, command, watch.keys)) {
    const shape = JSON.stringify(statement);
    if (reported.has(shape) || isException(statement)) continue;
    reported.add(shape);
    const service = stackFrames().filter((frame) => frame.includes('/src/'));
    appendFileSync(watch.report, `${JSON.stringify({ ...statement, from: service.slice(0, 3) })}\n`);
  }
}

/** Exports of the driver's module `mongo_client.js`, from which everything takes the class. */
export interface DriverExports {
  MongoClient: typeof mongo.MongoClient;
}

const watched = new WeakSet<DriverExports>();

/**
 * Watches the commands of every client that the service makes from now on. Those that a test makes for itself do not come
 * from `openPlatform`, and are not watched.
 */
export function watchClients(driver: DriverExports): void {
  // Test files of one worker share the module.
  if (watched.has(driver)) return;
  watched.add(driver);
  driver.MongoClient = class MongoClient extends driver.MongoClient {
    constructor(uri: string, options?: mongo.MongoClientOptions) {
      const isOfService = stackFrames().some((frame) => frame.includes('/src/runtime/open-platform.ts'));
      super(uri, isOfService ? { ...options, monitorCommands: true } : options);
      if (isOfService) this.on('commandStarted', check);
    }
  };
}
