import { normalizeEmail, type Person, replaceContacts, SUPPRESSED } from './person.ts';
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
  /** Replaces the email addresses and phone numbers of suppressed people. */
  redact(text: string): string;
}

/** Creates the suppressor of a tenant; null while the tenant has no suppressions. */
export function createSuppressor({ key, hashes }: SuppressedHashes): Suppressor | null {
  if (!key) return null;
  const has = (type: SuppressionType, identifier: string | null | undefined): boolean =>
    identifier != null && hashes.has(key.hash(identifier, type));
  const isEmail = (email: string) => has('email', email);
  const isPhone = (digits: string) => has('phone', digits);
  return {
    isSuppressed: ({ email, visitorId, resolvedPersonId }) =>
      visitorId === SUPPRESSED ||
      has('visitor_id', visitorId) ||
      has('resolved_person_id', resolvedPersonId) ||
      (email != null && has('email', normalizeEmail(email))),
    redact: (text) => replaceContacts(text, { isEmail, isPhone }, SUPPRESSED),
  };
}

/** Returns the identifiers of a person that are suppressed, by type. Names are not: other people have them as well. */
export const suppressible = ({
  emails,
  visitorIds,
  personIds,
  phones,
}: Person): [SuppressionType, string][] => [
  ...emails.map((email): [SuppressionType, string] => ['email', email]),
  ...visitorIds.map((id): [SuppressionType, string] => ['visitor_id', id]),
  ...personIds.map((id): [SuppressionType, string] => ['resolved_person_id', id]),
  ...phones.map((digits): [SuppressionType, string] => ['phone', digits]),
];
