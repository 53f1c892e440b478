import { escapePattern } from '../../platform/escape-pattern.ts';
import type { TextRange } from '../../platform/text-range.ts';
import { mapInSlices } from '../../platform/time-slice.ts';
import { emailRanges } from './email-addresses.ts';
import { legibleRanges, type Reading, replaceRanges } from './legible-text.ts';
import { nameFinders, nameSet, nameWords } from './names.ts';
import { normalizeEmail, type Person } from './person.ts';
import { PHONE_GAP, phoneForms, phoneParts } from './phone-numbers.ts';
import { alternativesOf, type Phrase } from './phrase-tree.ts';
import { nameSpellings, spellings } from './spellings.ts';

/** Stored instead of a mention of an erased person. */
export const ERASED = '[erased]';
const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** Length up to which patterns are joined, in characters; the database refuses patterns from 32 KiB on. */
const MAX_JOINED = { filter: 5_000, inProcess: 50_000 };
/**
 * Characters of a name or an address in filters of the database, and of all together. A character takes up to 130 bytes,
 * 400 in JSON; a command can have 16 MB, for up to seven fields. What a filter finds is compared in full.
 */
const MAX_FILTERED = { each: 24, all: 4_000 };
/** Characters of an id in filters. The database permits 250 groups within each other, of which each can be a choice. */
const MAX_FILTERED_ID = 100;
/** Shortest identifier that is looked for in text: a shorter one would match by chance. */
const MIN_ID_LENGTH = 6;
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
/** Not after a word that a single character joins to the address, as in `ann.zoe@example.com`. */
const NOT_WITHIN_ADDRESS = `${NOT_AFTER_WORD}(?<![\\p{L}\\p{N}][._%+'-])`;
const NOT_WITHIN_DOMAIN = '(?![\\p{L}\\p{N}]|-[\\p{L}\\p{N}])';

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

/** Returns the pattern of each character of an id, the same one for both cases, unless one has more code units. */
const idParts = (id: string): string[] =>
  [...id].map((character) => {
    const lower = character.toLowerCase();
    return escapePattern(lower.length === character.length ? lower : character);
  });

/** Returns the spellings of an id in JSON, which may be escaped. */
const jsonSpellings = (id: string): string[] => [...new Set([id, JSON.stringify(id).slice(1, -1)])];

/** Returns the number of characters of each name or address in a filter with so many. */
const longestFiltered = (count: number): number =>
  Math.min(MAX_FILTERED.each, Math.ceil(MAX_FILTERED.all / count));

/** Returns the beginning of a text, and whether it is all of it. */
function beginningOf(text: string, longest: number): { text: string; isWhole: boolean } {
  const characters = [...text.normalize('NFC')];
  return { text: characters.slice(0, longest).join(''), isWhole: characters.length <= longest };
}

/** Returns the phrase of the longest word of a name: the other words can stand in any order. */
function nameFilter(name: string, isJson: boolean, longest: number): Phrase | null {
  const [word = ''] = nameWords(name).toSorted((a, b) => b.length - a.length);
  if (word === '') return null;
  const { text, isWhole } = beginningOf(word, longest);
  return { before: after(NOT_AFTER_WORD, isJson), parts: ended(nameSpellings(text, isJson), isWhole) };
}

/**
 * Returns filters of the database on a field with an address, such as `zoe@example.com` or `Zoe <zoe@example.com>`, in any
 * spelling.
 */
export const filtersByEmail = (field: string, emails: readonly string[]): Record<string, unknown>[] =>
  emails
    .filter((email) => email !== '')
    .map((email) => ({
      [field]: { $regex: `^(?:[^<]*<)?\\s*${spellings(email, false).join('')}\\s*>?\\s*$`, $options: 'i' },
    }));

/** Returns filters of the database on a field with a name, which has a word of each of the names. */
export const filtersByName = (field: string, names: readonly string[]): Record<string, unknown>[] =>
  alternativesOf(
    names.flatMap((name) => nameFilter(name, false, longestFiltered(names.length)) ?? []),
    MAX_JOINED.filter,
  ).map((source) => ({ [field]: { $regex: source, $options: 'i' } }));

