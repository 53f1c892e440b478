/** Severity of a finding: `warn` needs attention, `fail` prevents operation. */
export type Level = 'ok' | 'warn' | 'fail';

export interface Finding {
  check: string;
  level: Level;
  message: string;
  /** Recommended action; null for level `ok`. */
  action: string | null;
}

export const ok = (check: string, message: string): Finding => ({
  check,
  level: 'ok',
  message,
  action: null,
});
export const warn = (check: string, message: string, action: string): Finding => ({
  check,
  level: 'warn',
  message,
  action,
});
export const fail = (check: string, message: string, action: string): Finding => ({
  check,
  level: 'fail',
  message,
  action,
});

/** Returns the message of an error on one line. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/\s+/g, ' ') : String(error);

/** Runs a check; if it throws, the finding has level `fail`, the error's message and `action`. */
export async function check(name: string, action: string, run: () => Promise<Finding>): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    return fail(name, messageOf(error), action);
  }
}
