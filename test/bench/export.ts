import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/database/models.ts';
import { startTestMongo } from '../support/mongo.ts';
import { engagement, sharedDataDir, spawnCommand } from '../support/process.ts';
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

/** The command `export` of a small and of a large customer: its memory must not grow with the number of rows. */
export async function exports(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ database: 'export' }), (started) => started.stop());
  const { connection, models } = await openDatabase(mongo.uri);
  stack.defer(() => connection.close());
  const dataDir = stack.use(await sharedDataDir());
  const folder = await mkdtemp(join(tmpdir(), 'engagement-export-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const figures: Figure[] = [];
  for (const { customerId, count } of CUSTOMERS) {
    const customer = String(customerId);
    await engagement(dataDir.path, mongo.uri, 'key', 'create', '--customer', customer, '--scope', 'read');
    await storeConversations(models, { count, customerId, ageMs: (number) => number * 100 });
    const startedAt = performance.now();
    const args = ['export', '--customer', customer, join(folder, customer)];
    const child = spawnCommand(dataDir.path, mongo.uri, ...args);
    const closed = once(child, 'close');
    child.stdout.resume();
    using memory = watchMemory(child.pid ?? 0);
    await once(child.stdout, 'end');
    const seconds = (performance.now() - startedAt) / 1000;
    const { most } = memory.stop();
    const [code] = (await closed) as [number | null];
    if (code !== 0) throw new Error(`The export ended with ${code}.`);
    const of = `${count.toLocaleString('en')} conversations with two messages each`;
    figures.push(
      single(`conversations exported, of ${of}, rows/s`, count / seconds),
      single(`most resident memory of the export of ${of}, MiB`, most / MIB),
    );
  }
  return figures;
}
