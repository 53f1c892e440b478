import { writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import { engagement, sharedDataDir } from '../support/process.ts';

test('commands are acts of the audit log, which audit verify and audit export read', async () => {
  const mongodbUri = freshDatabase();
  await using dataDir = await sharedDataDir();
  const run = <T>(...args: string[]) => engagement<T>(dataDir.path, mongodbUri, ...args);
  const { id } = await run<{ id: string }>('key', 'create', '--customer', '7', '--scope', 'read');
  await run('key', 'revoke', id);
  const file = join(dataDir.path, 'import.jsonl');
  await writeFile(file, '');
  await run('conversations', 'import', '--customer', '7', file);
  expect(await run('audit', 'verify')).toEqual({ valid: true, entries: 4, findings: [] });
  expect(await run('audit', 'verify', '--customer', '7')).toEqual({ valid: true, entries: 3, findings: [] });
  const env = { MONGODB_URI: mongodbUri, DATA_DIR: dataDir.path };
  const { stdout } = await runCommand(['audit', 'export'], env);
  const refused = await runCommand(['audit', 'export', '--json'], env);
  expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([2, { error: { code: 'USAGE' } }]);
  expect((await runCommand(['audit', 'export', '--help'], env)).stdout).not.toContain('--json');
  const [first, second, ...others] = stdout.trim().split('\n');
  expect(others).toEqual([]);
  expect(JSON.parse(second ?? '')).toMatchObject({
    action: 'exportAuditLog',
    target: { type: 'auditLog', id: null },
  });
  expect(JSON.parse(first ?? '')).toMatchObject({
    action: 'createTenant',
    actor: { type: 'cli', id: userInfo().username, name: null, prefix: null },
    target: { type: 'tenant', id: '7' },
    after: { customerId: 7, orgId: 'org_7' },
  });
});

test('audit verify compares the logs with the anchors of a stored log', async () => {
  const mongodbUri = freshDatabase();
  await using dataDir = await sharedDataDir();
  const env = { MONGODB_URI: mongodbUri, DATA_DIR: dataDir.path };
  const run = <T>(...args: string[]) => engagement<T>(dataDir.path, mongodbUri, ...args);
  await run('key', 'create', '--customer', '7', '--scope', 'read');
  await run('key', 'create', '--customer', '7', '--scope', 'write');
  const { stdout } = await runCommand(['audit', 'export', '--customer', '7'], env);
  const hashes = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { hash: string }).hash);
  const anchor = (sequence: number, hash: string | undefined, customerId: number | null = 7) =>
    JSON.stringify({ level: 30, customerId, sequence, hash, signature: 's', msg: 'audit log head' });
  const log = join(dataDir.path, 'workers.log');
  const stored = ['no JSON', '{"msg":"request"}', anchor(0, 'f'.repeat(64)), anchor(1, hashes[0])];
  await writeFile(log, [...stored, anchor(2, hashes[1]), anchor(1, hashes[0])].join('\n'));
  expect(await run('audit', 'verify', '--customer', '7', '--anchors', log)).toEqual({
    ...{ valid: true, entries: 3, anchors: 2, removedByRetention: 0, unreadableLines: 0, findings: [] },
  });

  // A log that was restored from an earlier state, or forged.
  await writeFile(
    log,
    [...stored, anchor(2, 'f'.repeat(64)), anchor(9, hashes[1]), anchor(1, 'a', 8)].join('\n'),
  );
  const differing = await runCommand(['audit', 'verify', '--json', '--anchors', log], env);
  expect(differing.code).toBe(1);
  expect(JSON.parse(differing.stdout)).toMatchObject({
    valid: false,
    findings: [
      { customerId: 7, problem: 'anchor_differs', sequence: 2, entryId: expect.any(String) },
      { customerId: 7, problem: 'anchor_differs', sequence: 9, entryId: null },
      { customerId: 8, problem: 'anchor_differs', sequence: 1, entryId: null },
    ],
  });
  await writeFile(log, '{"msg":"request"}');
  const without = await runCommand(['audit', 'verify', '--anchors', log], env);
  expect(without.code).toBe(1);
  expect(without.stderr).toContain('has no anchor');
});
