import type { Model } from 'mongoose';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { PersonalData } from '../privacy/erasure-step.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import { ERASED, mentionsOf } from '../privacy/mentions.ts';
import { fullName, hasEmail, NO_PERSON, type Person, withIdentifiers } from '../privacy/person.ts';
import { linksIn, personalCollection } from '../privacy/personal-scan.ts';
import type { EventName } from './event-catalog.ts';
import { EVENT_FIELDS, type EventDoc } from './outbox-event.model.ts';
import { ARCHIVED_EVENT_FIELDS, type ArchivedEventDoc } from './timeline-archive.model.ts';

const IDENTITY_RESOLVED: EventName = 'identity.resolved';
/** Events that a window spans. */
const WINDOW = 1_000;

interface ResolvedIdentity {
  resolvedPersonId: string;
  email: string | null;
  firstName: string | null;
  lastName: string | null;
}

const identityIn = ({ payload }: Pick<EventDoc, 'payload'>): ResolvedIdentity =>
  (JSON.parse(payload) as { data: ResolvedIdentity }).data;

/** Returns true for an identifier without what replaces another person, which different people share. */
const isWhole = (identifier: string): boolean => !identifier.includes(ERASED);

/**
 * Identities that events and timelines have: the correction of an identity replaces the one of the conversation only. The
 * events are erased as others are, once the person is known by what these add.
 */
export function identityEventStore(
  { Event, ArchivedEvent }: { Event: Model<EventDoc>; ArchivedEvent: Model<ArchivedEventDoc> },
  encryption: FieldEncryption,
): PersonalData {
  const events = personalCollection(Event, EVENT_FIELDS, encryption);
  const archive = personalCollection(ArchivedEvent, ARCHIVED_EVENT_FIELDS, encryption);

  return {
    /** Returns the person ids and full names of the identities that have an address of the person. */
    async links(tenant: TenantRef, person: Person, signal?: AbortSignal) {
      const match = mentionsOf({ ...NO_PERSON, emails: person.emails }, { isJson: true }).filter('payload');
      if (!match) return {};
      let linked = NO_PERSON;
      // The index of events has the type, that of timelines does not.
      const where = { event: IDENTITY_RESOLVED };
      for (const { of, ...collection } of [
        { ...events, of: where },
        { ...archive, of: {} },
      ]) {
        const scan = { tenant, of, size: WINDOW, where, match, signal };
        const matches = (event: EventDoc) => hasEmail(person, identityIn(event).email);
        const inCollection = await linksIn<EventDoc>(collection, { ...scan, matches }, (found) => {
          const identities = found.map(identityIn);
          return {
            personIds: identities.map(({ resolvedPersonId }) => resolvedPersonId).filter(isWhole),
            names: identities
              .flatMap(({ firstName, lastName }) => fullName(firstName, lastName) ?? [])
              .filter(isWhole),
          };
        });
        linked = withIdentifiers(linked, inCollection);
      }
      return linked;
    },
    steps: [],
  };
}
