import { readFile, rename, writeFile } from 'node:fs/promises';
import type { z } from 'zod';

/** Reads a JSON file of the data directory; null if there is none, or if it is not readable. */
export async function readStateFile<S extends z.ZodType>(
  schema: S,
  file: string,
): Promise<z.output<S> | null> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}

/** Replaces a JSON file atomically; only its owner can read it. */
export async function replaceStateFile(file: string, state: object): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(state)}\n`, { mode: 0o600 });
  await rename(draft, file);
}
