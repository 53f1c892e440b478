import { onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/models.ts';
import { freshDatabase } from './databases.ts';
import {
  engagement,
  engagementOutput,
  type ServiceProcess,
  sharedDataDir,
  spawnProcess,
  startProcess,
} from './process.ts';

/** Creates a database for processes of the service; it and they end with the test. */
export async function createProcessGroup(settings: Record<string, string> = {}) {
  const mongodbUri = freshDatabase();
  const { connection, models } = await openDatabase(mongodbUri);
  const dataDir = await sharedDataDir();
  const processes: ServiceProcess[] = [];
  onTestFinished(async () => {
    await Promise.all(processes.map((process) => process.end('SIGKILL')));
    await connection.close();
    await dataDir[Symbol.asyncDispose]();
  });

  const optionsOf = (env: Record<string, string>) => ({
    mongodbUri,
    env: { DRIFT_CHECK_SCHEDULE: 'off', ...settings, ...env },
  });

  async function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
    const process = await startProcess(dataDir.path, optionsOf(env));
    processes.push(process);
    return process;
  }

  /** Starts a process of the role `worker`, and does not wait for it. */
  async function spawnWorker(): Promise<ServiceProcess> {
    const process = await spawnProcess(dataDir.path, optionsOf({ ROLE: 'worker' }));
    processes.push(process);
    return process;
  }
  /** Runs a command of the operator's command line on the database. */
  const command = <T>(...args: string[]): Promise<T> => engagement<T>(dataDir.path, mongodbUri, ...args);

  /** The same without `--json`; returns what it prints. */
  const printed = (...args: string[]): Promise<string> => engagementOutput(dataDir.path, mongodbUri, ...args);

  return {
    connection,
    models,
    start,
    spawnWorker,
    startMany: (count: number) => Promise.all(Array.from({ length: count }, () => start())),
    command,
    printed,
    /** Creates an API key with these options of `key create`. */
    newKey: async (...options: string[]): Promise<string> =>
      (await command<{ key: string }>('key', 'create', ...options)).key,
  };
}
