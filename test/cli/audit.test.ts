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
