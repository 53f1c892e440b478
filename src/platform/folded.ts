/** Matches a text of ASCII characters only. */
export const ASCII = /^[\0-\x7f]*$/;
const MARKS = /\p{M}+/gu;

/**
 * Folds case, accents and character width. Marks are also removed before the normalization, which would sort a long run
 * of marks in quadratic time (the reason why UAX #15 limits runs to 30).
 */
export function folded(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.replace(MARKS, '').normalize('NFKD').replace(MARKS, '').toLowerCase();
}
