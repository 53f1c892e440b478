import { CommanderError } from 'commander';
import { ConfigError, EXIT_CONFIG } from '../../config.ts';
import { AppError, type ErrorDetail } from '../../errors.ts';

export const EXIT_FAILURE = 1;
export const EXIT_USAGE = 2;

/** The command was called in a way that it does not understand; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** How a failed command ends. */
export interface Failure {
  exitCode: number;
  /** Lines for stderr; empty when they have been written already. */
  lines: string[];
  /** What `--json` prints on stdout: the shape of REST's errors (contract 4). */
  document: { error: { code: string; message: string; details?: ErrorDetail[] } };
}

/** What a command that threw `error` prints, and its exit code; null when it is no failure (`--help`, `--version`). */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof CommanderError) return commanderFailure(error);
  if (error instanceof UsageError) {
    return failure(EXIT_USAGE, 'USAGE', error.message);
  }
  if (error instanceof ConfigError) {
    const details = error.problems.map(({ variable, message }) => ({ path: variable, message }));
    const document = {
      error: { code: 'CONFIGURATION', message: 'The configuration is not valid.', details },
    };
    return { exitCode: EXIT_CONFIG, lines: error.message.split('\n'), document };
  }
  if (error instanceof AppError) return failure(EXIT_FAILURE, error.code, error.message, error.details);
  return failure(EXIT_FAILURE, 'INTERNAL', error instanceof Error ? error.message : String(error));
}

/** commander has written its message to stderr already. */
function commanderFailure(error: CommanderError): Failure | null {
  if (error.code === 'commander.helpDisplayed' || error.code === 'commander.version') return null;
  // Help that nobody asked for: the name of a command is missing.
  const message =
    error.code === 'commander.help' ? 'A command is needed.' : error.message.replace(/^error: /, '');
  return { ...failure(EXIT_USAGE, 'USAGE', message), lines: [] };
}

function failure(exitCode: number, code: string, message: string, details?: ErrorDetail[]): Failure {
  const where = details?.map((detail) => `${detail.path}: ${detail.message}`).join('; ');
  const line = (where ? `${message} ${where}` : message).replace(/\s+/g, ' ');
  return { exitCode, lines: [line], document: { error: { code, message, ...(details ? { details } : {}) } } };
}
