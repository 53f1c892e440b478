import { emailRanges, emailWords } from './email-addresses.ts';
import { type FindRanges, legibleRanges, replaceRanges } from './legible-text.ts';
import { comparableName, nameFinders } from './names.ts';
import { comparableId, normalizeEmail, type Person, SUPPRESSED } from './person.ts';
import { phoneForms, phoneRanges, phoneWord } from './phone-numbers.ts';
import type { SuppressedHashes } from './suppression.store.ts';
import type { SuppressionType } from './suppression-types.ts';

/** Identifiers of one person, as a client or a provider sends them. */
export interface Identifiers {
  email?: string | null | undefined;
  visitorId?: string | null | undefined;
  resolvedPersonId?: string | null | undefined;
}

/** Recognizes the suppressed people of a tenant. */
export interface Suppressor {
  /** Returns true if one of the identifiers is suppressed. */
  isSuppressed(identifiers: Identifiers): boolean;
  /** Returns true for the full name of a suppressed person, which other people can have as well. */
  isSuppressedName(name: string): boolean;
  /** Replaces the email addresses, phone numbers and full names of suppressed people. */
  redact(text: string): string;
  /** As `redact`, except for names. */
  redactContacts(text: string): string;
}

/** Returns whether a meeting is suppressed, by the provider's id. */
export type MeetingSuppressor = (recorderMeetingId: string) => boolean;

export const createMeetingSuppressor =
  ({ key, meetings }: Pick<SuppressedHashes, 'key' | 'meetings'>): MeetingSuppressor =>
  (recorderMeetingId) =>
    key !== null && meetings.size > 0 && meetings.has(key.hash(recorderMeetingId, 'meeting'));

/** Creates the suppressor of a tenant; null while the tenant has no suppressed people. */
export function createSuppressor({
  key,
  hashes,
  types,
  hasWord,
}: Pick<SuppressedHashes, 'key' | 'hashes' | 'types' | 'hasWord'>): Suppressor | null {
  if (!key || hashes.size === 0) return null;
  // A text can have thousands of candidates, of which each takes a keyed hash.
  const has = (type: SuppressionType, identifier: string | null | undefined): boolean =>
    types.has(type) && Boolean(identifier) && hashes.has(key.hash(identifier ?? '', type));
  const isEmail = (email: string) => has('email', normalizeEmail(email));
  /** Also true for an id that is an address, and for an id that an earlier version stored as it was given. */
  const isId = (type: SuppressionType, id: string | null | undefined): boolean =>
    id != null && (has(type, id) || has(type, comparableId(id)) || (id.includes('@') && isEmail(id)));
  const isPhone = (digits: string) => hasWord('phone', phoneWord(digits)) && has('phone', digits);
  const contactFinders: FindRanges[] = [
    (text) => emailRanges(text, isEmail, (words) => hasWord('email', words)),
    (text) => phoneRanges(text, isPhone),
  ];
  const namesFinders = types.has('name')
    ? nameFinders({ hasWord: (word) => hasWord('name', word), has: (name) => has('name', name) })
    : [];
  const redactWith = (finders: readonly FindRanges[]) => (text: string) =>
    finders.reduce((rest, rangesIn) => replaceRanges(rest, legibleRanges(rest, rangesIn), SUPPRESSED), text);
  return {
    isSuppressed: ({ email, visitorId, resolvedPersonId }) =>
      visitorId === SUPPRESSED ||
      isId('visitor_id', visitorId) ||
      isId('resolved_person_id', resolvedPersonId) ||
      (email != null && isEmail(email)),
    isSuppressedName: (name) => has('name', comparableName(name)?.key),
    redact: redactWith([...contactFinders, ...namesFinders]),
    redactContacts: redactWith(contactFinders),
  };
}

/** An identifier to suppress. */
export interface Suppressible {
  type: SuppressionType;
  identifier: string;
  /** Words that every text with it has; absent for an identifier that is not looked for in texts. */
  words?: string[];
}

/** Returns the identifiers of a person that are suppressed. */
export const suppressible = ({ emails, visitorIds, personIds, phones, names }: Person): Suppressible[] => [
  ...emails.map((identifier) => ({ type: 'email' as const, identifier, words: emailWords(identifier) })),
  ...visitorIds.map((id) => ({ type: 'visitor_id' as const, identifier: comparableId(id) })),
  ...personIds.map((id) => ({ type: 'resolved_person_id' as const, identifier: comparableId(id) })),
  ...[...new Set(phones.flatMap(phoneForms))].map((identifier) => ({
    type: 'phone' as const,
    identifier,
    words: [phoneWord(identifier)],
  })),
  ...new Map(
    names.flatMap((name) => {
      const comparable = comparableName(name);
      return comparable
        ? [[comparable.key, { type: 'name' as const, identifier: comparable.key, words: comparable.words }]]
        : [];
    }),
  ).values(),
];
