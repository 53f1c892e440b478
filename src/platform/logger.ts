import pino from 'pino';

export type Logger = pino.Logger;

/**
 * JSON lines; on stdout readable ones where a person watches.
 * Redaction is the second line of defence: nothing secret or personal is passed to a logger to begin with.
 *
 * @param to `stderr` for commands, whose stdout belongs to their result
 */
export function createLogger(level: string, to: 'stdout' | 'stderr' = 'stdout'): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['*.secret', '*.key', '*.apiKey', '*.authorization', '*.headers.authorization'],
      censor: '[redacted]',
    },
  };
  if (to === 'stdout' && process.stdout.isTTY)
    return pino({ ...options, transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } });
  const labelled = { ...options, formatters: { level: (label: string) => ({ level: label }) } };
  return pino(labelled, pino.destination({ fd: to === 'stdout' ? 1 : 2, sync: true }));
}
