/** What to do when a sync has failed with a code, beyond what its message says. */
const ADVICE: Record<string, string> = {
  PROVIDER_KEY_INVALID: 'Make a new key at the provider, and replace the one here.',
  PROVIDER_UNAVAILABLE: 'Sync again when the provider is well; the next sync by schedule tries, too.',
  RATE_LIMITED: 'Leave the provider alone for a while before you sync again.',
  NOT_CONFIGURED: 'Replace the key.',
  INTERNAL: 'Sync again. If that fails as well, the operator finds the cause in the log.',
};

export const adviceOn = (code: string | undefined): string => ADVICE[code ?? ''] ?? '';
