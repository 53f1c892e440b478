import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { probeMongod } from './probe-mongod.ts';

const WORK_PREFIX = '.fetch-';

/** Age after which a work directory belongs to a process that was killed, not to one still fetching. */
const ABANDONED_MS = 24 * 3_600_000;

/**
 * Lets `fetch` put a `mongod` into a work directory and, once it runs, moves it into `bin` in one step:
 * no other process ever sees half a binary, and a failure leaves nothing behind.
 * @param bin kept directory of binaries; made when missing
 * @param fetch gets an empty directory on the same file system, returns the path of the binary in it
 */
export async function installMongod(
  bin: string,
  fetch: (dir: string) => Promise<string>,
): Promise<{ path: string; version: string }> {
  await mkdir(bin, { recursive: true, mode: 0o700 });
  await removeAbandoned(bin);
  const dir = await mkdtemp(join(bin, WORK_PREFIX));
  try {
    const fetched = await fetch(dir);
    await chmod(fetched, 0o755);
    const version = await probeMongod(fetched);
    const path = join(bin, `mongod-${version}`);
    await rename(fetched, path);
    return { path, version };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function removeAbandoned(bin: string): Promise<void> {
  for (const name of await readdir(bin)) {
    if (!name.startsWith(WORK_PREFIX)) continue;
    const path = join(bin, name);
    const entry = await stat(path).catch(() => undefined);
    if (entry && Date.now() - entry.mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}
