import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { MAIN, sharedDataDir } from '../support/process.ts';
import { childEnvironment } from '../support/sharding/child-environment.ts';

/** Starts the service on a database that accepts connections and never responds. */
async function startWithoutResponse(env: Record<string, string>): Promise<ChildProcess> {
  const dataDir = await sharedDataDir();
  const database = createServer().listen(0, '127.0.0.1');
  await once(database, 'listening');
  const connected = once(database, 'connection');
  const { port } = database.address() as AddressInfo;
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      ...childEnvironment(),
      PORT: '0',
      DATA_DIR: dataDir.path,
      MONGODB_URI: `mongodb://127.0.0.1:${port}/engagement?replicaSet=rs&serverSelectionTimeoutMS=300000`,
      ...env,
    },
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    database.close();
    await dataDir[Symbol.asyncDispose]();
  });
  await connected;
  return child;
}

test.each(['1', '2'])(
  'SIGTERM during the start ends the service within the time limit, with WORKERS=%s',
  async (workers) => {
    const child = await startWithoutResponse({ WORKERS: workers });
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  },
);
