/** First field of the unique index that a write has violated; null when the error is another. */
export function duplicateKeyOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error) || error.code !== 11000) return null;
  // A bulk write reports the index only in its text; a single one also as `keyPattern`.
  if ('keyPattern' in error && typeof error.keyPattern === 'object' && error.keyPattern !== null)
    return Object.keys(error.keyPattern)[0] ?? '';
  return /dup key: \{ (\w+):/.exec('message' in error ? String(error.message) : '')?.[1] ?? '';
}
