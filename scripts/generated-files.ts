import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Contents of generated files by their path below the project's root. */
export type Files = Record<string, string>;

const ROOT = new URL('../', import.meta.url);

/**
 * Writes generated files, which are committed and reviewed like code. With `check` it writes nothing, lists the files
 * that are out of date, and sets exit code 1 if there are any.
 */
export async function writeGenerated(files: Files, { check }: { check: boolean }): Promise<void> {
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
  const paths = stale.join(', ');
  process.stdout.write(check ? `Out of date, run npm run generate: ${paths}\n` : `Written: ${paths}\n`);
  if (check) process.exitCode = 1;
}
