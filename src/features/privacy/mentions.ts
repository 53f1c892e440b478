import { escapePattern } from '../../platform/escape-pattern.ts';
import { nameWords } from './names.ts';
import type { Person } from './person.ts';
import { PHONE_GAP, phoneForms, phoneParts } from './phone-numbers.ts';
import { nameSpellingsOf, spellingsOf } from './spellings.ts';

/** Stored instead of a mention of an erased person. */
export const ERASED = '[erased]';
const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** Length up to which patterns are joined, in characters; the database refuses patterns from 32 KiB on. */
const MAX_JOINED = 5_000;
/**
 * Characters of a name or an address in filters of the database, and of all together. A character takes up to 130 bytes in
 * each order of a name's words, 400 in JSON; a command can have 16 MB, for up to seven fields. What a filter finds is
 * compared in full.
 */
const MAX_FILTERED = { each: 24, all: 4_000 };
/** Shortest identifier that is looked for in text: a shorter one would match by chance. */
const MIN_ID_LENGTH = 6;
const MIN_NAME_PART = 2;
/** Members of JSON that hold ids of visitors and people, where an id of any length is looked for. */
const ID_MEMBERS = [
  'visitorId',
  'visitor_id',
  'resolvedPersonId',
  'resolved_person_id',
  'personId',
  'person_id',
];

// No lookbehind has parts of different lengths, which the database does not support.
const AFTER_URL_ESCAPE = '(?<=%[0-9a-f]{2})';
/** In JSON, an escape before a word can end in a letter. */
const AFTER_JSON_ESCAPE = '(?<=\\\\[nrtbf])|(?<=\\\\u[0-9a-f]{4})';
const after = (boundary: string, isJson: boolean): string =>
  `(?:${[boundary, AFTER_URL_ESCAPE, ...(isJson ? [AFTER_JSON_ESCAPE] : [])].join('|')})`;
const NOT_AFTER_WORD = '(?<![\\p{L}\\p{N}])';
const NOT_BEFORE_WORD = '(?![\\p{L}\\p{N}])';
const NO_WORD = '[^\\p{L}\\p{N}]*';
/** Not after a word that a single character joins to the address, as in `ann.zoe@example.com`. */
const NOT_WITHIN_ADDRESS = `${NOT_AFTER_WORD}(?<![\\p{L}\\p{N}][._%+'-])`;
const NOT_WITHIN_DOMAIN = '(?![\\p{L}\\p{N}]|-[\\p{L}\\p{N}])';
/** Between the words of a name. The `\\s` of the database is ASCII only. */
const NAME_GAP = '(?:[\\s\u00a0\u2007\u2009\u202f.,_+-]|%20|%2c|\\\\+[nrt]|\\\\+u00a0)+';

/** Finds and replaces mentions of a person in text. */
export interface Mentions {
  /** Filter of the database on a field with text, which can find more; null if text can mention nothing of the person. */
  filter(field: string): Record<string, unknown> | null;
  isIn(text: string): boolean;
  redact: Redact;
}

/** @param member name of the member of JSON that has the text as its value */
type Redact = (text: string, member?: string) => string;

export interface MentionOptions {
  /** True for JSON: escapes are then understood, and ids found in the members that hold ids, however short. */
  isJson?: boolean;
  /** True to find each part of a name as well, for texts about the person. */
  nameParts?: boolean;
}

const escapedIn = (text: string, isJson: boolean): string[] => {
  const variants = isJson ? [text, JSON.stringify(text).slice(1, -1)] : [text];
  return [...new Set(variants)].map(escapePattern);
};

interface PatternOptions extends MentionOptions {
  /** Characters of a name or an address after which its pattern ends; absent for all. */
  longest?: number;
}

/** Returns the number of characters of each name or address in a filter with so many. */
const longestFiltered = (count: number): number =>
  Math.min(MAX_FILTERED.each, Math.ceil(MAX_FILTERED.all / count));

/** Returns the beginning of a text, and whether it is all of it. */
function beginningOf(text: string, longest = Number.POSITIVE_INFINITY): { text: string; isWhole: boolean } {
  const characters = [...text.normalize('NFC')];
  return { text: characters.slice(0, longest).join(''), isWhole: characters.length <= longest };
}

