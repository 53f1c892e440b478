import { MAX_CATEGORIES } from '../sidecar-limits.ts';
import type { Block, SampleSet } from './samples.types.ts';

/** Which strings each set and stage holds: there is a bound to them, because each is a bin that is kept in memory. */
export function createCategories() {
  const known = new Map<string, Set<string>>();

  const keyOf = (set: SampleSet, stage: string | null): string => JSON.stringify([set, stage]);
  const entryOf = (feature: string, word: string): string => `${feature}\0${word}`;

  function entriesOf(set: SampleSet, stage: string | null): Set<string> {
    const key = keyOf(set, stage);
    const entries = known.get(key) ?? new Set();
    known.set(key, entries);
    return entries;
  }

  return {
    /** Notes strings that are stored already. */
    note(set: SampleSet, stage: string | null, feature: string, words: Iterable<string>): void {
      const entries = entriesOf(set, stage);
      for (const word of words) entries.add(entryOf(feature, word));
    },

    /**
     * Notes the strings of a block that is to be stored.
     * @returns the feature with which they are too many, and nothing is noted; null when they are not
     */
    admit(set: SampleSet, stage: string | null, { columns }: Block): string | null {
      const entries = entriesOf(set, stage);
      const added: string[] = [];
      let room = MAX_CATEGORIES;
      for (const each of known.values()) room -= each.size;
      for (const [feature, { words }] of columns) {
        for (const word of words) {
          const entry = entryOf(feature, word);
          if (!entries.has(entry)) added.push(entry);
        }
        if (added.length > room) return feature;
      }
      for (const entry of added) entries.add(entry);
      return null;
    },

    /** The set, or one stage of it, was emptied. */
    forget(set: SampleSet, stage: string | undefined): void {
      if (stage !== undefined) known.delete(keyOf(set, stage));
      else for (const key of known.keys()) if (key.startsWith(`["${set}",`)) known.delete(key);
    },
  };
}
