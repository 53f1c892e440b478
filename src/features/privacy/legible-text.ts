import type { TextRange } from '../../platform/text-range.ts';

/** Characters without width, which a word can contain unseen. For classes in patterns, of the database as well. */
export const INVISIBLE = '\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff';

const UNSEEN = new RegExp(`[${INVISIBLE}]+`, 'gu');
/** Invisible characters, and bytes as URLs have them. */
const IN_TEXT = `[${INVISIBLE}]+|%[0-9a-fA-F]{2}`;
/** JSON within JSON escapes backslashes again. An escape begins at the first of them, so that a run is read once. */
const IN_JSON = '(?<!\\\\)\\\\+(?:u(?<unit>[0-9a-fA-F]{4})|(?<control>[nrtbf]))';
const ENCODED = {
  text: new RegExp(IN_TEXT, 'gu'),
  json: new RegExp(`${IN_TEXT}|${IN_JSON}`, 'gu'),
};

/** How a text is read: as it is, or also with the escapes of JSON. */
export type Reading = keyof typeof ENCODED;

/** What a byte of a character beyond ASCII is read as: no word goes on there. */
const NO_LETTER = '\ufffd';
const ASCII_END = 0x80;

/** Returns a text without characters that have no width. */
export const withoutInvisible = (text: string): string => text.replace(UNSEEN, '');

/** Returns what an encoded character is read as. */
function decoded({ 0: encoded, groups }: RegExpExecArray): string {
  if (encoded.startsWith('%')) {
    const byte = Number.parseInt(encoded.slice(1), 16);
    return byte < ASCII_END ? String.fromCharCode(byte) : NO_LETTER;
  }
  if (groups?.control) return '\n';
  return groups?.unit ? withoutInvisible(String.fromCharCode(Number.parseInt(groups.unit, 16))) : '';
}

/** Returns the text that a person reads, and where each of its characters is in the source. */
function legible(
  source: string,
  reading: Reading,
): { text: string; indexInSource: (index: number) => number } {
  const pattern = ENCODED[reading];
  if (source.search(pattern) === -1) return { text: source, indexInSource: (index) => index };
  let text = '';
  let copied = 0;
  const indexes: number[] = [];
  const copy = (end: number) => {
    text += source.slice(copied, end);
    for (; copied < end; copied += 1) indexes.push(copied);
  };
  for (const match of source.matchAll(pattern)) {
    copy(match.index);
    const character = decoded(match);
    text += character;
    if (character !== '') indexes.push(match.index);
    copied = match.index + match[0].length;
  }
  copy(source.length);
  return { text, indexInSource: (index) => indexes[index] ?? source.length };
}

/** Finds ranges in a text. */
export type FindRanges = (text: string) => Iterable<TextRange>;

/** Finds ranges in what a person reads: without invisible characters, and with `@` for `%40` and, in JSON, `\u0040`. */
export function* legibleRanges(
  source: string,
  rangesIn: FindRanges,
  reading: Reading = 'text',
): Generator<TextRange> {
  const { text, indexInSource } = legible(source, reading);
  for (const { start, end } of rangesIn(text)) yield { start: indexInSource(start), end: indexInSource(end) };
}

/** Replaces parts of a text. @param ranges disjoint, in order */
export function replaceRanges(source: string, ranges: Iterable<TextRange>, replacement: string): string {
  let result = '';
  let copied = 0;
  for (const { start, end } of ranges) {
    result += source.slice(copied, start) + replacement;
    copied = end;
  }
  return result + source.slice(copied);
}
