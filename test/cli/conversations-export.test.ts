import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshDatabase } from '../support/databases.ts';
import { engagement, sharedDataDir } from '../support/process.ts';

const CONVERSATIONS = 700;
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

const source = numbers(CONVERSATIONS).map((n) => ({
  id: `source-${n}`,
  visitor_id: `v_${n % 50}`,
  status: n % 2 === 0 ? 'active' : 'ended',
  converted: n % 3 === 0,
  goal: n % 3 === 0 ? 'signup' : null,
  started_at: at(n),
  ended_at: n % 2 === 0 ? null : at(n + 30),
  transcript: numbers(n % 4).map((index) => ({
    role: index % 2 === 0 ? 'visitor' : 'bot',
    text: `Line ${index}\nof “${n}” 😀`,
    sent_at: at(n + index),
  })),
  identity:
    n % 5 === 0
      ? {
          ...{ person_id: `p_${n}`, email: `ada.${n}@example.com`, first_name: 'Ada', last_name: null },
          ...{ company: 'Ada & Co.', job_title: null },
        }
      : null,
  conversion: n % 3 === 0 ? { type: 'signup', goal: 'signup', value: 9.5, recorded_at: at(n + 5) } : null,
}));

test('conversations that are exported, imported for another customer and exported again are the same', async () => {
  const mongodbUri = freshDatabase();
  await using dataDir = await sharedDataDir();
  const run = <T>(...args: string[]) => engagement<T>(dataDir.path, mongodbUri, ...args);
  const file = (name: string) => join(dataDir.path, name);
  const lines = async (name: string) =>
    (await readFile(file(name), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  for (const customer of ['7', '8', '9'])
    await run('key', 'create', '--customer', customer, '--scope', 'read');
  await writeFile(file('source'), source.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await run('conversations', 'import', '--customer', '7', file('source'));

  const first = await run('conversations', 'export', '--customer', '7', file('first'));
  expect(first).toMatchObject({
    conversations: CONVERSATIONS,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(await lines('first')).toEqual(source);
  const imported = await run('conversations', 'import', '--customer', '8', file('first'));
  expect(imported).toMatchObject({ imported: CONVERSATIONS, rejected: 0 });
  expect(await run('conversations', 'export', '--customer', '8', file('second'))).toEqual(first);

  expect(await run('conversations', 'export', '--customer', '9', file('none'))).toMatchObject({
    conversations: 0,
  });

  await mkdir(file('folder'));
  await expect(run('conversations', 'export', '--customer', '7', file('folder'))).rejects.toThrow(
    /Cannot write .*folder: EISDIR/,
  );
  expect((await readdir(dataDir.path)).filter((name) => name.endsWith('.partial'))).toEqual([]);
  const log = await run<{ findings: unknown[] }>('audit', 'verify', '--customer', '7');
  expect(log).toMatchObject({ entries: 3, findings: [] });
});
