import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { startService } from '../../src/runtime/app.ts';
import { processesWith, temporaryDir } from '../support/embedded.ts';
import { testMongod } from '../support/mongo.ts';

const LISTEN = 'tracing:net.server.listen:asyncStart';

test('a start that fails closes the demo servers, the database and the sidecar that it has started', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const servers = new Set<Server>();
  const onListen = (message: unknown) => void servers.add((message as { server: Server }).server);
  subscribe(LISTEN, onListen);
  onTestFinished(() => void unsubscribe(LISTEN, onListen));

  await using dir = await temporaryDir();
  const config = loadConfig({
    DATA_DIR: dir.path,
    MONGOD_BINARY: (await testMongod()).path,
    PORT: String((taken.address() as { port: number }).port),
  });
  await expect(startService({ config, log: createLogger('silent') })).rejects.toThrow('EADDRINUSE');

  // The demo provider and the demo receiver, at least.
  expect(servers.size).toBeGreaterThanOrEqual(2);
  expect([...servers].filter(({ listening }) => listening)).toEqual([]);
  expect(processesWith(dir.path)).toEqual([]);
});
