import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { afterAll } from 'vitest';
import { REPORT_VARIABLE } from './report-variable.ts';
import { watchConnections } from './watch-connections.ts';

const report = join(tmpdir(), `engagement-shard-keys-${randomUUID()}.jsonl`);
process.env[REPORT_VARIABLE] = report;
watchConnections(mongoose);

// Runs after the hooks of the file, so the service has stopped.
afterAll(() => {
  if (!existsSync(report)) return;
  const violations = new Set(readFileSync(report, 'utf8').trim().split('\n'));
  rmSync(report);
  throw new Error(
    `Commands on sharded collections lack their shard key; add it, or name the command in test/support/sharding/untargeted-commands.ts and docs/scale.md:\n${[...violations].join('\n')}`,
  );
});
