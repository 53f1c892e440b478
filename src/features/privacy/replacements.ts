import { ERASED } from './mentions.ts';
import { SUPPRESSED } from './person.ts';

/** Part of a character or of a replacement, at the end of a text that was cut. */
const PARTIAL = /[\ud800-\udbff]$|\[[a-z]{0,10}$/;

/**
 * Returns a text whose mentions were replaced, cut to the maximum of its field: a replacement can be longer than a mention,
 * and an import must accept what was exported.
 */
export const cutTo = (max: number, text: string): string =>
  text.length <= max ? text : text.slice(0, max).replace(PARTIAL, '');

/** Returns a text without replacements: what is left is no longer than the text before them. */
export const withoutReplacements = (text: string): string =>
  text.replaceAll(ERASED, '').replaceAll(SUPPRESSED, '');
