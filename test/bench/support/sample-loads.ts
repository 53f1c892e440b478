import { startCommand } from '../../support/command.ts';
import { cpuMs } from './proc.ts';
import type { SampleSet } from './samples.ts';

const CPU_SAMPLE_MS = 50;

export interface LoadRun {
  /** From the start of the command to its end. */
  ms: number;
  /** CPU time of the command. */
  cpuMs: number;
}

/**
 * Runs `sidecar load` on a file.
 * @throws Error if a row is not stored
 */
export async function runLoad(url: string, set: SampleSet, path: string, rows: number): Promise<LoadRun> {
  const startedAt = performance.now();
  const args = ['sidecar', 'load', '--set', set, '--stage', 'lead', '--json', path];
  const command = startCommand(args, { ML_SIDECAR_URL: url });
  const pid = command.process.pid ?? 0;
  let cpu = 0;
  const timer = setInterval(() => {
    cpu = cpuMs(pid);
  }, CPU_SAMPLE_MS);
  command.process.once('exit', () => clearInterval(timer));
  const { code, stdout, stderr } = await command.ended;
  const ms = performance.now() - startedAt;
  const { loaded } = JSON.parse(stdout) as { loaded?: number };
  if (code !== 0 || loaded !== rows) throw new Error(`${path}: ${stdout}${stderr}`);
  return { ms, cpuMs: cpu };
}
