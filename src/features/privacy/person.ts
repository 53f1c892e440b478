import { withoutInvisible } from './legible-text.ts';

/** What identifies a person within a tenant. */
export interface Person {
  /** In lower case. */
  emails: string[];
  visitorIds: string[];
  personIds: string[];
  /** Full names that are stored beside the other identifiers. */
  names: string[];
  /** Digits of phone numbers in the person's own messages. */
  phones: string[];
}

/** Most identifiers of one person, and their characters: a longer chain of links joins several people. */
export const MAX_IDENTIFIERS = { count: 1_000, characters: 40_000 };

/** Stored instead of the visitor id of a suppressed person; it belongs to no person. */
export const SUPPRESSED = '[suppressed]';

export const NO_PERSON: Person = { emails: [], visitorIds: [], personIds: [], names: [], phones: [] };

/**
 * Returns an identifier as it is compared: as a person reads it, without characters that have no width and with each
 * accent as part of its letter.
 */
const asRead = (identifier: string): string => withoutInvisible(identifier).normalize('NFC').trim();

/** Returns an id in the form in which suppression compares it: senders differ in case and spaces. */
export const comparableId = (id: string): string => asRead(id).toLowerCase();

/** Returns the address of `zoe@example.com` and of `Zoe <zoe@example.com>` as it is compared; empty if it is blank. */
export function normalizeEmail(email: string): string {
  const text = asRead(email).replace(/>$/, '');
  return text
    .slice(text.lastIndexOf('<') + 1)
    .trim()
    .toLowerCase();
}

/** The addresses of people, by their list: the participants of many meetings are compared with them. */
const addressSets = new WeakMap<readonly string[], Set<string>>();

/** Returns true for a text with one of the person's addresses. */
export function hasEmail({ emails }: Pick<Person, 'emails'>, text: string | null | undefined): boolean {
  const addresses = addressSets.get(emails) ?? new Set(emails);
  addressSets.set(emails, addresses);
  const email = text == null ? '' : normalizeEmail(text);
  return email !== '' && addresses.has(email);
}

/** Returns the full name of an identity; null without a first and a last name. */
export const fullName = (first: string | null, last: string | null): string | null =>
  first?.trim() && last?.trim() ? `${first.trim()} ${last.trim()}` : null;

/** Identifiers that a request names a person by. */
export interface PersonName {
  email?: string | null;
  resolvedPersonId?: string | null;
  visitorId?: string | null;
}

/** Returns the person that a request names, with the given identifiers only. */
export const personNamed = ({ email, resolvedPersonId, visitorId }: PersonName): Person => ({
  ...NO_PERSON,
  emails: email == null ? [] : [normalizeEmail(email)],
  visitorIds: visitorId == null ? [] : [visitorId],
  personIds: resolvedPersonId == null ? [] : [resolvedPersonId],
});

const FIELDS = Object.keys(NO_PERSON) as (keyof Person)[];

/** Returns the number of identifiers. */
export const identifierCount = (person: Person): number =>
  FIELDS.reduce((sum, field) => sum + person[field].length, 0);

/** Returns true if the identifiers are those of several people. */
export const isSeveralPeople = (person: Person): boolean =>
  identifierCount(person) > MAX_IDENTIFIERS.count ||
  FIELDS.some((field) => person[field].join('').length > MAX_IDENTIFIERS.characters);

/** Returns the identifiers of a person that are not among the known ones. */
export function identifiersBeyond(known: Person, person: Person): Person {
  const beyond = (field: keyof Person) =>
    person[field].filter((identifier) => !known[field].includes(identifier));
  return {
    emails: beyond('emails'),
    visitorIds: beyond('visitorIds'),
    personIds: beyond('personIds'),
    names: beyond('names'),
    phones: beyond('phones'),
  };
}

/** Returns a person with the found identifiers as well, except blank ones: different people can have those. */
export function withIdentifiers(person: Person, found: Partial<Person>): Person {
  const isNamed = (identifier: string) => identifier.trim() !== '';
  const union = (field: keyof Person) => [
    ...new Set([...person[field], ...(found[field] ?? []).filter(isNamed)]),
  ];
  return {
    emails: union('emails'),
    visitorIds: union('visitorIds').filter((id) => id !== SUPPRESSED),
    personIds: union('personIds'),
    names: union('names'),
    phones: union('phones'),
  };
}
