import pino from 'pino';

export type Logger = pino.Logger;

/**
 * JSON lines on stdout; readable lines only where a person watches.
 * Redaction is the second line of defence: nothing secret or personal is passed to a logger to begin with.
 */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: ['*.secret', '*.key', '*.apiKey', '*.authorization', '*.headers.authorization'],
      censor: '[redacted]',
    },
    ...(process.stdout.isTTY
      ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } }
      : {}),
  });
}
