import { folded } from '../../platform/folded.ts';
import type { TextRange } from '../../platform/text-range.ts';

const MAX_LOCAL_PART = 64;
const MAX_DOMAIN = 255;
const IN_LOCAL_PART = /[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~.-]/u;
const IN_DOMAIN = /[\p{L}\p{N}\p{M}.-]/u;
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;
/** Joins two words of an address. Elsewhere, such a character belongs to the text around the address. */
const JOINER = /[._%+'-]/;
/** Where an address at an `@` is assumed to begin and to end, at most: each combination is compared. */
const MAX_STARTS = 4;
const MAX_ENDS = { last: 3, first: 3 };
const WORD_BEFORE = /[\p{L}\p{N}\p{M}]*$/u;
const WORD_AFTER = /^[\p{L}\p{N}\p{M}]*/u;

/** Returns both words beside an `@` in one form for all spellings. Lower case depends on the position of a sigma. */
const compared = (words: string): string => folded(words).replaceAll('ς', 'σ');

/**
 * Returns the words beside the `@` of an address in lower case: `emailRanges` selects the address only where these are.
 * Empty for a text that it never selects.
 */
export function emailWords(email: string): string[] {
  const [local, domain, ...others] = email.split('@');
  if (local === undefined || domain === undefined || others.length > 0) return [];
  return [compared(`${WORD_BEFORE.exec(local)}@${WORD_AFTER.exec(domain)}`)];
}

/** Returns the words beside an `@` that every address there has, wherever it begins and ends. */
function wordsAt(text: string, at: number, from: number): string {
  let start = at;
  while (start > from && at - start < MAX_LOCAL_PART && WORD_CHARACTER.test(text.charAt(start - 1)))
    start -= 1;
  let end = at + 1;
  while (end - at <= MAX_DOMAIN && WORD_CHARACTER.test(text.charAt(end))) end += 1;
  return compared(text.slice(start, end));
}

/** Returns where an address can begin, the first position first: punctuation can belong to it or to the text. */
function startsBefore(text: string, at: number, from: number): number[] {
  let first = at;
  while (first > from && at - first < MAX_LOCAL_PART && IN_LOCAL_PART.test(text.charAt(first - 1)))
    first -= 1;
  const starts: number[] = [];
  for (let index = first; index < at; index += 1) {
    const [beforePrevious, previous] = [text.charAt(index - 2), text.charAt(index - 1)];
    const isJoined = JOINER.test(previous) && index - 2 >= first && WORD_CHARACTER.test(beforePrevious);
    if (index === first || !(WORD_CHARACTER.test(previous) || isJoined)) starts.push(index);
  }
  return starts.length <= MAX_STARTS ? starts : [first, ...starts.slice(1 - MAX_STARTS)];
}

/** Returns where an address can end, the last position first: a sentence can go on after a dot or dashes. */
function endsAfter(text: string, at: number): number[] {
  let last = at + 1;
  while (last < text.length && last - at <= MAX_DOMAIN && IN_DOMAIN.test(text.charAt(last))) last += 1;
  while (last > at + 1 && !WORD_CHARACTER.test(text.charAt(last - 1))) last -= 1;
  const ends: number[] = [];
  for (let index = last; index > at + 1; index -= 1) {
    const isCut = index === last || text.charAt(index) === '.' || text.startsWith('--', index);
    if (isCut && WORD_CHARACTER.test(text.charAt(index - 1))) ends.push(index);
  }
  const { last: far, first: near } = MAX_ENDS;
  return ends.length <= far + near ? ends : [...ends.slice(0, far), ...ends.slice(-near)];
}

/**
 * Finds the email addresses that a predicate selects, starting from each `@`: a pattern would try every character as a
 * start, in quadratic time.
 *
 * @param hasWords returns false if no selected address has these `emailWords`; spares the comparison of each address
 */
export function* emailRanges(
  text: string,
  isSelected: (email: string) => boolean,
  hasWords: (words: string) => boolean = () => true,
): Generator<TextRange> {
  let from = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    if (!hasWords(wordsAt(text, at, from))) continue;
    const ends = endsAfter(text, at);
    const ranges = startsBefore(text, at, from).flatMap((start) => ends.map((end) => ({ start, end })));
    const range = ranges.find(({ start, end }) => isSelected(text.slice(start, end)));
    if (!range) continue;
    yield range;
    from = range.end;
  }
}
