import type { Owner } from '../meetings.types.ts';
import { bucketOf, countWords } from './postings.ts';
import type { SearchIndexStore } from './search-index.store.ts';
import { toIndexedWord } from './search-terms.ts';

/** Words per term: the database reads this many index ranges in order, and merges them. */
const MAX_WORDS = 100;

/**
 * Returns the terms of meetings that begin with a search term: the term itself, and the most frequent words of the
 * tenant's titles, participants and summaries.
 */
export async function wordsBeginningWith(
  index: Pick<SearchIndexStore, 'parts'>,
  owner: Owner,
  term: string,
): Promise<string[]> {
  const bytes = Buffer.from(toIndexedWord(term));
  const counts = new Map<string, number>();
  for (const { parts } of await index.parts(owner, bucketOf(term), null))
    for (const part of parts) countWords(part, bytes, counts);
  counts.delete(term);
  // The words of an email address are terms of their own.
  if (!term.includes('@')) for (const word of counts.keys()) if (word.includes('@')) counts.delete(word);
  const byCount = [...counts].toSorted(([, a], [, b]) => b - a);
  return [term, ...byCount.slice(0, MAX_WORDS - 1).map(([word]) => word)];
}
