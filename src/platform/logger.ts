import pino from 'pino';
import { logError } from './log-error.ts';

export type Logger = pino.Logger;

/**
 * Creates a logger that writes JSON lines, or human-readable lines if stdout is a terminal. Redaction is a second line
 * of defense; callers must not log secrets or personal data.
 *
 * @param to `stderr` for commands, which reserve stdout for their result
 */
export function createLogger(
  level: string,
  to: 'stdout' | 'stderr' | pino.DestinationStream = 'stdout',
): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: logError },
    redact: {
      paths: ['*.secret', '*.key', '*.apiKey', '*.token', '*.authorization', '*.headers.authorization'],
      censor: '[redacted]',
    },
  };
  if (to === 'stdout' && process.stdout.isTTY)
    return pino({ ...options, transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } });
  const labeled = { ...options, formatters: { level: (label: string) => ({ level: label }) } };
  if (typeof to === 'object') return pino(labeled, to);
  return pino(labeled, pino.destination({ fd: to === 'stdout' ? 1 : 2, sync: true }));
}
