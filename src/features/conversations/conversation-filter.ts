import { escapePattern } from '../../platform/escape-pattern.ts';
import type { Hash, Lookup } from '../privacy/personal-fields.ts';
import type { ConversationStatus, Identity, Resolution } from './conversations.types.ts';

/** Which conversations a list returns: those that fulfil every given condition. */
export interface ConversationFilter {
  converted?: boolean;
  status?: ConversationStatus;
  /** Started at or after. */
  since?: Date;
  /** Started before. */
  until?: Date;
  /** Id in the system that it was imported from. */
  importId?: string;
  visitorId?: string;
  /** In upper or lower case. */
  email?: string;
  /** Person id of the identity or of a resolution. */
  resolvedPersonId?: string;
  /** Company of the identity or of a resolution, in upper or lower case. */
  company?: string;
  /** Words that one message of the transcript contains, in upper or lower case. */
  text?: string;
}

/** Fields of a conversation that identify its visitor, each with an index. */
export const IDENTIFYING_FIELDS = [
  'identity.email',
  'identity.resolvedPersonId',
  'resolution.resolvedPersonId',
  'identity.company',
  'resolution.resolvedCompany',
] as const;
type IdentifyingField = (typeof IDENTIFYING_FIELDS)[number];

/** Collation that ignores case; the fields that identify a person have indexes with it. */
export const IGNORING_CASE = { locale: 'en', strength: 2 } as const;

interface Identified {
  identity: Pick<Identity, 'email' | 'resolvedPersonId' | 'company'> | null;
  resolution: Pick<Resolution, 'resolvedPersonId' | 'resolvedCompany'> | null;
}

const withoutCase = (text: string): string => text.normalize('NFKC').toLowerCase();

/** Returns a condition that an index serves and that distinguishes case in a query with `IGNORING_CASE`. */
export const exactly = (value: string) => ({ $eq: value, $regex: `^${escapePattern(value)}\\z` });

type PersonValue = string | ReturnType<typeof exactly>;

interface PersonCondition {
  /** Fields that can have the value. */
  fields: readonly IdentifyingField[];
  /** Condition on one of the fields. */
  equal: (value: string) => PersonValue;
  /** The hashed form. Ignores case as `toLowerCase` does, which is close to the collation. */
  lookup: (value: string) => Lookup;
}

const BY_EMAIL: PersonCondition = {
  fields: ['identity.email'],
  equal: (email) => email,
  lookup: (email) => ({ type: 'email', identifier: withoutCase(email) }),
};
const BY_PERSON: PersonCondition = {
  fields: ['identity.resolvedPersonId', 'resolution.resolvedPersonId'],
  equal: exactly,
  lookup: (identifier) => ({ type: 'person', identifier }),
};
const BY_COMPANY: PersonCondition = {
  fields: ['identity.company', 'resolution.resolvedCompany'],
  equal: (company) => company,
  lookup: (company) => ({ type: 'company', identifier: withoutCase(company) }),
};

/** Returns what `personConditions` finds a conversation by. */
export function lookupsOf({ identity, resolution }: Identified): Lookup[] {
  const of = ({ lookup }: PersonCondition, ...values: (string | null | undefined)[]) =>
    values.flatMap((value) => (value == null ? [] : [lookup(value)]));
  return [
    ...of(BY_EMAIL, identity?.email),
    ...of(BY_PERSON, identity?.resolvedPersonId, resolution?.resolvedPersonId),
    ...of(BY_COMPANY, identity?.company, resolution?.resolvedCompany),
  ];
}

/** Conditions on fields that identify a person, or on their hashes, for a query with `IGNORING_CASE`. */
export type PersonConditions = { [Field in IdentifyingField]?: PersonValue } & {
  lookups?: { $all: string[] };
};

/** Returns the conditions of a filter on what identifies the visitor, with their values. */
const givenConditions = ({ email, resolvedPersonId, company }: ConversationFilter) => [
  ...(email === undefined ? [] : [{ ...BY_EMAIL, value: email }]),
  ...(resolvedPersonId === undefined ? [] : [{ ...BY_PERSON, value: resolvedPersonId }]),
  ...(company === undefined ? [] : [{ ...BY_COMPANY, value: company }]),
];

/**
 * Returns the alternatives of a person: a conversation fulfils all conditions of at least one. An index serves each of
 * them, but not an `$or` of two. A filter without a person has one alternative without conditions.
 *
 * @param hash of the tenant's lookups; null if none was hashed
 */
export function personConditions(filter: ConversationFilter, hash: Hash | null): PersonConditions[] {
  const given = givenConditions(filter);
  const plain = given.reduce<PersonConditions[]>(
    (combined, { fields, equal, value }) =>
      combined.flatMap((one) => fields.map((field) => ({ ...one, [field]: equal(value) }))),
    [{}],
  );
  if (!hash || given.length === 0) return plain;
  // Identity and resolution of a conversation are either both encrypted or both plain.
  return [...plain, { lookups: { $all: given.map(({ lookup, value }) => hash(lookup(value))) } }];
}

/** Returns true if a filter has a condition on what identifies the visitor. */
export const hasPersonCondition = (filter: ConversationFilter): boolean => givenConditions(filter).length > 0;

/** Maximum number of words of a search. */
export const MAX_WORDS = 10;

/** Returns the words of a search, each once. */
export const wordsOf = (text: string): string[] => [...new Set(text.trim().split(/\s+/u))].filter(Boolean);
