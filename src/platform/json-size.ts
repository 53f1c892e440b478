/** Strings shorter than this count by their length: escapes cannot make them large. */
const SHORT = 64;

/** Returns the size of a text as JSON in UTF-8, without the quotes; an escaped character counts as its escape. */
export const jsonTextBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/**
 * Estimates the size of a value as JSON in bytes; exact for long strings. Stops once `limit` is exceeded.
 * @param value JSON; may contain dates
 */
export function jsonBytes(value: unknown, limit = Number.POSITIVE_INFINITY): number {
  if (typeof value === 'string') return 2 + (value.length < SHORT ? value.length : jsonTextBytes(value));
  if (typeof value !== 'object' || value === null) return 4;
  if (value instanceof Date) return 26;
  let bytes = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      bytes += jsonBytes(item, limit - bytes) + 1;
      if (bytes > limit) return bytes;
    }
    return bytes;
  }
  for (const key in value) {
    bytes += key.length + 4 + jsonBytes((value as Record<string, unknown>)[key], limit - bytes);
    if (bytes > limit) return bytes;
  }
  return bytes;
}
