import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { projectFile } from '../platform/project-files.ts';

/** Directory of compiled modules. */
const COMPILE_CACHE = projectFile('node_modules/.cache/compile');
/** Options of Node.js that limit the memory of a serving process. */
export const MEMORY_OPTIONS: readonly string[] = [
  // Megabytes, a third of the young generation. A larger one mostly holds garbage; a smaller one promotes objects of
  // requests in progress.
  '--max-semi-space-size=8',
  // The young generation is small: parallel collection costs more CPU than it saves.
  '--no-parallel-scavenge',
];

/** Variables that limit the memory of a serving process. */
export const MEMORY_ENVIRONMENT = {
  /** Arenas of glibc's allocator, by default eight per core. Each arena keeps the memory that it has freed. */
  MALLOC_ARENA_MAX: '2',
  /** Covers even the first module, so that the TypeScript compiler (9 MB) is not loaded. */
  NODE_COMPILE_CACHE: COMPILE_CACHE,
};

/** Returns the Node.js options of a serving process; options that the operator has set take precedence. */
export function memoryOptions(): string[] {
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''];
  const missing = MEMORY_OPTIONS.filter((option) => {
    const [name = option] = option.split('=');
    return !given.some((each) => each.includes(name));
  });
  return [...missing, ...process.execArgv];
}

/** Returns the environment of a serving process; values that the operator has set take precedence. */
export const memoryEnvironment = (): NodeJS.ProcessEnv => ({ ...MEMORY_ENVIRONMENT, ...process.env });

/**
 * Restarts this process in place (`exec`) under memory limits that V8 and glibc read only at start. Process id, standard
 * streams and signals stay the same. Does nothing on a system without `exec`, or if the limits apply already.
 */
function restartWithMemoryLimits(): void {
  const options = memoryOptions();
  const isOptimized = options.length === process.execArgv.length;
  const isPrepared = Object.keys(MEMORY_ENVIRONMENT).every((name) => process.env[name] !== undefined);
  if ((isOptimized && isPrepared) || !process.execve || process.platform === 'win32') return;
  process.execve(
    process.execPath,
    [process.execPath, ...options, ...process.argv.slice(1)],
    memoryEnvironment(),
  );
}

/** Limits the memory of this process, which a program calls before it loads its modules. */
export function limitMemory(): void {
  // Commands are too short-lived for the restart to pay off (30 ms).
  if (process.argv[2] === 'serve') restartWithMemoryLimits();
  // The compile cache saves a third of the startup time, and the compiler's memory.
  enableCompileCache(COMPILE_CACHE);
  // Collects garbage earlier than by default: a smaller heap for some CPU time.
  setFlagsFromString('--heap-growing-percent=30');
}

/** Collects the garbage of the start: an idle process would keep it. */
export function releaseStartupMemory(): void {
  setFlagsFromString('--expose-gc');
  const collectGarbage: NonNullable<typeof gc> = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  void collectGarbage({ type: 'major', execution: 'async' });
}
