/** Where a command's result goes: one JSON document, or a few lines for people. */
export function print(json: boolean, result: unknown, text: string): void {
  process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : `${text}\n`);
}

/**
 * Text from outside, made safe for a terminal: control characters (an escape sequence could move the cursor or
 * hide a line) are shown as `\x1b`. Line feeds and tabs stay.
 */
export const printable = (text: string): string =>
  text.replace(
    /[^\P{Cc}\n\t]/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );

/** Rows under headings, each column as wide as its widest cell. */
export function table(headings: string[], rows: (string | number)[][]): string {
  const cells = [headings, ...rows.map((row) => row.map((cell) => printable(String(cell))))];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Appends a table of rejected rows to a summary; `total` counts the rows that are not listed too. */
export function withRejections(
  summary: string,
  { headings, rows, total }: { headings: string[]; rows: (string | number)[][]; total: number },
): string {
  if (total === 0) return summary;
  const more = total > rows.length ? `\n… and ${count(total - rows.length)} more.` : '';
  return `${summary}\n\n${table(headings, rows)}${more}`;
}

/** Names and values of one thing, below each other. */
export function fields(values: Record<string, string | number | null>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${value === null ? '-' : printable(String(value))}`)
    .join('\n');
}

/** A moment for people: UTC, to the second; `-` for none. */
export const moment = (at: Date | null): string =>
  at
    ? at
        .toISOString()
        .replace('T', ' ')
        .replace(/\.\d+Z$/, 'Z')
    : '-';

/** `1,234`. */
export const count = (value: number): string => value.toLocaleString('en');