interface NamePattern {
  pattern: string;
  /** False if the name goes on. */
  isWhole: boolean;
}

function namePatterns(name: string, { isJson = false, nameParts, longest }: PatternOptions): NamePattern[] {
  const words = nameWords(name);
  const [first = '', last = ''] = [words[0], words.at(-1)];
  const orders = words.length < 2 ? [] : [words, [...words.slice(1), first], [last, ...words.slice(0, -1)]];
  const parts = nameParts ? words.filter(({ length }) => length >= MIN_NAME_PART) : [];
  return [...orders, ...parts.map((part) => [part])].map((order) => {
    const { text, isWhole } = beginningOf(order.join(' '), longest);
    const spelled = text
      .trim()
      .split(' ')
      .map((word) => nameSpellingsOf(word, isJson));
    return { pattern: spelled.join(NAME_GAP), isWhole };
  });
}

/** Returns filters of the database on a field with an address, such as `zoe@example.com` or `Zoe <zoe@example.com>`. */
export const filtersByEmail = (field: string, emails: readonly string[]): Record<string, unknown>[] =>
  emails
    .filter((email) => email !== '')
    .map((email) => ({
      [field]: { $regex: `^(?:[^<]*<)?\\s*${escapePattern(email)}\\s*>?\\s*$`, $options: 'i' },
    }));

/** Returns filters of the database on a field with a name: it is one of the names, or begins as one. */
export const filtersByName = (field: string, names: readonly string[]): Record<string, unknown>[] =>
  names
    .flatMap((name) => namePatterns(name, { longest: longestFiltered(names.length) }))
    .map(({ pattern, isWhole }) => ({
      [field]: { $regex: `^${NO_WORD}${pattern}${isWhole ? `${NO_WORD}$` : ''}`, $options: 'i' },
    }));

/** Returns true for an identifier that no text contains by chance, nor `ERASED`. */
export const isDistinctive = (id: string): boolean =>
  id.length >= MIN_ID_LENGTH && WORD_CHARACTER.test(id) && !ERASED.includes(id.toLowerCase());

/** Returns the pattern of a phone number in international and, if it is long enough, in national form. */
function phonePattern(digits: string): string {
  const gap = `(?:[${PHONE_GAP}]|%2[0-9a-f])*`;
  const spaced = (some: string) => [...some].join(gap);
  const { countryCode, national } = phoneParts(digits);
  const code = countryCode === null ? '(?:\\+|00)\\d{1,3}' : `(?:\\+|00)?${spaced(countryCode)}`;
  const international = `${code}${gap}(?:\\(?0\\)?${gap})?`;
  const prefixes = `${international}|0${gap}`;
  const isNational = countryCode === null || phoneForms(digits).includes(national);
  const prefix = isNational ? `(?:${prefixes})${countryCode === null ? '' : '?'}` : international;
  return `(?<!\\d)${prefix}${spaced(national)}(?!\\d)`;
}

/** Returns the ids that are looked for in the members of JSON that hold ids only. */
const memberIds = ({ visitorIds, personIds }: Person): string[] =>
  [...visitorIds, ...personIds].filter(
    (id) => id.trim() !== '' && id.toLowerCase() !== ERASED && !isDistinctive(id),
  );

/** Returns the patterns of ids as values of the members of JSON that hold ids. */
function memberPatterns(person: Person): string[] {
  const before = ID_MEMBERS.flatMap((member) => [`"${member}":"`, `"${member}": "`]);
  return memberIds(person)
    .map((id) => escapePattern(JSON.stringify(id).slice(1, -1)))
    .map((id) => `(?<=${before.join('|')})${id}(?=")`);
}

