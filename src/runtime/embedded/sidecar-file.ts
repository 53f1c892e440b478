import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { SidecarAddress } from '../../platform/sidecar-address.ts';
import { readStateFile, replaceStateFile } from './state-file.ts';

const SidecarFile = z.object({
  url: z.string(),
  token: z.string(),
  /** Process that runs the sidecar and the embedded database. */
  pid: z.number().int(),
});

const sidecarFile = (dataDir: string): string => join(resolve(dataDir), 'sidecar.json');

/**
 * Publishes the embedded sidecar of this process to other processes of the same user.
 * @returns removes the file, unless a later start has replaced it
 */
export async function publishSidecar(
  dataDir: string,
  { url, token }: { url: string; token: string },
): Promise<() => Promise<void>> {
  const file = sidecarFile(dataDir);
  await replaceStateFile(file, { url, token, pid: process.pid });
  return async () => {
    if ((await readStateFile(SidecarFile, file))?.pid === process.pid) await rm(file, { force: true });
  };
}

/**
 * Returns the embedded sidecar of the service that runs with a data directory; null if none runs. A stale file of a
 * crash is detected: its process must be the one that runs the embedded database.
 */
export async function runningEmbeddedSidecar(dataDir: string): Promise<SidecarAddress | null> {
  const file = await readStateFile(SidecarFile, sidecarFile(dataDir));
  if (!file) return null;
  // On demand, because it loads the database driver, which `serve` instruments first.
  const { runningEmbeddedMongo } = await import('./running-embedded-mongo.ts');
  const owner = await runningEmbeddedMongo(dataDir);
  return owner?.pid === file.pid ? { url: file.url, token: file.token } : null;
}
