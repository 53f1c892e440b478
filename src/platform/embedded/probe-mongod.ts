import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The oldest major version that the service is tested with; older ones lack what its queries need. */
const OLDEST_MAJOR = 6;

/** How long `mongod --version` may take; a cold disk needs some seconds for 140 MB. */
const PROBE_TIMEOUT_MS = 15_000;

/**
 * Runs `<path> --version`.
 * @returns the version, such as `6.0.5`
 * @throws Error that says in one line why this binary cannot be used
 */
export async function probeMongod(path: string): Promise<string> {
  const { stdout } = await run(path, ['--version'], {
    timeout: PROBE_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  }).catch((error: Error & { stderr?: string }) => {
    throw new Error(`${path} does not run: ${lastLine(error.stderr) ?? error.message.split('\n')[0]}`);
  });
  const version = /^db version v(\d+\.\d+\.\d+\S*)/m.exec(stdout)?.[1];
  if (!version) throw new Error(`${path} prints no MongoDB version`);
  if (Number.parseInt(version, 10) < OLDEST_MAJOR)
    throw new Error(`${path} is version ${version}, older than ${OLDEST_MAJOR}.0`);
  return version;
}

const lastLine = (text: string | undefined): string | undefined =>
  text?.trim().split('\n').at(-1) || undefined;
