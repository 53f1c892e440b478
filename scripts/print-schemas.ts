/*
 * Writes the printed GraphQL schema, which is committed and reviewed like code.
 * With --check it writes nothing, names what is stale and exits with 1.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printSchema } from 'graphql';
import { buildSchemas } from '../schema/index.ts';

const root = new URL('../', import.meta.url);
const check = process.argv.includes('--check');
const stale: string[] = [];

async function emit(path: string, content: string): Promise<void> {
  const file = fileURLToPath(new URL(path, root));
  const current = await readFile(file, 'utf8').catch(() => null);
  if (current === content) return;
  if (check) {
    stale.push(relative(fileURLToPath(root), file));
    return;
  }
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  process.stdout.write(`wrote ${path}\n`);
}

await emit('schema/printed/schema.graphql', `${printSchema(buildSchemas().graphql)}\n`);

if (stale.length > 0) {
  process.stderr.write(`Stale, run the generator: ${stale.join(', ')}\n`);
  process.exitCode = 1;
}
