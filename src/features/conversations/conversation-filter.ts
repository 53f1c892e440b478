import { escapePattern } from '../../platform/escape-pattern.ts';
import type { Lookup } from '../privacy/personal-fields.ts';
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

/** The hashed form of a condition. Ignores case as `toLowerCase` does, which is close to the collation. */
const LOOKUP = {
  email: (email: string): Lookup => ({ type: 'email', identifier: withoutCase(email) }),
  person: (identifier: string): Lookup => ({ type: 'person', identifier }),
  company: (company: string): Lookup => ({ type: 'company', identifier: withoutCase(company) }),
};

/** Returns what `personConditions` finds a conversation by. */
export function lookupsOf({ identity, resolution }: Identified): Lookup[] {
  const of = (create: (value: string) => Lookup, ...values: (string | null | undefined)[]) =>
    values.flatMap((value) => (value == null ? [] : [create(value)]));
  return [
    ...of(LOOKUP.email, identity?.email),
    ...of(LOOKUP.person, identity?.resolvedPersonId, resolution?.resolvedPersonId),
    ...of(LOOKUP.company, identity?.company, resolution?.resolvedCompany),
  ];
}

/** Returns a condition that an index serves and that distinguishes case in a query with `IGNORING_CASE`. */
export const exactly = (value: string) => ({ $eq: value, $regex: `^${escapePattern(value)}\\z` });

/** Conditions on fields that identify a person, or on their hashes, for a query with `IGNORING_CASE`. */
export type PersonConditions = { [Field in IdentifyingField]?: PersonValue } & {
  lookups?: { $all: string[] };
};

type PersonValue = string | ReturnType<typeof exactly>;

const alternatives = (value: PersonValue, ...fields: IdentifyingField[]): PersonConditions[] =>
  fields.map((field) => ({ [field]: value }));

/**
 * Returns the alternatives of a person: a conversation fulfils all conditions of at least one. An index serves each of
 * them, but not an `$or` of two. A filter without a person has one alternative without conditions.
 *
 * @param hash of the tenant's lookups; null while encryption is off, when encrypted conversations are not found, and if
 * none was encrypted
 */
export function personConditions(
  { email, resolvedPersonId, company }: ConversationFilter,
  hash: ((lookup: Lookup) => string) | null,
): PersonConditions[] {
  const each = [
    ...(email === undefined ? [] : [alternatives(email, 'identity.email')]),
    ...(resolvedPersonId === undefined
      ? []
      : [
          alternatives(exactly(resolvedPersonId), 'identity.resolvedPersonId', 'resolution.resolvedPersonId'),
        ]),
    ...(company === undefined
      ? []
      : [alternatives(company, 'identity.company', 'resolution.resolvedCompany')]),
  ];
  const plain = each.reduce<PersonConditions[]>(
    (combined, next) => combined.flatMap((one) => next.map((other) => ({ ...one, ...other }))),
    [{}],
  );
  // Identity and resolution of a conversation are either both encrypted or both plain.
  const lookups = [
    ...(email === undefined ? [] : [LOOKUP.email(email)]),
    ...(resolvedPersonId === undefined ? [] : [LOOKUP.person(resolvedPersonId)]),
    ...(company === undefined ? [] : [LOOKUP.company(company)]),
  ];
  return hash && lookups.length > 0 ? [...plain, { lookups: { $all: lookups.map(hash) } }] : plain;
}

/** Returns true if a filter has a condition on what identifies the visitor. */
export const hasPersonCondition = ({ email, resolvedPersonId, company }: ConversationFilter): boolean =>
  email !== undefined || resolvedPersonId !== undefined || company !== undefined;

/** Maximum number of words of a search. */
export const MAX_WORDS = 10;

/** Returns the words of a search, each once. */
export const wordsOf = (text: string): string[] => [...new Set(text.trim().split(/\s+/u))].filter(Boolean);
