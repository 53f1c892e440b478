import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Contents of generated files by their path below the project's root. */
export type Files = Record<string, string>;

const ROOT = new URL('../', import.meta.url);

/**
 * Writes generated files, which are committed and reviewed like code.
 * With `check` it writes nothing, names what is stale and lets the process exit with 1.
 */
export async function emit(files: Files, check: boolean): Promise<void> {
  const stale: string[] = [];
  for (const [path, content] of Object.entries(files)) {
    const file = new URL(path, ROOT);
    if ((await readFile(file, 'utf8').catch(() => null)) === content) continue;
    stale.push(path);
    if (check) continue;
    await mkdir(dirname(file.pathname), { recursive: true });
    await writeFile(file, content);
  }
  if (stale.length === 0) return;
  process.stdout.write(`${check ? 'Stale, run the generator' : 'Written'}: ${stale.join(', ')}\n`);
  if (check) process.exitCode = 1;
}
