import { escapePattern } from '../../platform/escape-pattern.ts';
import type { Person } from './person.ts';

/** Stored instead of a mention of an erased person. */
const ERASED = '[erased]';

/** Longest pattern for the database, in characters; it refuses patterns from 32 KiB on. */
const MAX_PATTERN = 20_000;
/** Shortest identifier that is looked for in free text: a shorter one would match by chance. */
const MIN_ID_LENGTH = 6;
const MIN_NAME_PART = 2;

/** In JSON, a line break before a word ends in a letter of its own. */
const afterBreak = (boundary: string, isJson: boolean) =>
  isJson ? `(?:${boundary}|(?<=\\\\[nrtbf]))` : boundary;
const NOT_AFTER_WORD = '(?<![\\p{L}\\p{N}])';
const NOT_BEFORE_WORD = '(?![\\p{L}\\p{N}])';
/** Between the parts of a name; in JSON, line breaks are escaped. */
const NAME_GAP = '(?:[\\s.,_-]|\\\\[nrt])+';

/** Finds and replaces mentions of a person in text. */
export interface Mentions {
  /** Filter of the database on a field with text; null if the person has nothing that text can mention. */
  filter(field: string): Record<string, unknown> | null;
  isIn(text: string): boolean;
  redact(text: string): string;
}

export interface MentionOptions {
  /** True for JSON: identifiers are then also found as whole strings, however short. */
  isJson?: boolean;
  /** True to find each part of a name as well, for texts about the person. */
  nameParts?: boolean;
}

const escapedIn = (text: string, isJson: boolean): string[] => {
  const variants = isJson ? [text, JSON.stringify(text).slice(1, -1)] : [text];
  return [...new Set(variants)].map(escapePattern);
};

function namePatterns(name: string, nameParts: boolean): string[] {
  const parts = name.split(/\s+/).filter(Boolean).map(escapePattern);
  if (parts.length < 2 && !nameParts) return [];
  const orders = parts.length < 2 ? [] : [parts, [...parts.slice(1), parts[0] ?? '']];
  return [
    ...orders.map((order) => order.join(NAME_GAP)),
    ...(nameParts ? parts.filter(({ length }) => length >= MIN_NAME_PART) : []),
  ];
}

/** Returns the patterns that mention the person, the longest matches of a name first. */
function patternsOf({ emails, names, phones, visitorIds, personIds }: Person, options: MentionOptions) {
  const { isJson = false, nameParts = false } = options;
  const word = (pattern: string) => `${afterBreak(NOT_AFTER_WORD, isJson)}${pattern}${NOT_BEFORE_WORD}`;
  const beforeEmail = afterBreak('(?<![\\p{L}\\p{N}._%+-])', isJson);
  const ids = [...visitorIds, ...personIds];
  return [
    ...emails
      .flatMap((email) => escapedIn(email, isJson))
      .map((email) => `${beforeEmail}${email}(?![\\p{L}\\p{N}-])`),
    ...names
      .flatMap((name) => (isJson ? [name, JSON.stringify(name).slice(1, -1)] : [name]))
      .flatMap((name) => namePatterns(name, nameParts))
      .map(word),
    ...phones.map((digits) => `(?<!\\d)\\+?${[...digits].join('[\\s()./-]*')}(?!\\d)`),
    ...ids.filter(({ length }) => length >= MIN_ID_LENGTH).flatMap((id) => escapedIn(id, isJson).map(word)),
    // Together with the quotes, which the replacement keeps.
    ...(isJson ? ids.map((id) => `(?<=")${escapePattern(JSON.stringify(id).slice(1, -1))}(?=")`) : []),
  ];
}

/** Creates the search for mentions of a person. */
export function mentionsOf(person: Person, options: MentionOptions = {}): Mentions {
  const sources: string[] = [];
  for (const pattern of new Set(patternsOf(person, options))) {
    const last = sources.at(-1);
    if (last !== undefined && last.length + pattern.length < MAX_PATTERN)
      sources[sources.length - 1] = `${last}|${pattern}`;
    else sources.push(pattern);
  }
  const patterns = sources.map((source) => new RegExp(source, 'giu'));
  return {
    filter: (field) =>
      sources.length === 0
        ? null
        : { $or: sources.map((source) => ({ [field]: { $regex: source, $options: 'i' } })) },
    isIn: (text) => patterns.some((pattern) => text.search(pattern) >= 0),
    redact: (text) => patterns.reduce((rest, pattern) => rest.replace(pattern, ERASED), text),
  };
}

type Redact = (text: string) => string;

/**
 * Replaces mentions in all texts of a JSON value, and in its numbers, which can be phone numbers.
 *
 * @param redactKey replaces mentions in the names of members; by default they stay
 */
export function redactValue(
  value: unknown,
  { redact, redactKey = (key) => key }: { redact: Redact; redactKey?: Redact },
): unknown {
  const replaced = (item: unknown) => redactValue(item, { redact, redactKey });
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') {
    const text = redact(String(value));
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map(replaced);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [redactKey(key), replaced(member)]));
}

/** Replaces the mentions in JSON, which stays JSON. @param mentions created with `isJson` */
export function redactJson(json: string, { redact }: Pick<Mentions, 'redact'>): string {
  // As JSON, so that exactly that is replaced which the filter of the database finds.
  const inText = (text: string): string => JSON.parse(redact(JSON.stringify(text)));
  return JSON.stringify(redactValue(JSON.parse(json), { redact: inText, redactKey: inText }));
}

/** Returns filters as one, by `$or`; null if there are none, so that nothing can match. */
export const anyOf = (filters: (Record<string, unknown> | null)[]): Record<string, unknown> | null => {
  const present = filters.filter((filter) => filter !== null);
  return present.length === 0 ? null : { $or: present };
};
