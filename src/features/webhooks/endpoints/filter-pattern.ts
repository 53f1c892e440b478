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
/** Maximum number of Unicode classes and ranges in a filter's patterns: the engine compiles one in up to 3 ms. */
const MAX_UNICODE_CLASSES = 5;
/** A class such as `\p{L}`, or a range that ends beyond ASCII, such as `а-я` and `\x{430}-\x{44f}`. */
const UNICODE_CLASS = /\\p|-(?:\\x|[^ -~])/gi;
/** Characters of an error of the engine that a message quotes. */
const MAX_REASON = 200;

/** Returns a function that returns what is wrong with each of a filter's patterns in turn; null for a valid one. */
export function createPatternCheck(): (pattern: string) => string | null {
  let instructions = 0;
  let unicodeClasses = 0;
  return (pattern) => {
    unicodeClasses += pattern.match(UNICODE_CLASS)?.length ?? 0;
    if (unicodeClasses > MAX_UNICODE_CLASSES)
      return `The patterns of a filter must have at most ${MAX_UNICODE_CLASSES} Unicode classes and ranges together, such as \\p{L} and а-я; with this one they have ${unicodeClasses}.`;
    try {
      instructions += RE2JS.compile(pattern).programSize();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return `Must be a regular expression in the syntax of RE2, without lookaround and back-references: ${reason.slice(0, MAX_REASON)}.`;
    }
    if (instructions <= MAX_INSTRUCTIONS) return null;
    return `The patterns of a filter must have at most ${MAX_INSTRUCTIONS} instructions together, about one for each character or class, counted as often as it is repeated; with this one they have ${instructions}. Use shorter repetitions, or conditions on several fields.`;
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
