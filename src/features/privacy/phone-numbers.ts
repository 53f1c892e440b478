import type { TextRange } from '../../platform/text-range.ts';
import { withoutInvisible } from './legible-text.ts';

/** Digits of a phone number; shorter numbers are more often something else. */
const DIGITS = { min: 9, max: 15 };
/** Groups of digits that a phone number is written in, at most. */
const MAX_GROUPS = 8;
const MAX_GAP = 4;
/** What can stand between two digits, for classes in patterns; `\s` of the database is ASCII only. */
export const PHONE_GAP = '\\s\u00a0\u2007\u2009\u202f()./\u2010-\u2013-';
const GAP = new RegExp(`^[${PHONE_GAP}]{1,${MAX_GAP}}$`, 'u');
const WORD_CHARACTER = /[\p{L}\p{N}]/u;
const DATE = /(?:(?:19|20)\d\d-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d)(?!\d)/uy;
/** Opening hours or a time. */
const HOURS = /\d{1,2}(?:\s?[\u2013-]\s?\d{1,2}|:\d\d)(?!\d)/uy;
/** Country calling codes of ITU E.164: all that are not listed have three digits. */
const COUNTRY_CODE = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** Returns the last digits of a number as it is compared, which its forms have in common. */
export const phoneWord = (digits: string): string => digits.slice(-DIGITS.min);

/** A group of digits in a text. */
interface Group extends TextRange {
  digits: string;
}

const groupsIn = (text: string): Group[] =>
  Array.from(text.matchAll(/\d+/g), ({ 0: digits, index }) => ({
    digits,
    start: index,
    end: index + digits.length,
  }));

/** Returns the start of a number with its plus sign and parenthesis; null within a word. */
function numberStart(text: string, { start }: Group): number | null {
  let first = start;
  if (text.charAt(first - 1) === '(') first -= 1;
  if (text.charAt(first - 1) === '+') first -= 1;
  if (text.charAt(first - 1) === '(') first -= 1;
  return WORD_CHARACTER.test(text.charAt(first - 1)) ? null : first;
}

/** Returns the groups that a number from a position on can have, each with its digits: without `00` and `(0)`. */
function runFrom(text: string, groups: readonly Group[], position: number): Group[] {
  const run: Group[] = [];
  for (const group of groups.slice(position, position + MAX_GROUPS)) {
    const previous = run.at(-1);
    const { digits, start, end } = group;
    if (!previous) run.push({ ...group, digits: digits.replace(/^00/, '') });
    else if (!GAP.test(text.slice(previous.end, start))) break;
    else if (digits === '0' && text.charAt(start - 1) === '(' && text.charAt(end) === ')')
      run.push({ ...group, digits: '' });
    else run.push(group);
  }
  return run;
}

/** Returns where what a pattern describes ends; null if it does not begin at a position. */
function endOf(pattern: RegExp, text: string, start: number): number | null {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : null;
}

const hasRemark = (text: string, { end }: Group, next: Group): boolean =>
  text.slice(end, next.start).includes('(') ||
  endOf(DATE, text, next.start) !== null ||
  endOf(HOURS, text, next.start) !== null;

const isLength = (digits: string): boolean => digits.length >= DIGITS.min && digits.length <= DIGITS.max;

/**
 * Returns the digits of the phone numbers in a text, without `00` and `(0)`. What follows a complete number in
 * parentheses, a date and hours do not belong to it.
 */
export function phonesIn(source: string): string[] {
  const text = withoutInvisible(source);
  const groups = groupsIn(text);
  const phones: string[] = [];
  for (let position = 0; position < groups.length; ) {
    const [first, ...rest] = runFrom(text, groups, position);
    if (!first) break;
    position += 1;
    const dateEnd = endOf(DATE, text, first.start);
    if (dateEnd !== null) {
      while ((groups[position]?.start ?? dateEnd) < dateEnd) position += 1;
      continue;
    }
    if (numberStart(text, first) === null) continue;
    let last = first;
    let { digits } = first;
    for (const next of rest) {
      if (digits.length >= DIGITS.min && hasRemark(text, last, next)) break;
      digits += next.digits;
      last = next;
      position += 1;
    }
    if (isLength(digits) && !WORD_CHARACTER.test(text.charAt(last.end))) phones.push(digits);
  }
  return phones;
}

/**
 * Finds the phone numbers that a predicate selects. Each group of digits can be the first and the last one, since other
 * numbers can stand beside a phone number.
 */
export function* phoneRanges(text: string, isSelected: (digits: string) => boolean): Generator<TextRange> {
  const groups = groupsIn(text);
  for (let position = 0; position < groups.length; ) {
    const range = longestNumber(text, runFrom(text, groups, position), isSelected);
    position += range?.groups ?? 1;
    if (range) yield range;
  }
}

function longestNumber(
  text: string,
  run: readonly Group[],
  isSelected: (digits: string) => boolean,
): (TextRange & { groups: number }) | null {
  const [first] = run;
  const start = first ? numberStart(text, first) : null;
  if (!first || start === null) return null;
  const isPrefixed = text.startsWith('0', first.start) || text.slice(start, first.start).includes('+');
  for (let groups = run.length; groups > 0; groups -= 1) {
    const end = run[groups - 1]?.end ?? start;
    const found = run.slice(0, groups);
    const digits = found.map((group) => group.digits).join('');
    if (!isLength(digits) || WORD_CHARACTER.test(text.charAt(end))) continue;
    // Without a prefix, it is unknown which digits are the country code.
    const forms = isPrefixed ? phoneForms(digits) : [digits];
    // An earlier version suppressed numbers with the `0` of `(0)`.
    const written = found.map((group) => text.slice(group.start, group.end)).join('');
    if ([...new Set([...forms, written.replace(/^00/, '')])].some(isSelected)) return { start, end, groups };
  }
  return null;
}

/** A phone number as it is compared. */
interface PhoneParts {
  /** Null for a number that is written without it. */
  countryCode: string | null;
  /** Without the `0` that precedes it within a country. */
  national: string;
}

/** Returns the parts of a number: with a `0` at the beginning it is national, otherwise international. */
export function phoneParts(digits: string): PhoneParts {
  if (digits.startsWith('0')) return { countryCode: null, national: digits.replace(/^0+/, '') };
  const [countryCode = ''] = COUNTRY_CODE.exec(digits) ?? [];
  return { countryCode, national: digits.slice(countryCode.length) };
}

/** Returns the digits that a number is compared by: as they are, and without the country code if enough are left. */
export function phoneForms(digits: string): string[] {
  const { national } = phoneParts(digits);
  return national.length >= DIGITS.min ? [digits, national] : [digits];
}