/** Returns the patterns that mention the person, the longest matches of a name first. */
function patternsOf(person: Person, options: PatternOptions): string[] {
  const { emails, names, phones, visitorIds, personIds } = person;
  const { isJson = false, longest } = options;
  const word = (pattern: string, end = NOT_BEFORE_WORD) => `${after(NOT_AFTER_WORD, isJson)}${pattern}${end}`;
  const ids = [...visitorIds, ...personIds];
  return [
    ...emails
      .filter((email) => email.includes('@') || isDistinctive(email))
      .map((email) => beginningOf(email, longest))
      .map(
        ({ text, isWhole }) =>
          `${after(NOT_WITHIN_ADDRESS, isJson)}${spellingsOf(text, isJson)}${isWhole ? NOT_WITHIN_DOMAIN : ''}`,
      ),
    ...names
      .flatMap((name) => namePatterns(name, options))
      .map(({ pattern, isWhole }) => word(pattern, isWhole ? NOT_BEFORE_WORD : '')),
    ...phones.map(phonePattern),
    ...ids.filter(isDistinctive).flatMap((id) => escapedIn(id, isJson).map((pattern) => word(pattern))),
    ...(isJson ? memberPatterns(person) : []),
  ];
}

/** Joins patterns as alternatives, as far as they stay short. */
function joined(patterns: readonly string[]): string[] {
  const sources: string[] = [];
  for (const pattern of new Set(patterns)) {
    const last = sources.at(-1);
    if (last !== undefined && last.length + pattern.length < MAX_JOINED)
      sources[sources.length - 1] = `${last}|${pattern}`;
    else sources.push(pattern);
  }
  return sources;
}

/** Creates the search for mentions of a person. */
export function mentionsOf(person: Person, options: MentionOptions = {}): Mentions {
  const patterns = joined(patternsOf(person, options)).map((source) => new RegExp(source, 'giu'));
  let filters: string[] | null = null;
  const ofMembers = new Set(options.isJson ? memberIds(person).map((id) => id.toLowerCase()) : []);
  const isMemberId = (text: string, member: string) =>
    ofMembers.has(text.toLowerCase()) &&
    ID_MEMBERS.some((name) => name.toLowerCase() === member.toLowerCase());
  return {
    filter(field) {
      const longest = longestFiltered(person.names.length + person.emails.length);
      filters ??= joined(patternsOf(person, { ...options, longest }));
      return filters.length === 0
        ? null
        : { $or: filters.map((source) => ({ [field]: { $regex: source, $options: 'i' } })) };
    },
    isIn: (text) => patterns.some((pattern) => text.search(pattern) >= 0),
    redact: (text, member) =>
      member !== undefined && isMemberId(text, member)
        ? ERASED
        : patterns.reduce((rest, pattern) => rest.replace(pattern, ERASED), text),
  };
}

/**
 * Replaces mentions in all texts of a JSON value, and in its numbers, which can be phone numbers.
 *
 * @param redactKey replaces mentions in the names of members; by default they stay
 */
export function redactValue(
  value: unknown,
  { redact, redactKey = (key) => key }: { redact: Redact; redactKey?: Redact },
  member?: string,
): unknown {
  const replaced = (item: unknown, of?: string) => redactValue(item, { redact, redactKey }, of);
  if (typeof value === 'string') return redact(value, member);
  if (typeof value === 'number') {
    const text = redact(String(value));
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((item) => replaced(item));
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redactKey(key), replaced(item, key)]),
  );
}

/**
 * Replaces the mentions in the texts of JSON, which stays JSON: as written, a part of an escape can look like a mention.
 *
 * @param mentions created with `isJson`
 */
export const redactJson = (json: string, { redact }: Pick<Mentions, 'redact'>): string =>
  JSON.stringify(redactValue(JSON.parse(json), { redact, redactKey: (key) => redact(key) }));

/** Returns true for JSON in which `redactJson` replaces something. @param mentions created with `isJson` */
export const isInJson = (json: string, mentions: Pick<Mentions, 'isIn' | 'redact'>): boolean =>
  mentions.isIn(json) && redactJson(json, mentions) !== JSON.stringify(JSON.parse(json));

/** Returns filters as one, by `$or`; null if there are none, so that nothing can match. */
export const anyOf = (filters: (Record<string, unknown> | null)[]): Record<string, unknown> | null => {
  const present = filters.filter((filter) => filter !== null);
  return present.length === 0 ? null : { $or: present };
};
