import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { errorCodeOf } from '../platform/error-code.ts';

type Environment = Record<string, string | undefined>;

/** A variable that tells where the value of a secret is. */
interface SecretSource {
  variable: string;
  /** Variable whose value it provides. */
  secret: string;
  /**
   * Returns the value of the secret.
   * @throws Error whose message tells the problem without the location, which may be the secret itself by mistake
   */
  read: (location: string) => string;
  accepted: string;
}

/** Maximum size of a secret, in bytes. */
const MAX_SECRET_BYTES = 65_536;
/** A command that asks a key management service takes a second or two. */
const COMMAND_TIMEOUT_MS = 30_000;

function readSecretFile(path: string): string {
  const bytes = Buffer.alloc(MAX_SECRET_BYTES + 1);
  let length = 0;
  try {
    const file = openSync(path, 'r');
    try {
      for (let read = -1; read !== 0 && length < bytes.length; length += read)
        read = readSync(file, bytes, length, bytes.length - length, null);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new Error(`the file cannot be read (${errorCodeOf(error) ?? error})`);
  }
  if (length > MAX_SECRET_BYTES) throw new Error(`the file has more than ${MAX_SECRET_BYTES} bytes`);
  const text = bytes.toString('utf8', 0, length).trim();
  if (text === '') throw new Error('the file is empty');
  return text;
}

/** Runs a command of the shell; what it writes to stderr is shown, since it explains a failure. */
function outputOf(command: string): string {
  const { error, signal, status, stdout } = spawnSync('/bin/sh', ['-c', command], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: COMMAND_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_SECRET_BYTES,
  });
  const code = errorCodeOf(error);
  if (code === 'ETIMEDOUT') throw new Error(`the command did not end within ${COMMAND_TIMEOUT_MS / 1000} s`);
  if (code === 'ENOBUFS') throw new Error(`the command printed more than ${MAX_SECRET_BYTES} bytes`);
  if (error) throw new Error(`the command cannot be run (${code ?? error.message})`);
  if (status !== 0) throw new Error(`the command ended with ${signal ?? `exit code ${status}`}`);
  const text = stdout.toString('utf8').trim();
  if (text === '') throw new Error('the command printed nothing');
  return text;
}

/** The variable of a secret with the suffix `_FILE`: the path of a file with the secret. */
export const inFile = (secret: string): SecretSource => ({
  variable: `${secret}_FILE`,
  secret,
  read: readSecretFile,
  accepted: `a file with the value of ${secret}`,
});

/** A variable with a command of the shell that prints the secret, such as one that asks a key management service. */
export const fromCommand = (variable: string, secret: string): SecretSource => ({
  variable,
  secret,
  read: outputOf,
  accepted: `a command that prints the value of ${secret}`,
});

/**
 * Reads the secrets of the sources that are set.
 * @returns the values by the variables of the secrets, the variable that each came from, and the problems of those that
 *   have no value or are given twice; problems never contain a location or a secret
 */
export function readSecrets(given: Environment, sources: readonly SecretSource[]) {
  const values: Environment = {};
  const origins: Record<string, string> = {};
  const problems: { variable: string; message: string }[] = [];
  for (const { variable, secret, read, accepted } of sources) {
    const location = given[variable];
    if (location === undefined) continue;
    const other = given[secret] === undefined ? origins[secret] : secret;
    origins[secret] = variable;
    if (other) {
      problems.push({ variable, message: `is set as well as ${other}; accepted: one of the two` });
      continue;
    }
    try {
      values[secret] = read(location);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      problems.push({ variable, message: `${problem}; accepted: ${accepted}` });
    }
  }
  return { values, origins, problems };
}
