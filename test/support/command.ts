import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { MAIN } from './process.ts';
import { childEnvironment } from './sharding/child-environment.ts';

/** Exit code and output of a command. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A command that is running. */
export interface Running {
  process: ChildProcessWithoutNullStreams;
  /** The first match of `pattern` in what it has printed on stdout, as soon as there is one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Asks it to stop, as Ctrl-C does, and waits for its end. */
  interrupt(): Promise<Ended>;
  ended: Promise<Ended>;
}

/** Starts `engagement <args>` as a process of its own, in an environment of `env` and `PATH` alone. */
export function startCommand(args: string[], env: NodeJS.ProcessEnv = {}): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env.PATH ?? '', ...childEnvironment(), ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(child, 'close').then(([code]): Ended => ({ code, stdout, stderr }));

  return {
    process: child,
    ended,
    async printed(pattern) {
      for (;;) {
        const match = pattern.exec(stdout);
        if (match) return match;
        const more = await Promise.race([
          once(child.stdout, 'data').then(() => true),
          ended.then(() => false),
        ]);
        if (!more && !pattern.test(stdout))
          throw new Error(`Ended without printing ${pattern}: ${stdout}${stderr}`);
      }
    },
    async interrupt() {
      child.kill('SIGINT');
      return ended;
    },
  };
}

/** Runs `engagement <args>` to its end. */
export const runCommand = (args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  startCommand(args, env).ended;
