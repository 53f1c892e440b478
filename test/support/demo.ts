import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testMongod } from './mongo.ts';
import { sharedDataDir, startProcess } from './process.ts';

/** The whole service as `npm start` shows it to a new user: its own database, its sidecar, the demo's data. */
export interface Demo extends AsyncDisposable {
  url: string;
  customerId: number;
  keys: { read: string; write: string; admin: string };
}

/** Starts it in embedded mode in a directory of its own, as a process of its own. */
export async function startDemo(env: Record<string, string> = {}): Promise<Demo> {
  await using stack = new AsyncDisposableStack();
  const { path: dataDir } = stack.use(await sharedDataDir());
  const { path: MONGOD_BINARY } = await testMongod();
  const service = await startProcess(dataDir, { mongodbUri: '', env: { MONGOD_BINARY, ...env } });
  stack.defer(() => service.end('SIGTERM').then(() => {}));
  const lines = (await readFile(join(dataDir, 'demo.env'), 'utf8')).trim().split('\n');
  const made = new Map(lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
  const value = (name: string): string => made.get(name) ?? '';
  const started = stack.move();
  return {
    url: service.url,
    customerId: Number(value('CUSTOMER_ID')),
    keys: { read: value('READ_KEY'), write: value('WRITE_KEY'), admin: value('ADMIN_KEY') },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
