import type { BadLineReason } from '../../platform/bad-lines.ts';

interface CommandOutput {
  /** Selects `result` instead of `text`. */
  json: boolean;
  result: unknown;
  text: string;
}

/** Prints the result of a command on stdout: as one JSON document, or as text. */
export function print({ json, result, text }: CommandOutput): void {
  process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : `${text}\n`);
}

/**
 * Makes untrusted text safe for a terminal: writes control characters, except line feeds and tabs, as `\x1b` and the
 * like. An escape sequence could move the cursor or hide a line.
 */
export const printable = (text: string): string =>
  text.replace(
    /[^\P{Cc}\n\t]/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );

/** Formats rows as a table whose columns are as wide as their widest cell. */
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

interface Rejections {
  reasons: BadLineReason[];
  totals: string;
}

/** Formats bad lines by reason, and last the totals, so that a long list does not scroll them away. */
export const withRejections = ({ reasons, totals }: Rejections): string =>
  reasons.length === 0
    ? totals
    : [
        table(
          ['ROWS', 'FIRST LINES', 'REASON'],
          reasons.map(({ count: of, lines, reason }) => [count(of), lines.join(', '), reason]),
        ),
        '',
        totals,
      ].join('\n');

/** Formats names and values as aligned lines. */
export function fields(values: Record<string, string | number | null>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${value === null ? '-' : printable(String(value))}`)
    .join('\n');
}

/** Formats a time in UTC, to the second; null as `-`. */
export const timestamp = (at: Date | null): string =>
  at
    ? at
        .toISOString()
        .replace('T', ' ')
        .replace(/\.\d+Z$/, 'Z')
    : '-';

/** Formats a number with thousands separators. */
export const count = (value: number): string => value.toLocaleString('en');
