import type { mongo } from 'mongoose';
import { valueAt } from '../../platform/value-at.ts';
import { anyOf, filtersByEmail } from '../privacy/mentions.ts';
import { fullName, hasEmail, normalizeEmail, type Person } from '../privacy/person.ts';
import type { ConversationDoc } from './conversations.model.ts';

/** Fields that identify the person: each holds an email address or, where it is named here, an id of the person. */
const IDENTIFYING = [
  { field: 'visitorId', ids: 'visitorIds' },
  { field: 'identity.email', ids: null },
  { field: 'identity.resolvedPersonId', ids: 'personIds' },
  { field: 'resolution.resolvedPersonId', ids: 'personIds' },
] as const;

/** Filter: conversations of the person; null if nothing identifies them. */
export const ownedBy = (person: Person) =>
  anyOf(
    IDENTIFYING.flatMap(({ field, ids }) => [
      ids && person[ids].length > 0 ? { [field]: { $in: person[ids] } } : null,
      ...filtersByEmail(field, person.emails),
    ]),
  ) as mongo.Document;

type Identified = Pick<ConversationDoc, 'visitorId' | 'identity' | 'resolution'>;

/** Returns the condition of `ownedBy` on a conversation. */
export const isOwnedBy =
  (person: Person) =>
  (conversation: Identified): boolean =>
    IDENTIFYING.some(({ field, ids }) => {
      const value = valueAt(conversation, field) as string | null | undefined;
      return value != null && ((ids && person[ids].includes(value)) || hasEmail(person, value));
    });

/** Returns the identifiers of the people of conversations. */
export const identifiersOf = (found: Identified[]) => ({
  visitorIds: found.map(({ visitorId }) => visitorId),
  emails: found.flatMap(({ identity }) => (identity?.email ? [normalizeEmail(identity.email)] : [])),
  personIds: found.flatMap(({ identity, resolution }) =>
    [identity?.resolvedPersonId, resolution?.resolvedPersonId].filter((id) => id != null),
  ),
  names: found.flatMap(
    ({ identity }) => fullName(identity?.firstName ?? null, identity?.lastName ?? null) ?? [],
  ),
});
