import type { TextRange } from '../../platform/text-range.ts';

/** Characters without width, which a word can contain unseen. For classes in patterns, of the database as well. */
export const INVISIBLE = '\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff';

const UNSEEN = new RegExp(`[${INVISIBLE}]+`, 'gu');
/** Invisible characters, and visible ASCII characters as URLs have them. */
const ENCODED = new RegExp(`[${INVISIBLE}]+|%[2-7][0-9a-f]`, 'giu');

/** Returns a text without characters that have no width. */
export const withoutInvisible = (text: string): string => text.replace(UNSEEN, '');

/** Returns the text that a person reads, and where each of its characters is in the source. */
function legible(source: string): { text: string; indexInSource: (index: number) => number } {
  if (source.search(ENCODED) === -1) return { text: source, indexInSource: (index) => index };
  let text = '';
  let copied = 0;
  const indexes: number[] = [];
  const copy = (end: number) => {
    text += source.slice(copied, end);
    for (; copied < end; copied += 1) indexes.push(copied);
  };
  for (const { 0: encoded, index } of source.matchAll(ENCODED)) {
    copy(index);
    if (encoded.startsWith('%')) {
      text += String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
      indexes.push(index);
    }
    copied = index + encoded.length;
  }
  copy(source.length);
  return { text, indexInSource: (index) => indexes[index] ?? source.length };
}

/**
 * Replaces parts of a text, found in what a person reads: without invisible characters, and with `@` for `%40`.
 *
 * @param rangesIn returns disjoint ranges, in order
 */
export function replaceRanges(
  source: string,
  rangesIn: (text: string) => Iterable<TextRange>,
  replacement: string,
): string {
  const { text, indexInSource } = legible(source);
  let result = '';
  let copied = 0;
  for (const { start, end } of rangesIn(text)) {
    result += source.slice(copied, indexInSource(start)) + replacement;
    copied = indexInSource(end);
  }
  return result + source.slice(copied);
}
