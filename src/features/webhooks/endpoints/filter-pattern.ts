import { RE2JS } from 're2js';

/**
 * The patterns of a filter (`$regex`). RE2 matches in linear time, while JavaScript's own engine backtracks; but the time
 * is the product of the pattern and the text. Both are bounded here, and so is the time to compile a pattern.
 */

/** Maximum number of instructions of a filter's patterns: counted repetitions make them several times as long as their text. */
const MAX_INSTRUCTIONS = 200;
/**
 * Maximum number of instructions times characters in the evaluation of a filter: each takes 10 to 30 ns. It leaves 500
 * characters to the largest patterns, and more to smaller ones.
 */
const MAX_STEPS = 100_000;
/**
 * Maximum length of a pattern whose repetitions are written out. It bounds the time to compile a pattern that has too many
 * instructions, and refuses no other: of the at most 500 characters of a longer one, some are repeated more than 200 times.
 */
const MAX_EXPANDED_LENGTH = 500 * MAX_INSTRUCTIONS;
/** Maximum number of Unicode classes and ranges in a filter's patterns: the engine compiles one in up to 3 ms. */
const MAX_UNICODE_CLASSES = 5;
/** A class such as `\p{L}`, or a range that ends beyond ASCII, such as `а-я` and `\x{430}-\x{44f}`. */
const UNICODE_CLASS = /\\p|-(?:\\x|[^ -~])/gi;
/** Characters of an error of the engine that a message quotes. */
const MAX_REASON = 200;

/** The parts of a pattern between which the engine divides it: a brace in a class or after a backslash repeats nothing. */
const TOKEN = new RegExp(
  [
    // No item itself: a repetition after it repeats the item before it.
    /(?<modifier>[*+?]|\(\?[imsU-]*\)|\\Q\\E)/,
    /(?<bracket>[()])/,
    // Other braces are literal, such as those of {,5} and {05}.
    /\{(?<min>0|[1-9]\d*)(?:,(?<max>0|[1-9]\d*)?)?\}/,
    /\\Q.*?(?:\\E|$)/,
    /\\[pPx]\{[^}]*\}/,
    /\\./,
    /\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]/,
    /./,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gsu',
);

/** Returns the length of a pattern with its repetitions written out; of an invalid pattern, any number. */
function expandedLength(pattern: string): number {
  /** Lengths before the groups that are open. */
  const outer: number[] = [];
  let length = 0;
  /** Length of the last item, which a repetition repeats. */
  let last = 0;
  for (const { 0: token, groups = {} } of pattern.matchAll(TOKEN)) {
    const { modifier, bracket, min, max } = groups;
    if (modifier) last += token.length;
    else if (min) last = last * Math.max(1, Number(max || min)) + token.length;
    else if (bracket === ')') {
      last += length + token.length;
      length = outer.pop() ?? 0;
    } else if (bracket) {
      outer.push(length + last);
      length = token.length;
      last = 0;
    } else {
      length += last;
      last = token.length;
    }
  }
  return outer.reduce((sum, before) => sum + before, length + last);
}

/** Returns a function that returns what is wrong with each of a filter's patterns in turn; null for a valid one. */
export function createPatternCheck(): (pattern: string) => string | null {
  let instructions = 0;
  let unicodeClasses = 0;
  const tooLarge = (found: string): string =>
    `The patterns of a filter must have at most ${MAX_INSTRUCTIONS} instructions together, about one for each character or class, counted as often as it is repeated; ${found}. Use shorter repetitions, or conditions on several fields.`;
  return (pattern) => {
    unicodeClasses += pattern.match(UNICODE_CLASS)?.length ?? 0;
    if (unicodeClasses > MAX_UNICODE_CLASSES)
      return `The patterns of a filter must have at most ${MAX_UNICODE_CLASSES} Unicode classes and ranges together, such as \\p{L} and а-я; with this one they have ${unicodeClasses}.`;
    if (expandedLength(pattern) > MAX_EXPANDED_LENGTH) return tooLarge('this one alone has more');
    try {
      instructions += RE2JS.compile(pattern).programSize();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return `Must be a regular expression in the syntax of RE2, without lookaround and back-references: ${reason.slice(0, MAX_REASON)}.`;
    }
    if (instructions <= MAX_INSTRUCTIONS) return null;
    return tooLarge(`with this one they have ${instructions}`);
  };
}

/** Returns true if a text among the items contains a match. */
export type PatternTest = (items: readonly unknown[]) => boolean;

/**
 * Returns a function that compiles the patterns of a filter. Together they take at most `MAX_STEPS`, also those that were
 * stored when the maximum number of instructions was higher: the larger they are, the fewer characters they look at.
 */
export function createPatternCompiler(): (pattern: string) => PatternTest {
  let instructions = 0;
  return (pattern) => {
    const expression = RE2JS.compile(pattern);
    instructions += expression.programSize();
    return (items) => {
      let left = Math.floor(MAX_STEPS / instructions);
      return items.some((item) => {
        if (typeof item !== 'string' || left <= 0) return false;
        const text = item.slice(0, left);
        left -= text.length + 1;
        // Not `test`: it builds automata for each text, which costs more in the worst case, and keeps up to 8 MiB a pattern.
        return expression.matcher(text).find();
      });
    };
  };
}
