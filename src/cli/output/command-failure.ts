import { CommanderError } from 'commander';
import { ConfigError, EXIT_CONFIG } from '../../config/config.ts';
import { AppError, type ErrorDetail } from '../../errors/app-error.ts';
import { WorkerStartError } from '../../runtime/workers/worker-start-error.ts';

export const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

/** Invalid combination of options; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Exit code and output of a failed command. */
export interface Failure {
  exitCode: number;
  /** Lines for stderr; empty if commander has already written them. */
  lines: string[];
  /** Document that `--json` prints on stdout, in the format of REST errors. */
  document: { error: { code: string; message: string; details?: ErrorDetail[] } };
}

/** Prints a failure on stderr, and sets the exit code. */
export function report({ lines, exitCode }: Failure): void {
  for (const line of lines) process.stderr.write(`${line}\n`);
  process.exitCode = exitCode;
}

/** Converts the error that a command has thrown; null if it is not a failure (`--help`, `--version`). */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof CommanderError) return commanderFailure(error);
  if (error instanceof UsageError) {
    return failure(EXIT_USAGE, { code: 'USAGE', message: error.message });
  }
  if (error instanceof ConfigError) {
    const details = error.problems.map(({ variable, message }) => ({ path: variable, message }));
    const document = {
      error: { code: 'CONFIGURATION', message: 'The configuration is invalid.', details },
    };
    return { exitCode: EXIT_CONFIG, lines: error.message.split('\n'), document };
  }
  if (error instanceof AppError) return failure(EXIT_FAILURE, error);
  if (error instanceof WorkerStartError)
    return failure(error.exitCode, { code: 'SERVICE_UNAVAILABLE', message: error.message });
  const message = error instanceof Error ? error.message : String(error);
  return failure(EXIT_FAILURE, { code: 'INTERNAL', message });
}

function commanderFailure(error: CommanderError): Failure | null {
  if (error.code === 'commander.helpDisplayed' || error.code === 'commander.version') return null;
  // commander shows the help unasked if the command name is missing.
  const message =
    error.code === 'commander.help'
      ? 'The name of a command is required.'
      : error.message.replace(/^error: /, '');
  return { ...failure(EXIT_USAGE, { code: 'USAGE', message }), lines: [] };
}

interface FailureCause {
  code: string;
  message: string;
  details?: ErrorDetail[] | undefined;
}

function failure(exitCode: number, { code, message, details }: FailureCause): Failure {
  const where = details?.map((detail) => `${detail.path}: ${detail.message}`).join('; ');
  const line = (where ? `${message} ${where}` : message).replace(/\s+/g, ' ');
  return { exitCode, lines: [line], document: { error: { code, message, ...(details ? { details } : {}) } } };
}
