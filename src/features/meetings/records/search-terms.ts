/** Words of one meeting that are searched; a longer summary is searched by its first ones. */
const MAX_TERMS = 2_000;
/** Words that one search looks for; more narrow nothing down. */
const MAX_SEARCHED = 16;
const MAX_LENGTH = 100;

/** Bounded as addresses are: whatever the text, looking for one takes no more than so many steps a character. */
const ADDRESS = /[^\s@<>(),;:"]{1,64}@[^\s@<>(),;:"]{1,255}/g;
const WORD = /[\p{L}\p{N}]+/gu;

/** Case, accents and the width of characters make no difference. */
const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const wordsIn = (text: string): string[] => (text.match(WORD) ?? []).map((word) => word.slice(0, MAX_LENGTH));
const addressesIn = (text: string): string[] =>
  (text.match(ADDRESS) ?? []).map((address) => address.replace(/\.+$/, '').slice(0, MAX_LENGTH));

/** What a meeting is found by: each word of its texts, and each e-mail address as a whole, too. */
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
 * What a search looks for: all of its words, and its e-mail addresses as a whole. No character means anything else:
 * quotes and hyphens stand between words. The longest, likely the rarest, come first: the index is read by the first.
 */
export function searchTerms(search: string): string[] {
  const plain = folded(search);
  const addresses = addressesIn(plain);
  const terms = new Set([...addresses, ...wordsIn(plain.replace(ADDRESS, ' '))]);
  return [...terms].toSorted((a, b) => b.length - a.length).slice(0, MAX_SEARCHED);
}
