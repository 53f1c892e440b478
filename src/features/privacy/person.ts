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

/** Most identifiers of one person: a longer chain of links joins several people. */
export const MAX_IDENTIFIERS = 1_000;

/** Stored instead of the visitor id of a suppressed person; it belongs to no person. */
export const SUPPRESSED = '[suppressed]';

export const NO_PERSON: Person = { emails: [], visitorIds: [], personIds: [], names: [], phones: [] };

export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

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

/** Returns a person with the identifiers of both. */
export function withIdentifiers(person: Person, found: Partial<Person>): Person {
  const union = (field: keyof Person) => [...new Set([...person[field], ...(found[field] ?? [])])];
  return {
    emails: union('emails'),
    visitorIds: union('visitorIds').filter((id) => id !== SUPPRESSED),
    personIds: union('personIds'),
    names: union('names'),
    phones: union('phones'),
  };
}

const PHONE = /(?<![\p{L}\p{N}])(?:\+|00)?\(?\d[\d\s()./-]{6,24}\d(?![\p{L}\p{N}])/gu;
/** Digits of a phone number in international notation; shorter numbers are more often something else. */
const PHONE_DIGITS = { min: 9, max: 15 };

/** Returns the digits of a phone number; null if it has too few or too many. */
function phoneDigits(text: string): string | null {
  const digits = text.replace(/\D/g, '').replace(/^00/, '');
  return digits.length >= PHONE_DIGITS.min && digits.length <= PHONE_DIGITS.max ? digits : null;
}

/** Returns the digits of the phone numbers in a text. */
export const phonesIn = (text: string): string[] =>
  (text.match(PHONE) ?? []).flatMap((match) => phoneDigits(match) ?? []);

const EMAIL = /[\p{L}\p{N}._%+'-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;

/** Replaces the email addresses and phone numbers of a text that a predicate selects. */
export const replaceContacts = (
  text: string,
  { isEmail, isPhone }: { isEmail: (email: string) => boolean; isPhone: (digits: string) => boolean },
  replacement: string,
): string =>
  text
    .replace(EMAIL, (email) => (isEmail(normalizeEmail(email)) ? replacement : email))
    .replace(PHONE, (phone) => {
      const digits = phoneDigits(phone);
      return digits !== null && isPhone(digits) ? replacement : phone;
    });
