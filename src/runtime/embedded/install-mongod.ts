import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { probeMongod } from './probe-mongod.ts';

const WORK_PREFIX = '.fetch-';

/** Age after which a temporary directory is considered abandoned by a killed process. */
const ABANDONED_MS = 24 * 3_600_000;

/**
 * Downloads a `mongod` to a temporary directory, checks that it runs, and moves it atomically to `bin`, so that other
 * processes never see a partial binary. A failure leaves no files behind.
 * @param bin cache directory; created if missing
 * @param download receives an empty directory on the same file system and returns the path of the binary in it
 */
export async function installMongod(
  bin: string,
  download: (dir: string) => Promise<string>,
): Promise<{ path: string; version: string }> {
  await mkdir(bin, { recursive: true, mode: 0o700 });
  await removeAbandoned(bin);
  const dir = await mkdtemp(join(bin, WORK_PREFIX));
  try {
    const downloaded = await download(dir);
    await chmod(downloaded, 0o755);
    const version = await probeMongod(downloaded);
    const path = join(bin, `mongod-${version}`);
    await rename(downloaded, path);
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
