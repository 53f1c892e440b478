import type { Model, mongo } from 'mongoose';
import { objectIdsOf } from '../../platform/mongo/object-id.ts';
import { READ_LIMIT } from '../../platform/mongo/read-limits.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { ErasureContext } from '../privacy/erasure-step.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import { anyOf, filtersByEmail, isInJson, mentionsOf, redactJson } from '../privacy/mentions.ts';
import { hasEmail, type Person, SUPPRESSED } from '../privacy/person.ts';
import {
  personalCollection,
  type Replaced,
  rewritePersonal,
  scanPersonal,
} from '../privacy/personal-scan.ts';
import { namesPerson, payloadsNaming, suppressedPayload } from './event-people.ts';
import { EVENT_WINDOW, scanTypes } from './event-scan.ts';
import { BY_CONVERSATION, EVENT_FIELDS, type EventDoc, type EventSource } from './outbox-event.model.ts';

/** What the outbox stores about people. */
export function outboxErasureStore({ Event }: { Event: Model<EventDoc> }, encryption: FieldEncryption) {
  const events = personalCollection(Event, EVENT_FIELDS, encryption);

  /** Reads the next window of the tenant's events that match a condition, given as a filter and as a predicate. */
  const scan = (
    tenant: TenantRef,
    condition: { match: mongo.Document; matches: (event: EventDoc) => boolean },
    position: unknown,
  ) =>
    scanTypes(position, (event, after) =>
      scanPersonal<EventDoc>(events, {
        ...{ tenant, of: { event }, after, size: EVENT_WINDOW, ...condition },
        projection: { customType: 1, conversationId: 1 },
      }),
    );

  return {
    /**
     * Returns the next events that the person caused. A dry run leaves out the events of conversations, which are counted
     * with those.
     */
    scanOwn: ({ tenant, person, isDryRun }: ErasureContext, after: unknown) => {
      const { visitorIds, emails } = person;
      const own = anyOf([
        visitorIds.length === 0 ? null : { 'source.visitorId': { $in: visitorIds } },
        ...filtersByEmail('source.visitorId', emails),
        ...payloadsNaming(person),
      ]);
      if (!own) return { ids: [], next: null };
      const match = { ...own, ...(isDryRun && { conversationId: { $exists: false } }) };
      const isNamed = namesPerson(person);
      const isVisitor = (id: string) => visitorIds.includes(id) || hasEmail(person, id);
      const matches = (event: EventDoc) =>
        (isVisitor(event.source?.visitorId ?? '') || isNamed(event)) &&
        !(isDryRun && event.conversationId !== undefined);
      return scan(tenant, { match, matches }, after);
    },

    /** Returns the next events that mention the person. */
    scanMentions(tenant: TenantRef, person: Person, after: unknown) {
      const mentions = mentionsOf(person, { isJson: true });
      const match = anyOf(['payload', 'source.properties'].map(mentions.filter));
      const matches = ({ payload, source }: EventDoc) =>
        isInJson(payload, mentions) || isInJson(source?.properties ?? '', mentions);
      return match ? scan(tenant, { match, matches }, after) : { ids: [], next: null };
    },

    /** Replaces mentions of the person in events. */
    async redact({ customerId }: TenantRef, person: Person, ids: readonly string[]): Promise<Replaced> {
      const mentions = mentionsOf(person, { isJson: true });
      const found = await Event.find({ customerId, _id: { $in: objectIdsOf(ids) } }).lean<EventDoc[]>();
      return rewritePersonal(events, found, ({ field, value }) => {
        if (field === 'payload') return redactJson(String(value), mentions);
        const source = value as EventSource;
        return source.properties === null
          ? source
          : { ...source, properties: redactJson(source.properties, mentions) };
      });
    },

    /** Returns the ids of the events of conversations, each with its conversation. */
    async ofConversations({ customerId }: TenantRef, conversationIds: readonly string[]) {
      const found = await events.collection
        .find(
          { conversationId: { $in: [...conversationIds] }, customerId },
          { projection: { conversationId: 1 }, hint: BY_CONVERSATION, ...READ_LIMIT },
        )
        .toArray();
      return found.map(({ _id, conversationId }) => ({
        id: String(_id),
        conversationId: String(conversationId),
      }));
    },

    /** Replaces what events say about the visitor of their conversation, a suppressed person. */
    async suppress({ customerId }: TenantRef, ids: readonly string[]): Promise<void> {
      const found = await Event.find({ customerId, _id: { $in: objectIdsOf(ids) } }).lean<EventDoc[]>();
      await rewritePersonal(events, found, ({ field, value }) =>
        field === 'payload'
          ? suppressedPayload(String(value))
          : { ...(value as EventSource), visitorId: SUPPRESSED, properties: null },
      );
    },

    async remove({ customerId }: TenantRef, ids: readonly string[]): Promise<void> {
      await Event.deleteMany({ customerId, _id: { $in: objectIdsOf(ids) } });
    },
  };
}

export type OutboxErasureStore = ReturnType<typeof outboxErasureStore>;
