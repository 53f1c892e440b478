import { escapePattern } from '../../platform/escape-pattern.ts';
import type { ConversationStatus } from './conversations.types.ts';

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

/** Returns a condition that an index serves and that distinguishes case in a query with `IGNORING_CASE`. */
export const exactly = (value: string) => ({ $eq: value, $regex: `^${escapePattern(value)}\\z` });

/** Conditions on fields that identify a person, for a query with `IGNORING_CASE`. */
export type PersonConditions = { [Field in IdentifyingField]?: PersonValue };

type PersonValue = string | ReturnType<typeof exactly>;

const alternatives = (value: PersonValue, ...fields: IdentifyingField[]): PersonConditions[] =>
  fields.map((field) => ({ [field]: value }));

/**
 * Returns the alternatives of a person: a conversation fulfils all conditions of at least one. An index serves each of
 * them, but not an `$or` of two. A filter without a person has one alternative without conditions.
 */
export function personConditions({
  email,
  resolvedPersonId,
  company,
}: ConversationFilter): PersonConditions[] {
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
  return each.reduce<PersonConditions[]>(
    (combined, next) => combined.flatMap((one) => next.map((other) => ({ ...one, ...other }))),
    [{}],
  );
}

/** Maximum number of words of a search. */
export const MAX_WORDS = 10;

/** Returns the words of a search, each once. */
export const wordsOf = (text: string): string[] => [...new Set(text.trim().split(/\s+/u))].filter(Boolean);
