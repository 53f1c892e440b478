import { MAX_CATEGORIES } from '../sidecar-limits.ts';
import type { Block, SampleSet } from './samples.types.ts';

/** Location of strings: a set, and its stage or null. */
interface Place {
  set: SampleSet;
  stage: string | null;
}

/** Bounds the number of distinct strings: each is a category whose count is kept in memory. */
export function createCategoryLimit() {
  const entriesByPlace = new Map<string, Set<string>>();

  const keyOf = ({ set, stage }: Place): string => JSON.stringify([set, stage]);
  const entryOf = (feature: string, word: string): string => `${feature}\0${word}`;

  function entriesOf(place: Place): Set<string> {
    const key = keyOf(place);
    const entries = entriesByPlace.get(key) ?? new Set();
    entriesByPlace.set(key, entries);
    return entries;
  }

  return {
    /** Records strings that are already stored. */
    record(place: Place, feature: string, words: Iterable<string>): void {
      const entries = entriesOf(place);
      for (const word of words) entries.add(entryOf(feature, word));
    },

    /**
     * Records the strings of a block before it is stored.
     * @returns the feature that would exceed the limit, in which case nothing is recorded; null if none does
     */
    admit(place: Place, { columns }: Block): string | null {
      const entries = entriesOf(place);
      const added: string[] = [];
      let remaining = MAX_CATEGORIES;
      for (const { size } of entriesByPlace.values()) remaining -= size;
      for (const [feature, { words }] of columns) {
        for (const word of words) {
          const entry = entryOf(feature, word);
          if (!entries.has(entry)) added.push(entry);
        }
        if (added.length > remaining) return feature;
      }
      for (const entry of added) entries.add(entry);
      return null;
    },

    /** Discards all strings, before the strings of the present samples are recorded again. */
    clear: (): void => entriesByPlace.clear(),

    /** Discards the strings of a set, or of one stage of it, after its samples were removed. */
    forget(set: SampleSet, stage: string | undefined): void {
      if (stage !== undefined) entriesByPlace.delete(keyOf({ set, stage }));
      else
        for (const key of entriesByPlace.keys()) if (key.startsWith(`["${set}",`)) entriesByPlace.delete(key);
    },
  };
}
