import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { SidecarAddress } from '../sidecar-address.ts';

const SidecarFile = z.object({
  url: z.string(),
  token: z.string(),
  /** Process that runs the sidecar and the embedded database. */
  pid: z.number().int(),
});

const sidecarFile = (dataDir: string): string => join(resolve(dataDir), 'sidecar.json');

async function readSidecarFile(dataDir: string): Promise<z.infer<typeof SidecarFile> | null> {
  try {
    return SidecarFile.parse(JSON.parse(await readFile(sidecarFile(dataDir), 'utf8')));
  } catch {
    return null;
  }
}

/**
 * Publishes the embedded sidecar of this process to other processes of the same user. Replaces the file atomically.
 * @returns removes the file, unless a later start has replaced it
 */
export async function publishSidecar(
  dataDir: string,
  { url, token }: { url: string; token: string },
): Promise<() => Promise<void>> {
  const file = sidecarFile(dataDir);
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify({ url, token, pid: process.pid })}\n`, { mode: 0o600 });
  await rename(draft, file);
  return async () => {
    if ((await readSidecarFile(dataDir))?.pid === process.pid) await rm(file, { force: true });
  };
}

/**
 * Returns the embedded sidecar of the service that runs with a data directory; null if none does. A file left by a
 * crash is detected: its process must be the one that runs the embedded database.
 */
export async function runningEmbeddedSidecar(dataDir: string): Promise<SidecarAddress | null> {
  const file = await readSidecarFile(dataDir);
  if (!file) return null;
  // On demand, because it loads the database driver, which `serve` instruments first.
  const { runningEmbeddedMongo } = await import('./running-embedded-mongo.ts');
  const owner = await runningEmbeddedMongo(dataDir);
  return owner?.pid === file.pid ? { url: file.url, token: file.token } : null;
}
