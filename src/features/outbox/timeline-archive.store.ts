import { type Model, type mongo, Types } from 'mongoose';
import { isDuplicateOnly } from '../../platform/mongo/duplicate-key.ts';
import { byIds, type DocumentRef } from '../../platform/mongo/ids-of-tenants.ts';
import { untypedCollection } from '../../platform/mongo/raw-collection.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import { EVENT_FIELDS, type EventDoc } from './outbox-event.model.ts';
import {
  ARCHIVE_BY_CONVERSATION,
  ARCHIVED_EVENT_FIELDS,
  type ArchivedEventDoc,
} from './timeline-archive.model.ts';

interface Models {
  Event: Model<EventDoc>;
  ArchivedEvent: Model<ArchivedEventDoc>;
}

/** Returns which of the conversations are stored, of several tenants. */
type StoredConversations = (conversations: readonly DocumentRef[]) => Promise<ReadonlySet<string>>;

/** Events of conversations whose deliveries retention has removed, for the timelines of the conversations. */
export function timelineArchiveStore({ Event, ArchivedEvent }: Models, encryption: FieldEncryption) {
  const archive = untypedCollection(ArchivedEvent);

  /**
   * Inserts copies; a ciphertext is bound to its collection, so it is re-encrypted. Returns the ids of the events whose key
   * is unknown here. One that was modified or moved has no copy: no process can read it.
   */
  async function insertMissing(events: ArchivedEventDoc[]): Promise<Set<string>> {
    const uncopied = new Set<string>();
    const readable = await encryption.decryptReadable(EVENT_FIELDS, events, ({ _id }, reason) => {
      if (reason === 'unknown_key') uncopied.add(_id.toHexString());
    });
    const entries = await encryption.encrypt(ARCHIVED_EVENT_FIELDS, readable);
    if (entries.length === 0) return uncopied;
    try {
      await archive.insertMany(entries as unknown as mongo.Document[], { ordered: false });
    } catch (error) {
      // An earlier run that was interrupted has inserted some.
      if (!isDuplicateOnly(error)) throw error;
    }
    return uncopied;
  }

  return {
    /**
     * Copies the events that belong to stored conversations, before they are removed with their deliveries. Returns the ids
     * of those that could not be copied, because this process lacks their key: they must stay.
     */
    async keep(
      events: readonly DocumentRef[],
      storedConversations: StoredConversations,
    ): Promise<ReadonlySet<string>> {
      const found = await Event.find(
        { ...byIds(events), conversationId: { $exists: true } },
        { customerId: 1, event: 1, customType: 1, payload: 1, conversationId: 1, createdAt: 1 },
      )
        .hint({ _id: 1 })
        .lean<ArchivedEventDoc[]>();
      if (found.length === 0) return new Set();
      const uncopied = await insertMissing(found);
      // After the insertion: an erasure removes a conversation first and its timeline afterwards, so that it finds the
      // entries of every conversation that is still stored here.
      const stored = await storedConversations(
        found.map(({ conversationId, customerId }) => ({
          _id: new Types.ObjectId(conversationId),
          customerId,
        })),
      );
      const orphans = found.filter(({ conversationId }) => !stored.has(conversationId));
      for (const { _id } of orphans) uncopied.delete(_id.toHexString());
      if (orphans.length === 0) return uncopied;
      await archive.deleteMany({
        ...byIds(orphans),
        conversationId: { $in: orphans.map(({ conversationId }) => conversationId) },
      } as mongo.Filter<mongo.Document>);
      return uncopied;
    },

    /** Oldest first. */
    ofConversation: async (tenant: TenantRef, conversationId: string, limit: number) =>
      encryption.decryptForView(
        ARCHIVED_EVENT_FIELDS,
        await ArchivedEvent.find({ customerId: tenant.customerId, conversationId })
          .sort({ _id: 1 })
          .hint(ARCHIVE_BY_CONVERSATION)
          .limit(limit)
          .lean<ArchivedEventDoc[]>(),
      ),
  };
}

export type TimelineArchiveStore = ReturnType<typeof timelineArchiveStore>;
