import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ended, runCommand } from '../support/command.ts';
import { startTestSidecar, type TestSidecar } from './support.ts';

/** A sidecar, and a directory for the files that it loads. */
export interface LoadTest {
  sidecar: TestSidecar;
  dir: string;
  /** Writes a file and returns its path. */
  file(name: string, text: string): Promise<string>;
  /** Runs `sidecar load`. */
  load(...args: string[]): Promise<Ended>;
  stop(): Promise<void>;
}

export async function startLoadTest(): Promise<LoadTest> {
  const sidecar = await startTestSidecar();
  const dir = await mkdtemp(join(tmpdir(), 'engagement-load-'));
  return {
    sidecar,
    dir,
    async file(name, text) {
      const path = join(dir, name);
      await writeFile(path, text);
      return path;
    },
    load: (...args) => runCommand(['sidecar', 'load', ...args], { ML_SIDECAR_URL: sidecar.url }),
    async stop() {
      await sidecar.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
