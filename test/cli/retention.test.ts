import { expect, test } from 'vitest';
import { freshDatabase } from '../support/databases.ts';
import { engagement, sharedDataDir } from '../support/process.ts';

test('retention shows and changes times as an act of the audit log, and counts what has expired', async () => {
  const mongodbUri = freshDatabase();
  await using dataDir = await sharedDataDir();
  const run = <T>(...args: string[]) => engagement<T>(dataDir.path, mongodbUri, ...args);
  await run('key', 'create', '--customer', '7', '--scope', 'read');
  const times = ['--set', 'auditLog=90', '--set', 'conversations=30', '--set', 'meetings=off'];
  const shown = { data: [{ customerId: 7, days: { auditLog: 90, conversations: 30 } }] };
  expect(await run('retention', '--customer', '7', ...times)).toEqual(shown);
  expect(await run('retention')).toEqual(shown);
  expect(await run('retention', '--dry-run')).toEqual({
    data: [
      { customerId: 7, kind: 'conversations', days: 30, count: 0 },
      { customerId: 7, kind: 'auditLog', days: 90, count: 0 },
    ],
  });
  const entries = await run<{ findings: unknown[] }>('audit', 'verify', '--customer', '7');
  expect(entries).toMatchObject({ entries: 2, findings: [] });
});
