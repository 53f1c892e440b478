import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';
import { watchClients } from './watch-clients.ts';
import { setWatch } from './watch-variable.ts';

const report = join(tmpdir(), `engagement-shard-keys-${randomUUID()}.jsonl`);
setWatch({ report, keys: new Map(inject('shardKeys')) });
watchClients(createRequire(import.meta.url)('mongodb/lib/mongo_client.js'));

// Runs after the hooks of the file, so the service has stopped.
afterAll(() => {
  if (!existsSync(report)) return;
  const violations = new Set(readFileSync(report, 'utf8').trim().split('\n'));
  rmSync(report);
  throw new Error(
    `Commands on sharded collections lack their shard key; add it, or name the command in test/support/sharding/untargeted-commands.ts and docs/scale.md:\n${[...violations].join('\n')}`,
  );
});
