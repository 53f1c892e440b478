import { anyOf, filtersByEmail, filtersByName, mentionsOf, redactValue } from '../../privacy/mentions.ts';
import { comparedNames } from '../../privacy/names.ts';
import { hasEmail, type Person } from '../../privacy/person.ts';
import type { Suppressor } from '../../privacy/suppressor.ts';
import type { Participant } from '../meetings.types.ts';
import type { ActivityDoc, MeetingDoc } from './meetings.model.ts';

/** Filter: meetings with a participant who may be the person; null if nothing identifies them. */
export const attendedBy = ({ emails, names }: Person) =>
  anyOf([
    ...filtersByEmail('participantsJson.email', emails),
    ...filtersByName('participantsJson.name', names),
  ]);

/** Returns the condition of `attendedBy` on a meeting, exactly. */
export function isAttendedBy({ emails, names }: Person) {
  const compared = comparedNames(names);
  return ({ participantsJson }: Pick<MeetingDoc, 'participantsJson'>): boolean =>
    participantsJson.some(
      ({ email, name }: Participant) => hasEmail({ emails }, email) || compared.has(name),
    );
}

type Mapped = Pick<ActivityDoc, 'personExternalId' | 'properties'>;

/** Returns a condition on an activity: the mapping links it to the person. */
export const isLinkedTo =
  ({ emails, visitorIds, personIds }: Person) =>
  ({ personExternalId }: Pick<Mapped, 'personExternalId'>): boolean =>
    personExternalId !== null &&
    (visitorIds.includes(personExternalId) ||
      personIds.includes(personExternalId) ||
      hasEmail({ emails }, personExternalId));

/** Returns a function that removes the link to a person and mentions in properties, and keeps values without them. */
export function withoutPersonIn(person: Person): (activity: Mapped) => Mapped {
  const isLinked = isLinkedTo(person);
  // Objects and lists of the provider's record are JSON text.
  const { isIn, redact } = mentionsOf(person, { isJson: true });
  return ({ personExternalId, properties }) => {
    const { recorderMeetingId, ...texts } = properties;
    const redacted = redactValue(texts, { redact }) as Mapped['properties'];
    const isSame = JSON.stringify(redacted) === JSON.stringify(texts);
    const isNamed = isLinked({ personExternalId }) || isIn(personExternalId ?? '');
    return {
      personExternalId: isNamed ? null : personExternalId,
      properties: isSame ? properties : { ...redacted, recorderMeetingId: recorderMeetingId ?? null },
    };
  };
}

/** Returns an activity without the link to a suppressed person. */
export function withoutSuppressedLink(activity: ActivityDoc, suppressor: Suppressor | null): ActivityDoc {
  const id = activity.personExternalId;
  return suppressor?.isSuppressed({ email: id, visitorId: id, resolvedPersonId: id })
    ? { ...activity, personExternalId: null }
    : activity;
}
