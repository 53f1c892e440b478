/** First characters with which a spreadsheet takes a cell for a formula (OWASP, CSV injection). */
const FORMULA_START = /^[=+\-@\t\r\n＝＋－＠]/;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  // A negative number is not a formula.
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text =
    typeof value === 'string' ? value : value instanceof Date ? value.toISOString() : JSON.stringify(value);
  const harmless = FORMULA_START.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** Returns a line of CSV (RFC 4180). Text that a spreadsheet would execute begins with an apostrophe. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(cellOf).join(',')}\r\n`;
