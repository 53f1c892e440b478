/** Returns the first field of the unique index that a write violated; null for any other error. */
export function duplicateKeyOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error) || error.code !== 11000) return null;
  // The error of a bulk write names the index only in its message.
  if ('keyPattern' in error && typeof error.keyPattern === 'object' && error.keyPattern !== null)
    return Object.keys(error.keyPattern)[0] ?? '';
  return /dup key: \{ (\w+):/.exec('message' in error ? String(error.message) : '')?.[1] ?? '';
}
