import { readFileSync } from 'node:fs';

const SAMPLE_MS = 100;
/** `sysconf(_SC_CLK_TCK)` of every Linux there is. */
const TICKS_PER_SECOND = 100;

/** Resident memory of a process in bytes (Linux). */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** CPU time that a process has used so far, in milliseconds (Linux). */
export const cpuMs = (pid: number): number => cpuTimeMs(`/proc/${pid}/stat`);

/** The same of its main thread alone. */
export const mainThreadCpuMs = (pid: number): number => cpuTimeMs(`/proc/${pid}/task/${pid}/stat`);

function cpuTimeMs(path: string): number {
  const stat = readFileSync(path, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return ((Number(user) + Number(system)) / TICKS_PER_SECOND) * 1000;
}

/** Resident memory over a period, in bytes. */
interface MemoryUse {
  last: number;
  most: number;
  mean: number;
}

/** Samples the resident memory of a process until `stop`. */
export function watchMemory(pid: number): { stop(): MemoryUse } & Disposable {
  const samples: number[] = [];
  const sample = () => {
    const bytes = residentBytes(pid);
    // Not a number once the process has ended.
    if (bytes > 0) samples.push(bytes);
  };
  sample();
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      sample();
      return {
        last: samples.at(-1) ?? 0,
        most: samples.reduce((most, sample) => Math.max(most, sample)),
        mean: samples.reduce((sum, sample) => sum + sample) / samples.length,
      };
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
