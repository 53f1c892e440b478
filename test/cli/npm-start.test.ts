import { once } from 'node:events';
import { expect, test } from 'vitest';
import { freshDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { spawnNpmStart } from '../support/npm-start.ts';
import { sharedDataDir } from '../support/process.ts';

/** Starts are slow while other tests keep the cores busy. */
const START_TIMEOUT_MS = 60_000;

/** Starts the service by npm, and ends its process group afterwards, also if the test fails. */
async function startByNpm() {
  const dataDir = await sharedDataDir();
  const { npm, url, signalGroup } = await spawnNpmStart({
    PATH: process.env.PATH,
    MONGODB_URI: freshDatabase(),
    DATA_DIR: dataDir.path,
  });
  const exited = once(npm, 'exit') as Promise<[code: number | null, signal: string | null]>;
  const isUp = () => fetch(`${url}/api/health`).then(Boolean, () => false);
  const pid = npm.pid ?? 0;
  return {
    pid,
    exited,
    isUp,
    async [Symbol.asyncDispose]() {
      signalGroup('SIGKILL');
      await dataDir[Symbol.asyncDispose]();
    },
  };
}

test('SIGTERM to npm start ends the service, which npm would otherwise leave behind', async () => {
  await using npm = await startByNpm();
  await eventually(npm.isUp, START_TIMEOUT_MS);
  process.kill(npm.pid, 'SIGTERM');
  await npm.exited;
  await eventually(async () => !(await npm.isUp()), 15_000);
  expect(await npm.isUp()).toBe(false);
});

test('Ctrl-C ends the service in order, although it gets the signal from the terminal and from npm', async () => {
  await using npm = await startByNpm();
  await eventually(npm.isUp, START_TIMEOUT_MS);
  process.kill(-npm.pid, 'SIGINT');
  expect(await npm.exited).toEqual([0, null]);
  expect(await npm.isUp()).toBe(false);
});
