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
 */
export function* emailRanges(text: string, isSelected: (email: string) => boolean): Generator<TextRange> {
  let from = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const ends = endsAfter(text, at);
    const ranges = startsBefore(text, at, from).flatMap((start) => ends.map((end) => ({ start, end })));
    const range = ranges.find(({ start, end }) => isSelected(text.slice(start, end)));
    if (!range) continue;
    yield range;
    from = range.end;
  }
}
