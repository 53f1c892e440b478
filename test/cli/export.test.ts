import { createHash } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Types } from 'mongoose';
import { expect, test } from 'vitest';
import type { Manifest } from '../../src/cli/export/export-manifest.ts';
import { openDatabase } from '../../src/database/models.ts';
import { freshDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { sizeOf } from '../support/full-size.ts';
import { endChild, engagement, sharedDataDir, spawnCommand } from '../support/process.ts';

const CONVERSATIONS = sizeOf({ small: 15_000, full: 25_000 });
const BATCH = 5_000;
const KILLS = sizeOf({ small: 1, full: 3 });
const at = new Date('2026-01-01T00:00:00Z');

async function setUp() {
  const mongodbUri = freshDatabase();
  const stack = new AsyncDisposableStack();
  const dataDir = stack.use(await sharedDataDir());
  const { connection, models } = await openDatabase(mongodbUri);
  stack.defer(() => connection.close());
  const run = <T>(...args: string[]) => engagement<T>(dataDir.path, mongodbUri, ...args);
  const file = (...names: string[]) => join(dataDir.path, ...names);
  await run('key', 'create', '--customer', '7', '--scope', 'read');
  return {
    models,
    run,
    file,
    exportTo: (folder: string, ...args: string[]) =>
      run<Manifest>('export', '--customer', '7', ...args, file(folder)),
    spawnExport: (folder: string) =>
      spawnCommand(dataDir.path, mongodbUri, 'export', '--customer', '7', file(folder)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Stores conversations with a message each. */
async function store({ models }: Awaited<ReturnType<typeof setUp>>, count: number, fields: object = {}) {
  for (let first = 0; first < count; first += BATCH) {
    const ids = Array.from({ length: Math.min(BATCH, count - first) }, () => new Types.ObjectId());
    const conversation = {
      ...{ customerId: 7, visitorId: 'v_1', status: 'ended', converted: false, goal: null, startedAt: at },
      ...{ endedAt: at, messageCount: 1, textBytes: 4, identity: null, conversion: null, outcome: null },
      ...{ resolution: null, ...fields },
    };
    await models.Conversation.collection.insertMany(
      ids.map((_id) => ({ ...conversation, _id, order: `${at.toISOString()}:${_id}` })) as never[],
    );
    const message = { customerId: 7, seq: 0, role: 'visitor', text: '=Hi "you"', sentAt: at };
    await models.Message.collection.insertMany(
      ids.map((conversationId) => ({ ...message, conversationId })) as never[],
    );
  }
}

/** Digests of the data, without the audit log, which has the exports. */
const digestsOf = ({ files }: Manifest) =>
  Object.fromEntries(
    files.filter(({ kind }) => kind !== 'auditLog').map(({ name, sha256 }) => [name, sha256]),
  );

test('an export that is killed looks unfinished, and its next run ends as an uninterrupted one', async () => {
  await using on = await setUp();
  await store(on, CONVERSATIONS);
  const whole = await on.exportTo('whole');
  expect(whole).toMatchObject({ customerId: 7, person: null, position: null });
  expect(whole.files.find(({ name }) => name === 'conversations.jsonl')?.rows).toBe(CONVERSATIONS);

  const progress = async (): Promise<number> => {
    const text = await readFile(on.file('killed', 'manifest.partial.json'), 'utf8').catch(() => null);
    const { files = [] } = text === null ? {} : (JSON.parse(text) as Manifest);
    return files.reduce((sum, { rows }) => sum + rows, 0);
  };
  let killed = 0;
  for (; killed < KILLS; killed += 1) {
    const before = await progress();
    const child = on.spawnExport('killed');
    child.stdout.resume();
    await eventually(async () => child.exitCode !== null || (await progress()) > before, 60_000);
    if (child.exitCode !== null) break;
    await endChild(child, 'SIGKILL');
    expect(await on.models.ExportLease.findById(7).lean()).toHaveProperty('token');
    const names = await readdir(on.file('killed'));
    expect(names).not.toContain('manifest.json');
    expect(names.includes('conversations.jsonl') && names.includes('conversations.jsonl.partial')).toBe(
      false,
    );
  }
  expect(killed).toBeGreaterThan(0);
  // What a crash has written behind the last progress.
  const partial = (await readdir(on.file('killed'))).find((name) => name.endsWith('.jsonl.partial'));
  if (partial) await writeFile(on.file('killed', partial), '{"half', { flag: 'a' });

  const resumed = await on.exportTo('killed');
  expect(digestsOf(resumed)).toEqual(digestsOf(whole));
  const names = await readdir(on.file('killed'));
  expect(names.toSorted()).toEqual((await readdir(on.file('whole'))).toSorted());
  expect(names.filter((name) => name.includes('partial'))).toEqual([]);
  for (const { name, bytes, sha256 } of resumed.files) {
    const content = await readFile(on.file('killed', name));
    expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([bytes, sha256]);
    expect((await stat(on.file('killed', name))).mode & 0o777).toBe(0o600);
  }
  expect(await on.exportTo('killed')).toEqual(resumed);
}, 240_000);

test('the conversations of an export are imported for another customer, whose export is the same', async () => {
  await using on = await setUp();
  await store(on, 30);
  await on.run('key', 'create', '--customer', '8', '--scope', 'read');
  const first = await on.exportTo('first');
  const imported = await on.run(
    'conversations',
    'import',
    '--customer',
    '8',
    on.file('first', 'conversations.jsonl'),
  );
  expect(imported).toMatchObject({ imported: 30, rejected: 0 });
  const second = await on.run<Manifest>('export', '--customer', '8', on.file('second'));
  const digest = ({ files }: Manifest) => files.find(({ kind }) => kind === 'conversations')?.sha256;
  expect(digest(second)).toBe(digest(first));
});

test('tables are written on request, without formulas; the export of a person has only theirs', async () => {
  await using on = await setUp();
  await store(on, 1, { goal: '=HYPERLINK("http://evil.example")', visitorId: '@SUM(1)' });
  await store(on, 2, { visitorId: 'v_other' });
  const { files } = await on.exportTo('tables', '--format', 'csv');
  expect(files.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['conversations.csv', 'deliveries.csv']),
  );
  const table = await readFile(on.file('tables', 'conversations.csv'), 'utf8');
  expect(table.split('\r\n')).toHaveLength(5);
  expect(table).toContain(`"'@SUM(1)","ended",false,"'=HYPERLINK(""http://evil.example"")"`);

  const person = await on.exportTo('person', '--visitor', '@SUM(1)');
  expect(person.person).toEqual({ visitorId: '@SUM(1)' });
  const kinds = person.files.map(({ kind }) => kind);
  expect(kinds).toContain('mentions');
  expect(kinds).not.toContain('apiKeys');
  const lines = await readFile(on.file('person', 'conversations.jsonl'), 'utf8');
  expect(lines.trimEnd().split('\n')).toHaveLength(1);

  const refused = (folder: string, ...args: string[]) => on.exportTo(folder, ...args).catch(String);
  expect(await refused('person')).toContain('ended with');
  expect(await refused('person', '--visitor', 'v_other')).toContain('ended with');
  await mkdir(on.file('used'));
  await writeFile(on.file('used', 'notes.txt'), 'mine');
  expect(await refused('used')).toContain('ended with');
  expect(await readdir(on.file('used'))).toEqual(['notes.txt']);
  await writeFile(on.file('plain'), '');
  expect(await refused('plain')).toContain('ended with');
  await mkdir(on.file('forged'));
  await writeFile(on.file('forged', 'manifest.partial.json'), '{"version":1}');
  expect(await refused('forged')).toContain('ended with');
  const entries = await on.models.AuditEntry.find({ log: 7, action: 'exportCustomer' })
    .sort({ sequence: 1 })
    .lean();
  expect(entries.map(({ target }) => target.type)).toEqual(['tenant', 'person']);
  expect(JSON.stringify(entries)).not.toContain('SUM');
}, 180_000);

test('a folder has one export: of one customer, written once, without a file that was deleted', async () => {
  await using on = await setUp();
  await store(on, 1);
  await on.run('key', 'create', '--customer', '8', '--scope', 'read');
  const exportOf = (customer: number, folder: string) =>
    on.run<Manifest>('export', '--customer', String(customer), on.file(folder));
  const manifestIn = async (folder: string) =>
    JSON.parse(await readFile(on.file(folder, 'manifest.json'), 'utf8')) as Manifest;

  const results = await Promise.allSettled([exportOf(7, 'shared'), exportOf(8, 'shared')]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const winner = results[0]?.status === 'fulfilled' ? 7 : 8;
  expect(await manifestIn('shared')).toMatchObject({ customerId: winner });

  const [first, second] = await Promise.all([exportOf(7, 'same'), exportOf(7, 'same')]);
  expect(second).toEqual(first);
  expect(await manifestIn('same')).toEqual(first);

  const interrupted = { ...first, completedAt: null, files: [], position: null };
  await mkdir(on.file('begun'));
  await writeFile(on.file('begun', 'manifest.partial.json'), JSON.stringify(interrupted));
  expect(digestsOf(await exportOf(7, 'begun'))).toEqual(digestsOf(first));

  await writeFile(
    on.file('same', 'manifest.partial.json'),
    JSON.stringify({ ...first, completedAt: null, position: null }),
  );
  await rm(on.file('same', 'manifest.json'));
  await rm(on.file('same', 'conversations.jsonl'));
  await expect(exportOf(7, 'same')).rejects.toThrow('ended with');
  expect(await readdir(on.file('same'))).not.toContain('manifest.json');
}, 180_000);

test('a repetition verifies the files, exports nothing, and is no act; a name is no email address', async () => {
  await using on = await setUp();
  const done = await on.exportTo('done');
  expect(await on.exportTo('done')).toEqual(done);
  expect(await on.models.AuditEntry.countDocuments({ log: 7, action: 'exportCustomer' })).toBe(1);
  for (const command of [['export', on.file('named')], ['erase']])
    await expect(
      on.run(...(command as [string]), '--customer', '7', '--email', 'Ada Lovelace'),
    ).rejects.toThrow('ended with');
  expect(await readdir(on.file())).not.toContain('named');

  await appendFile(on.file('done', 'settings.jsonl'), '{}\n');
  await expect(on.exportTo('done')).rejects.toThrow(/settings\.jsonl is not as the export has written it/);
  await rm(on.file('done', 'settings.jsonl'));
  await expect(on.exportTo('done')).rejects.toThrow(/settings\.jsonl was deleted/);
});
