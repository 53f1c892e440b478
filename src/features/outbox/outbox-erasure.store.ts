import type { Model, mongo } from 'mongoose';
import { escapePattern } from '../../platform/escape-pattern.ts';
import { objectIdsOf } from '../../platform/mongo/object-id.ts';
import { rawCollection } from '../../platform/mongo/raw-collection.ts';
import { READ_LIMIT } from '../../platform/mongo/read-limits.ts';
import type { ErasureContext, TenantRef } from '../privacy/erasure-step.ts';
import { anyOf, mentionsOf, redactJson } from '../privacy/mentions.ts';
import type { Person } from '../privacy/person.ts';
import { eventScan } from './event-scan.ts';
import { BY_CONVERSATION, type EventDoc } from './outbox-event.model.ts';

/** What the outbox stores about people. */
export function outboxErasureStore({ Event }: { Event: Model<EventDoc> }) {
  const collection = rawCollection(Event) as unknown as mongo.Collection;

  const scan = eventScan(collection);

  return {
    /**
     * Returns the next events that the person caused. A dry run leaves out the events of conversations, which are counted
     * with those.
     */
    scanOwn: ({ tenant, person, isDryRun }: ErasureContext, after: unknown) => {
      const payloads = payloadsNaming(person);
      if (payloads.length === 0) return { ids: [], next: null };
      const match = anyOf([{ 'source.visitorId': { $in: person.visitorIds } }, ...payloads]);
      return scan(tenant, { ...match, ...(isDryRun && { conversationId: { $exists: false } }) }, after);
    },

    /** Returns the next events that mention the person. */
    scanMentions(tenant: TenantRef, person: Person, after: unknown) {
      const { filter } = mentionsOf(person, { isJson: true });
      const match = anyOf([filter('payload'), filter('source.properties')]);
      return match ? scan(tenant, match, after) : { ids: [], next: null };
    },

    async redact({ customerId }: TenantRef, person: Person, ids: readonly string[]): Promise<void> {
      const mentions = mentionsOf(person, { isJson: true });
      const found = await Event.find({ customerId, _id: { $in: objectIdsOf(ids) } }).lean<EventDoc[]>();
      if (found.length === 0) return;
      await collection.bulkWrite(
        found.map(({ _id, payload, source }) => ({
          updateOne: {
            filter: {
              _id,
              customerId,
              payload,
              ...(source?.properties && { 'source.properties': source.properties }),
            },
            update: {
              $set: {
                payload: redactJson(payload, mentions),
                ...(source?.properties && { 'source.properties': redactJson(source.properties, mentions) }),
              },
            },
          },
        })),
        { ordered: false },
      );
    },

    /** Returns the ids of the events of conversations, each with its conversation. */
    async ofConversations({ customerId }: TenantRef, conversationIds: readonly string[]) {
      const found = await collection
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

    async remove({ customerId }: TenantRef, ids: readonly string[]): Promise<void> {
      await Event.deleteMany({ customerId, _id: { $in: objectIdsOf(ids) } });
    },
  };
}

export type OutboxErasureStore = ReturnType<typeof outboxErasureStore>;

/** Members per pattern: the database refuses long patterns. */
const MEMBERS_PER_PATTERN = 50;

/**
 * Returns filters on the payloads of events that a person caused. Custom events are left out: their properties can have a
 * member of the same name. The source of a custom event says who caused it, and its conversation, which is of the same
 * visitor, once it is archived.
 */
export const payloadsNaming = ({ visitorIds, personIds }: Pick<Person, 'visitorIds' | 'personIds'>) =>
  payloadWith([
    ...visitorIds.map((visitorId) => ({ visitorId })),
    ...personIds.map((resolvedPersonId) => ({ resolvedPersonId })),
  ]);

/** Returns filters on payloads with one of the members: JSON that this service has written, without spaces. */
function payloadWith(members: Record<string, string>[]): mongo.Document[] {
  const escaped = members.map((member) => escapePattern(JSON.stringify(member).slice(1, -1)));
  const patterns: string[] = [];
  for (let from = 0; from < escaped.length; from += MEMBERS_PER_PATTERN)
    patterns.push(escaped.slice(from, from + MEMBERS_PER_PATTERN).join('|'));
  return patterns.map(($regex) => ({ payload: { $regex }, customType: { $exists: false } }));
}