/** Returns true for an identifier that no text contains by chance, nor `ERASED`. */
export const isDistinctive = (id: string): boolean =>
  id.length >= MIN_ID_LENGTH && WORD_CHARACTER.test(id) && !ERASED.includes(id.toLowerCase());

/** Returns the phrase of a phone number in international and, if it is long enough, in national form. */
function phonePhrase(digits: string): Phrase {
  const gap = `(?:[${PHONE_GAP}]|%2[0-9a-f])*`;
  const { countryCode, national } = phoneParts(digits);
  const code = countryCode === null ? '(?:\\+|00)\\d{1,3}' : `(?:\\+|00)?${[...countryCode].join(gap)}`;
  const international = `${code}${gap}(?:\\(?0\\)?${gap})?`;
  const prefixes = `${international}|0${gap}`;
  const isNational = countryCode === null || phoneForms(digits).includes(national);
  const prefix = isNational ? `(?:${prefixes})${countryCode === null ? '' : '?'}` : international;
  const spaced = [...national].map((digit, index) => (index === 0 ? digit : gap + digit));
  return { before: '(?<!\\d)', parts: [prefix, ...spaced, '(?!\\d)'] };
}

/** Returns the ids that are looked for in the members of JSON that hold ids only. */
const memberIds = ({ visitorIds, personIds }: Person): string[] =>
  [...visitorIds, ...personIds].filter(
    (id) => id.trim() !== '' && id.toLowerCase() !== ERASED && !isDistinctive(id),
  );

/** Returns the phrases of ids as values of the members of JSON that hold ids. */
function memberPhrases(person: Person): Phrase[] {
  const members = ID_MEMBERS.flatMap((member) => [`"${member}":"`, `"${member}": "`]);
  const before = `(?<=${members.join('|')})`;
  return memberIds(person)
    .map((id) => JSON.stringify(id).slice(1, -1))
    .map((id) => ({ before, parts: [...idParts(id), '(?=")'] }));
}

const ended = (parts: string[], isWhole: boolean, end = NOT_BEFORE_WORD): string[] =>
  isWhole ? [...parts, end] : parts;

/** Returns true for an address that is found as such; an identity can have any text as one. */
const isAddress = (email: string): boolean => [...emailRanges(email, (found) => found === email)].length > 0;

/** @param longest characters of an address after which its phrase ends */
const emailPhrases = (
  emails: readonly string[],
  isJson: boolean,
  longest = Number.POSITIVE_INFINITY,
): Phrase[] =>
  emails
    .filter((email) => email.includes('@') || isDistinctive(email))
    .map((email) => beginningOf(email, longest))
    .map(({ text, isWhole }) => ({
      before: after(NOT_WITHIN_ADDRESS, isJson),
      parts: ended(spellings(text, isJson), isWhole, NOT_WITHIN_DOMAIN),
    }));

/**
 * Returns the phrases of ids and phone numbers.
 *
 * @param longest characters of an id after which its phrase ends
 */
function idAndPhonePhrases(person: Person, isJson: boolean, longest = Number.POSITIVE_INFINITY): Phrase[] {
  const { phones, visitorIds, personIds } = person;
  const before = after(NOT_AFTER_WORD, isJson);
  return [
    ...[...visitorIds, ...personIds]
      .filter(isDistinctive)
      .flatMap((id) => (isJson ? jsonSpellings(id) : [id]))
      .map(idParts)
      .map((parts) => ({ before, parts: ended(parts.slice(0, longest), parts.length <= longest) })),
    ...phones.map(phonePhrase),
    ...(isJson ? memberPhrases(person) : []),
  ];
}

