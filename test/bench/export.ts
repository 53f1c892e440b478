import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openDatabase } from '../../src/database/models.ts';
import { startTestMongo } from '../support/mongo.ts';
import { sharedDataDir, spawnCommand } from '../support/process.ts';
import { storeConversations } from './support/documents.ts';
import { watchMemory } from './support/proc.ts';
import { type Figure, single } from './support/report.ts';

/** Stored conversations of the large customer; a million for the aim of the product. */
const CONVERSATIONS = Number(process.env.EXPORT_CONVERSATIONS ?? 100_000);
const CUSTOMERS = [
  { customerId: 1, count: CONVERSATIONS / 10 },
  { customerId: 2, count: CONVERSATIONS },
];
const MIB = 1024 * 1024;

/** Runs a command of the operator; returns its duration and its resident memory at most. */
async function measured(dataDir: string, uri: string, ...args: string[]) {
  const startedAt = performance.now();
  const child = spawnCommand(dataDir, uri, ...args);
  const closed = once(child, 'close');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  using memory = watchMemory(child.pid ?? 0);
  await once(child.stdout, 'end');
  const seconds = (performance.now() - startedAt) / 1000;
  const { most } = memory.stop();
  const [code] = (await closed) as [number | null];
  if (code !== 0)
    throw new Error(`${args.slice(0, 2).join(' ')} ended with ${code}: ${output.slice(0, 2_000)}`);
  return { seconds, mostMiB: most / MIB };
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/**
 * The command `export` of a small and of a large customer: its memory must not grow with the number of rows. Then the
 * conversations of the large one are imported for a customer without any, whose export must be the same file.
 */
export async function exports(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ database: 'export' }), (started) => started.stop());
  const { connection, models } = await openDatabase(mongo.uri);
  stack.defer(() => connection.close());
  const dataDir = stack.use(await sharedDataDir());
  const folder = await mkdtemp(join(tmpdir(), 'engagement-export-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const run = (...args: string[]) => measured(dataDir.path, mongo.uri, ...args);
  const figures: Figure[] = [];
  for (const { customerId, count } of CUSTOMERS) {
    const customer = String(customerId);
    await run('key', 'create', '--customer', customer, '--scope', 'read');
    await storeConversations(models, { count, customerId, ageMs: (number) => number * 100 });
    const { seconds, mostMiB } = await run('export', '--customer', customer, join(folder, customer));
    const of = `${count.toLocaleString('en')} conversations with two messages each`;
    figures.push(
      single(`conversations exported, of ${of}, rows/s`, count / seconds),
      single(`most resident memory of the export of ${of}, MiB`, mostMiB),
    );
  }

  const [from, to] = [String(CUSTOMERS[1]?.customerId), '3'];
  const [exported, again] = [join(folder, 'exported.jsonl'), join(folder, 'again.jsonl')];
  await run('key', 'create', '--customer', to, '--scope', 'read');
  await run('conversations', 'export', '--customer', from, exported);
  const imported = await run('conversations', 'import', '--customer', to, exported);
  await run('conversations', 'export', '--customer', to, again);
  if ((await digest(exported)) !== (await digest(again)))
    throw new Error('The export of what was imported differs from what was imported.');
  figures.push(
    single(
      'conversations imported from that export, to an equal one, rows/s',
      CONVERSATIONS / imported.seconds,
    ),
    single('most resident memory of that import, MiB', imported.mostMiB),
  );
  return figures;
}
