import { escapePattern } from '../../platform/escape-pattern.ts';
import { folded } from '../../platform/folded.ts';
import { INVISIBLE } from './legible-text.ts';

/** Blocks of Latin, Greek, Cyrillic and full-width letters. */
const LETTER_BLOCKS = [
  [0xc0, 0x24f],
  [0x370, 0x52f],
  [0x1e00, 0x1fff],
  [0xff21, 0xff5a],
] as const;

/** Letters with accents or of another width, by the letter that they are compared as. */
const VARIANTS = new Map<string, string[]>();
for (const [first, last] of LETTER_BLOCKS)
  for (let code = first; code <= last; code += 1) {
    const letter = String.fromCharCode(code);
    const plain = folded(letter);
    if ([...plain].length === 1 && plain !== letter)
      VARIANTS.set(plain, [...(VARIANTS.get(plain) ?? []), letter]);
  }

/** Characters that a comparison ignores, for a class, and their escapes in JSON. */
interface Ignored {
  characters: string;
  escapes: string;
}

const UNSEEN: Ignored = { characters: INVISIBLE, escapes: '00ad|180e|200[b-f]|206[0-4]|feff' };
const MARKS: Ignored = {
  characters: `${UNSEEN.characters}\\p{M}`,
  escapes: `${UNSEEN.escapes}|03[0-6][0-9a-f]`,
};
const MARKS_AND_APOSTROPHES: Ignored = {
  characters: `${MARKS.characters}'’`,
  escapes: `${MARKS.escapes}|2019`,
};

const hexOf = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0');
/**
 * Returns the pattern of the JSON escape of a character, which JSON within JSON escapes again. It begins at the first of
 * several backslashes: the second one of a pair begins no escape.
 */
const jsonEscape = (hex: string): string => `(?<!\\\\)\\\\+u(?:${hex})`;
const alternatives = (patterns: Iterable<string>): string => `(?:${[...new Set(patterns)].join('|')})`;

/** Returns the pattern of characters whose code units have four hexadecimal digits, grouped by the first three. */
function hexPattern(letters: readonly string[]): string {
  const endings = new Map<string, string>();
  for (const hex of letters.map(hexOf))
    endings.set(hex.slice(0, 3), (endings.get(hex.slice(0, 3)) ?? '') + hex.slice(3));
  return [...endings].map(([start, ends]) => `${start}[${ends}]`).join('|');
}

/** Returns the pattern of one character as it is, with its escapes in URLs and JSON. */
function exactly(character: string, isJson: boolean): string {
  const decomposed = character.normalize('NFD');
  const forms = [character, decomposed].map(escapePattern);
  if (/^[!-/:-@[-`{-~ ]$/.test(character)) forms.push(`%${hexOf(character).slice(2)}`);
  if (isJson) {
    forms.push(escapePattern(JSON.stringify(character).slice(1, -1)));
    if (character > '\x7f')
      for (const form of [character, decomposed])
        forms.push(
          Array.from({ length: form.length }, (_, index) => jsonEscape(hexOf(form.charAt(index)))).join(''),
        );
  }
  return forms.every((form) => form === forms[0]) ? (forms[0] ?? '') : alternatives(forms);
}

/** Patterns of letters with any accents and of any width, by the letter that they are compared as. */
const ACCENTED = new Map<string, { text: string; json: string }>();
for (const [plain, variants] of VARIANTS) {
  // Patterns ignore case, but not that of escapes.
  const lower = variants.filter((variant) => variant === variant.toLowerCase());
  const text = `[${escapePattern(plain)}${lower.join('')}]`;
  const escaped = plain > '\x7f' ? [plain, ...variants] : variants;
  ACCENTED.set(plain, { text, json: alternatives([text, jsonEscape(hexPattern(escaped))]) });
}

/** Returns the pattern of a letter with any accents and of any width. */
function anyAccent(character: string, isJson: boolean): string {
  const plain = folded(character);
  if ([...plain].length !== 1) return exactly(character, isJson);
  const patterns = ACCENTED.get(plain);
  if (!patterns) return escapePattern(plain);
  return isJson ? patterns.json : patterns.text;
}

function ignoring({ characters, escapes }: Ignored, isJson: boolean): string {
  const own = `[${characters}]`;
  return isJson ? `(?:${own}|${jsonEscape(escapes)})*` : `${own}*`;
}

/**
 * Returns the patterns of the characters of a text in any spelling: with invisible characters, and escaped as in URLs or
 * JSON.
 */
export function spellings(text: string, isJson: boolean): string[] {
  const unseen = ignoring(UNSEEN, isJson);
  return [...text.normalize('NFC')].map(
    (character, index) => (index === 0 ? '' : unseen) + exactly(character, isJson),
  );
}

/**
 * Returns the patterns of the letters of a word of a name in any spelling: with any accents, which can be characters of
 * their own, and with or without apostrophes.
 */
export function nameSpellings(word: string, isJson: boolean): string[] {
  const letters = [...word.normalize('NFC')].filter((character) => !/[\p{M}'’]/u.test(character));
  const ignored = ignoring(MARKS_AND_APOSTROPHES, isJson);
  return [
    ...letters.map((letter, index) => (index === 0 ? '' : ignored) + anyAccent(letter, isJson)),
    ignoring(MARKS, isJson),
  ];
}