/** Returns the phrases that a filter of the database looks for. */
function filterPhrases(person: Person, isJson: boolean): Phrase[] {
  const { emails, names } = person;
  const longest = longestFiltered(names.length + emails.length);
  return [
    ...emailPhrases(emails, isJson, longest),
    ...names
      .filter((name) => nameWords(name).length > 1)
      .flatMap((name) => nameFilter(name, isJson, longest) ?? []),
    ...idAndPhonePhrases(person, isJson, MAX_FILTERED_ID),
  ];
}

/** The searches of each person, by their options: the steps of an erasure need the same ones in each of their windows. */
const created = new WeakMap<Person, Map<string, Mentions>>();

/** Returns the search for mentions of a person, which is prepared once. */
export function mentionsOf(person: Person, options: MentionOptions = {}): Mentions {
  const ofPerson = created.get(person) ?? new Map<string, Mentions>();
  created.set(person, ofPerson);
  const key = JSON.stringify([options.isJson ?? false, options.nameParts ?? false]);
  const mentions = ofPerson.get(key) ?? createMentions(person, options);
  ofPerson.set(key, mentions);
  return mentions;
}

function createMentions(person: Person, options: MentionOptions): Mentions {
  const { isJson = false, nameParts = false } = options;
  const phrases = [
    ...idAndPhonePhrases(person, isJson),
    ...emailPhrases(
      person.emails.filter((email) => !isAddress(email)),
      isJson,
    ),
  ];
  const patterns = alternativesOf(phrases, MAX_JOINED.inProcess).map((source) => new RegExp(source, 'giu'));
  const emails = new Set(person.emails);
  const findNames = nameFinders(nameSet(person.names, { parts: nameParts }));
  function* spelledIn(text: string): Generator<TextRange> {
    yield* emailRanges(text, (email) => emails.has(normalizeEmail(email)));
    for (const find of findNames) yield* find(text);
  }
  /** A backslash before a letter begins an escape of JSON, or is one as such, before a word. */
  const readingsOf = (text: string): Reading[] =>
    isJson && text.includes('\\') ? ['json', 'text'] : ['text'];

  /** Finds mentions, in any order; they can overlap. */
  function* rangesIn(text: string): Generator<TextRange> {
    for (const reading of readingsOf(text)) yield* legibleRanges(text, spelledIn, reading);
    for (const pattern of patterns)
      for (const { 0: found, index } of text.matchAll(pattern))
        yield { start: index, end: index + found.length };
  }

  let filters: string[] | null = null;
  const ofMembers = new Set(isJson ? memberIds(person).map((id) => id.toLowerCase()) : []);
  const isMemberId = (text: string, member: string) =>
    ofMembers.has(text.toLowerCase()) &&
    ID_MEMBERS.some((name) => name.toLowerCase() === member.toLowerCase());
  return {
    filter(field) {
      filters ??= alternativesOf(filterPhrases(person, isJson), MAX_JOINED.filter);
      return filters.length === 0
        ? null
        : { $or: filters.map((source) => ({ [field]: { $regex: source, $options: 'i' } })) };
    },
    isIn: (text) => !rangesIn(text).next().done,
    redact: (text, member) =>
      member !== undefined && isMemberId(text, member)
        ? ERASED
        : replaceRanges(text, united([...rangesIn(text)]), ERASED),
  };
}

/** Unites the ranges that overlap. @returns disjoint ranges, in order */
function united(ranges: readonly TextRange[]): TextRange[] {
  const disjoint: TextRange[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = disjoint.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else disjoint.push({ start, end });
  }
  return disjoint;
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

/** As `redactValue`, in the names of members as well. Yields between texts, each of which is searched once. */
export async function redactValueInSlices(
  value: unknown,
  redact: (text: string) => string,
): Promise<unknown> {
  const texts = new Set<string>();
  const add = (text: string): string => {
    texts.add(text);
    return text;
  };
  redactValue(value, { redact: add, redactKey: add });
  const redacted = new Map(await mapInSlices(texts, (text): [string, string] => [text, redact(text)]));
  const replaced = (text: string): string => redacted.get(text) ?? text;
  return redactValue(value, { redact: replaced, redactKey: replaced });
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
