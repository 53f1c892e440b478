/** A pattern in parts, which are matched one after the other. */
export interface Phrase {
  /** What must precede it: a pattern without width. */
  before: string;
  parts: string[];
}

/** What follows the beginning that some phrases share, by the next part; an empty part ends a phrase. */
type Tree = Map<string, Tree>;

/** Adds a phrase. @returns the number of characters that this adds to the pattern, except those of groups */
function addPhrase(root: Tree, parts: readonly string[]): number {
  let tree = root;
  let added = 0;
  for (const part of [...parts, '']) {
    let next = tree.get(part);
    if (!next) {
      next = new Map();
      tree.set(part, next);
      added += part.length;
    }
    tree = next;
  }
  return added;
}

/** Returns the pattern of a tree: what its phrases share, and then a choice of what follows. */
function patternOf(tree: Tree): string {
  const choices: string[] = [];
  for (const [first, following] of tree) {
    let [pattern, rest] = [first, following];
    while (rest.size === 1) {
      const [[part, next] = ['', new Map()]] = rest;
      pattern += part;
      rest = next;
    }
    choices.push(pattern + patternOf(rest));
  }
  return choices.length > 1 ? `(?:${choices.join('|')})` : (choices[0] ?? '');
}

/**
 * Returns patterns that match where any of the phrases does, the longest of those that begin alike. A text is compared with
 * phrases that begin alike at once: one after the other, a thousand ids would take a thousand times as long.
 *
 * @param maxLength characters after which a pattern takes no further phrase
 */
export function alternativesOf(phrases: readonly Phrase[], maxLength: number): string[] {
  const patterns: string[] = [];
  for (const [before, group] of Map.groupBy(phrases, (phrase) => phrase.before)) {
    const longestFirst = group.map(({ parts }) => parts).sort((a, b) => b.length - a.length);
    for (let next = 0; next < longestFirst.length; ) {
      const tree: Tree = new Map();
      for (let length = 0; next < longestFirst.length && length < maxLength; next += 1)
        length += addPhrase(tree, longestFirst[next] ?? []);
      patterns.push(before + patternOf(tree));
    }
  }
  return patterns;
}
