import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Longest duration of one command; the first download of a tool chain included. */
const LIMIT_MS = 240_000;

/** A runtime that the machine lacks: what needs it is skipped. */
export class MissingRuntime extends Error {}

interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
}

/** Runs a command. @returns its standard output @throws Error with the end of its output if it fails */
export function run(command: string, args: string[], { cwd, env = {} }: RunOptions = {}): Promise<string> {
  const options = { cwd, timeout: LIMIT_MS, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, ...env } };
  return new Promise((resolve, reject) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const output = `${stdout}\n${stderr}`.trim().split('\n').slice(-40).join('\n');
      reject(new Error(`${command} ${args.join(' ')}\n${output}`));
    });
  });
}

/** @throws MissingRuntime if a command is not on the PATH */
export async function requireCommands(...names: string[]): Promise<void> {
  const directories = (process.env.PATH ?? '').split(delimiter);
  for (const name of names) {
    const found = directories.map((directory) =>
      access(join(directory, name), constants.X_OK).then(
        () => true,
        () => false,
      ),
    );
    if (!(await Promise.all(found)).includes(true)) throw new MissingRuntime(`${name} is not installed`);
  }
}
