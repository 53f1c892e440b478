import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { list } from '../support/embedded.ts';
import { sharedDataDir } from '../support/process.ts';

const other = createServer();
let port: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  port = String((other.address() as AddressInfo).port);
});
afterAll(() => void other.close());

test.each([
  ['PORT', ['serve'], (taken: string) => ({ PORT: taken })],
  ['PORT', ['serve'], (taken: string) => ({ PORT: taken, WORKERS: '2' })],
  ['METRICS_PORT', ['serve'], (taken: string) => ({ PORT: '0', METRICS_PORT: taken })],
  ['METRICS_PORT', ['serve', '--role', 'worker'], (taken: string) => ({ PORT: taken, METRICS_PORT: taken })],
  ['--port', ['sidecar', '--port', 'taken'], () => ({})],
  ['--port', ['receiver', '--port', 'taken'], () => ({})],
  ['--port', ['demo', 'provider', '--port', 'taken'], () => ({})],
] as const)(
  'a port in use is found before the database starts, with %s to set: %j',
  async (setting, args, env) => {
    await using dataDir = await sharedDataDir();
    const command = args.map((arg) => (arg === 'taken' ? port : arg));
    const { code, stderr } = await runCommand(command, {
      HOST: '127.0.0.1',
      DATA_DIR: dataDir.path,
      ...env(port),
    });
    expect([code, stderr]).toEqual([1, `Port ${port} is in use; set ${setting}.\n`]);
    expect(await list(dataDir.path)).toEqual([]);
  },
);
