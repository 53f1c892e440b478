import { ERASED } from './mentions.ts';
import { SUPPRESSED } from './person.ts';

/** Part of a replacement, at the end of a text that was cut. */
const PARTIAL = /\[[a-z]{0,10}$/;

/**
 * Returns a text whose mentions were replaced, cut to the maximum of its field: a replacement can be longer than a mention,
 * and an import must accept what was exported.
 *
 * @param max number of characters as the validation of input counts them: code points
 */
export function cutTo(max: number, text: string): string {
  if (text.length <= max) return text;
  const characters = [...text];
  return characters.length <= max ? text : characters.slice(0, max).join('').replace(PARTIAL, '');
}

/** Returns a text without replacements: what is left is no longer than the text before them. */
export const withoutReplacements = (text: string): string =>
  text.replaceAll(ERASED, '').replaceAll(SUPPRESSED, '');
