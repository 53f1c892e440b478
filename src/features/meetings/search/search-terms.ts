import { ASCII, folded } from '../../../platform/folded.ts';
import type { TextRange } from '../../../platform/text-range.ts';

/** Terms of title, participants and summary per meeting. Only the start of a long summary is searchable. */
const MAX_TERMS = 2_000;
/** Distinct indexed words per meeting, transcript included. */
export const MAX_WORDS = 5_000;
/** Terms that a search uses. More terms would hardly narrow the result. */
const MAX_SEARCH_TERMS = 16;
const MAX_TERM_LENGTH = 100;
/** Characters of an indexed word; the rest of a longer word is ignored. */
const MAX_WORD_LENGTH = 40;

/** Maximum lengths of the parts of an email address. */
const MAX_LOCAL_PART = 64;
const MAX_DOMAIN = 255;
const IN_ADDRESS = /[^\s@<>(),;:"]/;
const WORD = /[\p{L}\p{N}]+/gu;
/** A word in original text, where accents may be separate characters. */
const UNFOLDED_WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
/** Several times faster than `WORD`. Expects lower case. */
const ASCII_WORD = /[a-z0-9]+/g;

/** @param text folded */
const wordsIn = (text: string): string[] =>
  (text.match(ASCII.test(text) ? ASCII_WORD : WORD) ?? []).map((word) => word.slice(0, MAX_TERM_LENGTH));

/** Finds email addresses, starting from each `@`: a pattern would try every character as a start. */
function addressRanges(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  let from = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > from && at - start < MAX_LOCAL_PART && IN_ADDRESS.test(text.charAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < text.length && end - at <= MAX_DOMAIN && IN_ADDRESS.test(text.charAt(end))) end += 1;
    if (start === at || end === at + 1) continue;
    ranges.push({ start, end });
    from = end;
  }
  return ranges;
}

const addressesIn = (text: string): string[] =>
  addressRanges(text).map(({ start, end }) =>
    text.slice(start, end).replace(/\.+$/, '').slice(0, MAX_TERM_LENGTH),
  );

function withoutAddresses(text: string): string {
  let [rest, from] = ['', 0];
  for (const { start, end } of addressRanges(text)) {
    rest += `${text.slice(from, start)} `;
    from = end;
  }
  return rest + text.slice(from);
}

const foldedTerms = (text: string): string[] => {
  const plain = folded(text);
  return [...addressesIn(plain), ...wordsIn(plain)];
};

/** Returns the terms of a meeting: each word of its texts, and each email address as a whole as well. */
export function termsOf(texts: Iterable<string | null>): string[] {
  const terms = new Set<string>();
  for (const text of texts) {
    if (text === null) continue;
    for (const term of foldedTerms(text)) {
      terms.add(term);
      if (terms.size === MAX_TERMS) return [...terms];
    }
  }
  return [...terms];
}

/**
 * Returns the terms of a search: its words, and its email addresses as a whole. Punctuation only separates words. The
 * longest term comes first: it is probably the rarest, and limits what is read for the others.
 */
export function searchTerms(search: string): string[] {
  const plain = folded(search);
  const addresses = addressesIn(plain);
  const terms = new Set([...addresses, ...wordsIn(withoutAddresses(plain))]);
  return [...terms].toSorted((a, b) => b.length - a.length).slice(0, MAX_SEARCH_TERMS);
}

export const toIndexedWord = (term: string): string =>
  term.length > MAX_WORD_LENGTH ? term.slice(0, MAX_WORD_LENGTH).toWellFormed() : term;

/** Calls `add` for each word of a text until it returns `MAX_WORDS`. */
export function eachIndexedWord(text: string, add: (word: string) => number): void {
  for (const term of foldedTerms(text)) if (add(toIndexedWord(term)) >= MAX_WORDS) return;
}

/** Returns the ranges of words and email addresses that begin with one of the terms, in order. */
export function rangesOf(text: string, terms: readonly string[]): TextRange[] {
  const words = text.matchAll(UNFOLDED_WORD);
  const candidates = [
    ...addressRanges(text),
    ...words.map(({ 0: word, index }) => ({ start: index, end: index + word.length })),
  ];
  const ranges = candidates.filter(({ start, end }) => {
    const plain = folded(text.slice(start, end));
    return terms.some((term) => plain.startsWith(term));
  });
  return ranges.toSorted((a, b) => a.start - b.start || b.end - a.end);
}
