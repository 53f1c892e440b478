import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/platform/embedded/start.ts';
import { startCommand } from './command.ts';
import { temporaryDir } from './embedded.ts';
import { testMongod } from './mongo.ts';

/** The whole service as `npm start` shows it to a new user: its own database, its sidecar, the demo's data. */
export interface Demo extends AsyncDisposable {
  url: string;
  customerId: number;
  keys: { read: string; write: string; admin: string };
}

/** How long a start may take on a busy machine. Milliseconds. */
const START_MS = 60_000;

/** Starts it in embedded mode in a directory of its own, as a process of its own. */
export async function startDemo(env: Record<string, string> = {}): Promise<Demo> {
  const dir = await temporaryDir();
  const { path: MONGOD_BINARY } = await testMongod();
  const url = `http://127.0.0.1:${await freePort()}`;
  const service = startCommand(['serve'], {
    HOST: '127.0.0.1',
    PORT: new URL(url).port,
    DATA_DIR: dir.path,
    LOG_LEVEL: 'error',
    MONGOD_BINARY,
    ...env,
  });
  const end = async (): Promise<void> => {
    await service.interrupt();
    await dir[Symbol.asyncDispose]();
  };
  const deadline = Date.now() + START_MS;
  while (!(await isUp(url))) {
    if (service.process.exitCode !== null || Date.now() > deadline) {
      await end();
      throw new Error(`the demo did not start: ${(await service.ended).stderr}`);
    }
    await sleep(100);
  }
  const lines = (await readFile(join(dir.path, 'demo.env'), 'utf8')).trim().split('\n');
  const made = new Map(lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
  const value = (name: string): string => made.get(name) ?? '';
  return {
    url,
    customerId: Number(value('CUSTOMER_ID')),
    keys: { read: value('READ_KEY'), write: value('WRITE_KEY'), admin: value('ADMIN_KEY') },
    [Symbol.asyncDispose]: end,
  };
}

const isUp = (url: string): Promise<boolean> =>
  fetch(`${url}/api/health`).then(
    ({ status }) => status === 200,
    () => false,
  );
