/** Next step for each error code of a sync. */
const ADVICE: Record<string, string> = {
  PROVIDER_KEY_INVALID: 'Create a new key at the provider and replace the key here.',
  PROVIDER_UNAVAILABLE: 'Sync again when the provider is available. Scheduled syncs retry automatically.',
  RATE_LIMITED: 'Wait a few minutes before you sync again.',
  NOT_CONFIGURED: 'Replace the provider key.',
  INTERNAL: 'Sync again. If the sync fails again, the service log has the cause.',
};

/** Returns the next step for an error code; an empty string if there is no advice. */
export const syncErrorAdvice = (code: string | undefined): string => ADVICE[code ?? ''] ?? '';
