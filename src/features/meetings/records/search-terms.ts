/** Search terms stored per meeting; of a longer summary, only the beginning is searchable. */
const MAX_TERMS = 2_000;
/** Terms that a search uses; further ones hardly narrow the result. */
const MAX_SEARCH_TERMS = 16;
const MAX_TERM_LENGTH = 100;

/** An email address. The bounds of both parts limit backtracking to a constant number of steps per character. */
const ADDRESS = /[^\s@<>(),;:"]{1,64}@[^\s@<>(),;:"]{1,255}/g;
const WORD = /[\p{L}\p{N}]+/gu;

/** Folds case, accents and the width of characters. */
const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const wordsIn = (text: string): string[] =>
  (text.match(WORD) ?? []).map((word) => word.slice(0, MAX_TERM_LENGTH));
const addressesIn = (text: string): string[] =>
  (text.match(ADDRESS) ?? []).map((address) => address.replace(/\.+$/, '').slice(0, MAX_TERM_LENGTH));

/** Returns the search terms of a meeting: each word of its texts, and each email address also as a whole. */
export function termsOf(texts: Iterable<string | null>): string[] {
  const terms = new Set<string>();
  for (const text of texts) {
    if (text === null) continue;
    const plain = folded(text);
    for (const term of [...addressesIn(plain), ...wordsIn(plain)]) {
      terms.add(term);
      if (terms.size === MAX_TERMS) return [...terms];
    }
  }
  return [...terms];
}

/**
 * Returns the terms that a search must match: its words, and its email addresses as a whole. Punctuation separates
 * words and has no other meaning. The longest term, probably the rarest, comes first, since the index is read by it.
 */
export function searchTerms(search: string): string[] {
  const plain = folded(search);
  const addresses = addressesIn(plain);
  const terms = new Set([...addresses, ...wordsIn(plain.replace(ADDRESS, ' '))]);
  return [...terms].toSorted((a, b) => b.length - a.length).slice(0, MAX_SEARCH_TERMS);
}
