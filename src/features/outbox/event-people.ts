import type { mongo } from 'mongoose';
import { escapePattern } from '../../platform/escape-pattern.ts';
import { type Person, SUPPRESSED } from '../privacy/person.ts';
import type { EventDoc } from './outbox-event.model.ts';

type NamedIds = Pick<Person, 'visitorIds' | 'personIds'>;

/** Returns the members that name the person in JSON that this service has written, without spaces. */
const membersNaming = ({ visitorIds, personIds }: NamedIds): string[] =>
  [
    ...visitorIds.map((visitorId) => ({ visitorId })),
    ...personIds.map((resolvedPersonId) => ({ resolvedPersonId })),
  ].map((member) => JSON.stringify(member).slice(1, -1));

/** Members per pattern: the database refuses long patterns. */
const MEMBERS_PER_PATTERN = 50;

/**
 * Returns filters on the payloads of events that a person caused. Custom events are left out: their properties can have a
 * member of the same name. The source of a custom event says who caused it, and its conversation, which is of the same
 * visitor, once it is archived.
 */
export function payloadsNaming(person: NamedIds): mongo.Document[] {
  const escaped = membersNaming(person).map(escapePattern);
  const patterns: string[] = [];
  for (let from = 0; from < escaped.length; from += MEMBERS_PER_PATTERN)
    patterns.push(escaped.slice(from, from + MEMBERS_PER_PATTERN).join('|'));
  return patterns.map(($regex) => ({ payload: { $regex }, customType: { $exists: false } }));
}

/** Returns the condition of `payloadsNaming` on an event. */
export function namesPerson(person: NamedIds) {
  const members = membersNaming(person);
  return ({ payload, customType }: Pick<EventDoc, 'payload' | 'customType'>): boolean =>
    customType === undefined && members.some((member) => payload.includes(member));
}

/** What the members of payloads that name or quote the visitor of a conversation become, unless they are null. */
const SUPPRESSED_MEMBERS = {
  visitorId: SUPPRESSED,
  resolvedPersonId: SUPPRESSED,
  reason: SUPPRESSED,
  ...{ email: null, firstName: null, lastName: null, company: null, jobTitle: null, properties: null },
};

/** Returns a payload without what names or quotes the visitor of its conversation. */
export function suppressedPayload(json: string): string {
  const payload = JSON.parse(json) as { data: Record<string, unknown> };
  const replaced = Object.entries(SUPPRESSED_MEMBERS).filter(([name]) => payload.data[name] != null);
  return JSON.stringify({ ...payload, data: { ...payload.data, ...Object.fromEntries(replaced) } });
}
