import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { demoCurrent, demoReference, SHIFTED_STAGE } from '../../src/demo/drift-samples.ts';
import { runningEmbeddedMongo } from '../../src/runtime/embedded/running-embedded-mongo.ts';
import { sidecarDatabaseName } from '../../src/sidecar/sidecar-database-name.ts';
import { eventually } from '../support/app.ts';
import { startCommand } from '../support/command.ts';
import { withDatabase } from '../support/embedded.ts';
import { testMongod } from '../support/mongo.ts';
import { type ServiceProcess, sharedDataDir, startProcess } from '../support/process.ts';

interface Entry {
  stage: string | null;
  isDrifted: boolean;
}

let binary: string;
beforeAll(async () => {
  binary = (await testMongod()).path;
});

/** `npm start`: no database and no sidecar are configured. */
const start = (dataDir: string): Promise<ServiceProcess> =>
  startProcess(dataDir, { mongodbUri: '', env: { MONGOD_BINARY: binary, DRIFT_CHECK_SCHEDULE: 'off' } });

/** Rows that the sidecar of the running service has. */
async function rowsOf(dataDir: string): Promise<number> {
  const uri = new URL((await runningEmbeddedMongo(dataDir))?.uri ?? '');
  uri.pathname = sidecarDatabaseName(uri.pathname);
  const partitions = await withDatabase(uri.toString(), (db) => db.collection('partitions').find().toArray());
  return partitions.reduce((sum, { rows }) => sum + Number(rows), 0);
}

async function call<T>(
  { url }: ServiceProcess,
  dataDir: string,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const env = await readFile(join(dataDir, 'demo.env'), 'utf8');
  const key = /^ADMIN_KEY=(.*)$/m.exec(env)?.[1];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/${path}`, {
    ...{ method, headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
}

test('the first start loads drift samples, and later starts keep them, even if the first was killed meanwhile', async () => {
  await using dataDir = await sharedDataDir();
  const killed = await start(dataDir.path);
  await eventually(async () => (await rowsOf(dataDir.path)) > 0);
  await killed.end('SIGKILL');

  const all = [...demoReference(), ...demoCurrent()].reduce((sum, { rows }) => sum + rows.length, 0);
  for (const _start of ['second', 'third']) {
    const service = await start(dataDir.path);
    const history = () =>
      call<Entry[]>(service, dataDir.path, 'GET', `drift.getHistory?stage=${SHIFTED_STAGE}`);
    const [latest] = await eventually(async () => {
      const entries = await history();
      return Array.isArray(entries) && entries[0]?.isDrifted ? entries : null;
    });
    expect(latest?.isDrifted).toBe(true);
    const status = await call<{ featureDrifts: object[] }>(service, dataDir.path, 'GET', 'drift.getStatus');
    expect(status.featureDrifts).toHaveLength(10);
    expect(await rowsOf(dataDir.path)).toBe(all);
    const stoppedAt = performance.now();
    expect(await service.end('SIGINT')).toBe(0);
    // Nothing waits for timers that are left over.
    expect(performance.now() - stoppedAt).toBeLessThan(20_000);
  }
});

test('the demo keys are printed on stderr, and are not in the log', async () => {
  await using dataDir = await sharedDataDir();
  const env = { HOST: '127.0.0.1', PORT: '0', DRIFT_CHECK_SCHEDULE: 'off', LOG_LEVEL: 'debug' };
  const service = startCommand(['serve'], { ...env, MONGOD_BINARY: binary, DATA_DIR: dataDir.path });
  await service.printed(/"msg":"listening"/);
  const { stdout, stderr } = await service.interrupt();
  const keys = (await readFile(join(dataDir.path, 'demo.env'), 'utf8')).match(/eg_\w_[\w-]+/g) ?? [];
  expect(keys).toHaveLength(3);
  expect(keys.filter((key) => !stderr.includes(key))).toEqual([]);
  expect(keys.filter((key) => stdout.includes(key))).toEqual([]);
});

test('a start goes on without a demo customer that was suspended or is being deleted', async () => {
  await using dataDir = await sharedDataDir();
  const first = await start(dataDir.path);
  await call(first, dataDir.path, 'POST', 'v1/customers/42/suspend');
  await first.end('SIGTERM');
  const second = await start(dataDir.path);
  const path = 'v1/customers/42/deletion';
  const deletion = await call<{ id: string }>(second, dataDir.path, 'POST', path, { orgId: 'org_42' });
  await second.end('SIGTERM');
  const third = await start(dataDir.path);
  const { id, status } = await call<{ id: string; status: string }>(third, dataDir.path, 'GET', path);
  expect([id, status]).toEqual([deletion.id, 'running']);
  await third.end('SIGTERM');
});

test('the printed address of GraphiQL opens it with the demo keys once, and no other page or log has a key', async () => {
  await using dataDir = await sharedDataDir();
  const environment = {
    DATA_DIR: dataDir.path,
    MONGOD_BINARY: binary,
    DRIFT_CHECK_SCHEDULE: 'off',
    PORT: '0',
  };
  const service = startCommand(['serve'], environment);
  let printed = '';
  service.process.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const address = await eventually(() => /GraphiQL +(\S+)/.exec(printed)?.[1], 60_000);
  const pageAt = async (url: string) => (await fetch(url, { headers: { accept: 'text/html' } })).text();
  expect(await pageAt(address.replace(/\?.*/, ''))).not.toMatch(/eg_[rwa]_/);
  const env = await readFile(join(dataDir.path, 'demo.env'), 'utf8');
  const keys = [...env.matchAll(/_KEY=(\S+)/g)].map(([, key]) => key);
  expect(keys).toHaveLength(3);
  const page = await pageAt(address);
  for (const key of keys) expect(page).toContain(key);
  expect(await pageAt(address)).not.toMatch(/eg_[rwa]_/);
  const { stdout: log } = await service.interrupt();
  expect(log).toContain('"listening"');
  for (const key of keys) expect(log).not.toContain(key);

  // Logs to stderr, where the keys are printed otherwise.
  const toStderr = startCommand(['serve', '--json'], environment);
  let lines = '';
  toStderr.process.stderr.on('data', (chunk: Buffer) => {
    lines += chunk.toString();
  });
  await eventually(() => lines.includes('"listening"'), 60_000);
  const { stdout } = await toStderr.interrupt();
  for (const key of keys) expect(stdout + lines).not.toContain(key);
});
