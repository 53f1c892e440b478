import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Oldest major version that the service is tested with; earlier ones lack features that it uses. */
const OLDEST_MAJOR = 6;

/** Time limit of `mongod --version`; reading 140 MB from a cold disk takes a few seconds. */
const PROBE_TIMEOUT_MS = 15_000;

/**
 * Runs `<path> --version`.
 * @returns the version, for example `6.0.5`
 * @throws Error with the reason in one line if the binary is not usable
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
