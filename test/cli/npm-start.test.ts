import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../src/platform/embedded/free-port.ts';
import { freshDatabase } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { sharedDataDir } from '../support/process.ts';

const ROOT = resolve(import.meta.dirname, '../..');

test('SIGTERM to npm start ends the service, which npm would otherwise leave behind', async () => {
  await using dataDir = await sharedDataDir();
  const url = `http://127.0.0.1:${await freePort()}`;
  // A process group of its own, so that no process is left behind if the test fails.
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    detached: true,
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: new URL(url).port,
      MONGODB_URI: freshDatabase(),
      DATA_DIR: dataDir.path,
    },
  });
  const isUp = () => fetch(`${url}/api/health`).then(Boolean, () => false);
  try {
    await eventually(isUp, 30_000);
    const exited = once(npm, 'exit');
    npm.kill('SIGTERM');
    await exited;
    await eventually(async () => !(await isUp()), 15_000);
    expect(await isUp()).toBe(false);
  } finally {
    try {
      if (npm.pid) process.kill(-npm.pid, 'SIGKILL');
    } catch {
      // The group has ended.
    }
  }
}, 60_000);
