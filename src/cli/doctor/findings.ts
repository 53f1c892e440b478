/** `ok`: as it should be; `warn`: works, but look at it; `fail`: does not work. */
export type Level = 'ok' | 'warn' | 'fail';

/** What one check found. */
export interface Finding {
  check: string;
  level: Level;
  message: string;
  /** What to do about it; null where there is nothing to do. */
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

/** Runs a check; one that throws has failed, with the error as its message and `action` as what to do. */
export async function check(name: string, action: string, run: () => Promise<Finding>): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    return fail(name, error instanceof Error ? error.message.replace(/\s+/g, ' ') : String(error), action);
  }
}
