import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Directory of compiled modules. */
export const COMPILE_CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/compile');
const OPTIONS = [
  // Megabytes, a third of the young generation: a larger one mostly holds garbage, and of a smaller one the requests in
  // progress are promoted.
  '--max-semi-space-size=8',
  // The young generation is small: the threads that share its collection cost more CPU than they save.
  '--no-parallel-scavenge',
];

const ENVIRONMENT = {
  /** Arenas of glibc's allocator, each of which keeps what it has freed; by default eight per core. */
  MALLOC_ARENA_MAX: '2',
  /** In force from the first module on, so that the compiler for TypeScript (9 MB) is not loaded. */
  NODE_COMPILE_CACHE: COMPILE_CACHE,
};

/** Node options of a process that serves; an option that the operator has set applies. */
export function memoryOptions(): string[] {
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''];
  const missing = OPTIONS.filter((option) => {
    const [name = option] = option.split('=');
    return !given.some((each) => each.includes(name));
  });
  return [...missing, ...process.execArgv];
}

/** Environment of a process that serves; a value that the operator has set applies. */
export const memoryEnvironment = (): NodeJS.ProcessEnv => ({ ...ENVIRONMENT, ...process.env });

/**
 * Replaces the program of this process by the same one under limits that V8 and glibc read only at start, and under
 * which the service needs less memory. Process id, standard streams and signals stay the same. Without effect on a
 * system without `exec`, and when the limits apply already.
 */
export function restartWithMemoryLimits(): void {
  const options = memoryOptions();
  const isOptimized = options.length === process.execArgv.length;
  const isPrepared = Object.keys(ENVIRONMENT).every((name) => process.env[name] !== undefined);
  if ((isOptimized && isPrepared) || !process.execve || process.platform === 'win32') return;
  process.execve(
    process.execPath,
    [process.execPath, ...options, ...process.argv.slice(1)],
    memoryEnvironment(),
  );
}

/** Collects the garbage of the start, which an idle process would otherwise keep. */
export function releaseStartupMemory(): void {
  setFlagsFromString('--expose-gc');
  const collectGarbage: NonNullable<typeof gc> = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  void collectGarbage({ type: 'major', execution: 'async' });
}
