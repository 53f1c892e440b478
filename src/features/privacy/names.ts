import { folded } from '../../platform/folded.ts';
import type { TextRange } from '../../platform/text-range.ts';
import { type FindRanges, withoutInvisible } from './legible-text.ts';

/** Words of a name that is looked for in texts: one word is too common, and longer names are hardly written in full. */
const NAME_WORDS = { min: 2, max: 10 };
/** A word with its apostrophes, as in `O'Neill`. */
const WORD = /[\p{L}\p{N}\p{M}'’]+/gu;
/** A word beside an apostrophe, as in `d'Anna` and `Quist's`. */
const WORD_PART = /[\p{L}\p{N}\p{M}]+/gu;
const APOSTROPHE = /['’]/;
/** What may stand between the words of a name. */
const GAP = /^[\s.,_+'’-]+$/;

/** Longer words belong to no name that is looked for. Characters. */
const MAX_WORD = 300;
/** Shortest part of a name that is looked for on its own. */
const MIN_PART = 2;

/** Returns a word in the form in which names are compared: without case, accents and apostrophes. */
const normalizeWord = (word: string): string => folded(word).replace(/['’]/g, '');

const join = (words: readonly string[]): string => words.toSorted().join(' ');

/** Returns the words of a name as they are written. */
export const nameWords = (name: string): string[] =>
  (withoutInvisible(name).match(WORD) ?? []).filter((word) => normalizeWord(word) !== '');

/** Returns the words of a name as they are compared. */
const wordsOf = (name: string): string[] => nameWords(name).map(normalizeWord);

/** Names that others are compared with. */
interface ComparedNames {
  /** Returns true for a name with the same words as one of them, in any order. */
  has(name: string): boolean;
  /** Returns true if all words of a name are in one of them, such as a first name. */
  hasPart(name: string): boolean;
}

/** Prepares names for comparisons with many others. */
export function comparedNames(names: Iterable<string>): ComparedNames {
  const all = new Map<string, Set<string>>();
  for (const name of names) {
    const words = wordsOf(name);
    if (words.length > 0) all.set(join(words), new Set(words));
  }
  const byWord = new Map<string, Set<string>[]>();
  for (const words of all.values())
    for (const word of words) {
      const others = byWord.get(word);
      if (others) others.push(words);
      else byWord.set(word, [words]);
    }
  return {
    has: (name) => all.has(join(wordsOf(name))),
    hasPart(name) {
      const [first = '', ...rest] = wordsOf(name);
      return byWord.get(first)?.some((words) => rest.every((word) => words.has(word))) ?? false;
    },
  };
}

/** A name as it is compared: its words, whose order does not matter. */
export interface ComparableName {
  words: string[];
  /** The words in one text. */
  key: string;
}

/** Returns a name as it is compared; null if it has too few or too many words to be looked for in texts. */
export function comparableName(name: string): ComparableName | null {
  const words = wordsOf(name);
  return words.length >= NAME_WORDS.min &&
    words.length <= NAME_WORDS.max &&
    words.every(({ length }) => length <= MAX_WORD)
    ? { words, key: join(words) }
    : null;
}

/** Names that are looked for in texts. */
export interface NameSet {
  /** Returns true if a word belongs to one of the names. Called for each word of a text. */
  hasWord(word: string): boolean;
  /** @param key of a comparable name */
  has(key: string): boolean;
  /** Returns true for a word that is looked for on its own; absent if only full names are. */
  isPart?(word: string): boolean;
}

/** Returns the set of names. @param options.parts true to find each part of a name as well */
export function nameSet(names: readonly string[], { parts }: { parts: boolean }): NameSet {
  const compared = names.flatMap((name) => comparableName(name) ?? []);
  const keys = new Set(compared.map(({ key }) => key));
  const words = new Set(compared.flatMap((name) => name.words));
  const alone = new Set(
    names.flatMap((name) => nameWords(name).filter(({ length }) => length >= MIN_PART)).map(normalizeWord),
  );
  return {
    hasWord: (word) => words.has(word),
    has: (key) => keys.has(key),
    ...(parts && { isPart: (word) => alone.has(word) }),
  };
}

/** Returns the searches for names in a text, each for disjoint ranges in order, and the longest names first: with apostrophes in words, and between them. */
export const nameFinders = (names: NameSet): FindRanges[] => [
  (text) => nameRanges(text, names, WORD),
  (text) => (APOSTROPHE.test(text) ? nameRanges(text, names, WORD_PART) : []),
];

function* nameRanges(text: string, names: NameSet, pattern: RegExp): Generator<TextRange> {
  const words = Array.from(text.matchAll(pattern), ({ 0: word, index }) => ({
    word: normalizeWord(word),
    start: index,
    end: index + word.length,
  }));
  /** Returns how many words from a position on can be those of one name. */
  function runAt(position: number): number {
    let length = 0;
    while (length < NAME_WORDS.max) {
      const [previous, next] = [words[position + length - 1], words[position + length]];
      if (!next || next.word.length > MAX_WORD || !names.hasWord(next.word)) break;
      if (length > 0 && previous && !GAP.test(text.slice(previous.end, next.start))) break;
      length += 1;
    }
    return length;
  }

  /** Names compared before, since a text can repeat them without end. */
  const compared = new Map<string, boolean>();
  function isName(key: string): boolean {
    const known = compared.get(key) ?? names.has(key);
    compared.set(key, known);
    return known;
  }

  /** Returns how many words from a position on are a name; 0 if none is. */
  function nameAt(position: number): number {
    for (let length = runAt(position); length >= NAME_WORDS.min; length -= 1)
      if (isName(join(words.slice(position, position + length).map(({ word }) => word)))) return length;
    return names.isPart?.(words[position]?.word ?? '') ? 1 : 0;
  }

  for (let position = 0; position < words.length; ) {
    const length = nameAt(position);
    const [first, last] = [words[position], words[position + length - 1]];
    if (length > 0 && first && last) yield { start: first.start, end: last.end };
    position += Math.max(1, length);
  }
}
