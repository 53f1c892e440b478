import { userInfo } from 'node:os';

/** Returns the name of the account that runs this process, or its number where the system has no name for it. */
export function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
