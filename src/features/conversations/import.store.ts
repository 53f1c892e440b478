import { type Model, mongo, Types } from 'mongoose';
import { isObjectIdText } from '../../platform/cursor.ts';
import { duplicateKeyOf } from '../../platform/mongo/duplicate-key.ts';
import { change, insertion, type Write } from '../../platform/mongo/write.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { ConversationDoc, MessageDoc, RecordDoc } from './conversations.model.ts';

interface Models {
  Conversation: Model<ConversationDoc>;
  Message: Model<MessageDoc>;
  ConversationRecord: Model<RecordDoc>;
}

/** Whom a conversation belongs to while it is being imported: no tenant, so nobody sees it. */
const hiddenOf = ({ customerId }: Tenant): number => -customerId;
/** Whom one belongs to that is to be cleared away. */
const NOBODY = 0;

const DUPLICATE = 11_000;

/**
 * What imports write. It is not one transaction: that of a process that was killed would lock what it has touched for
 * a minute, and a long transcript does not fit into one. Instead a conversation is stored hidden, then all that it has,
 * and is revealed by one write of its own; what is left of one that never was is cleared away by the next import.
 */
export function importStore({ Conversation, Message, ConversationRecord }: Models) {
  return {
    /**
     * What has to be known before conversations with these ids are imported: which of them the tenant has, imported
     * or of its own; and which are ids of anybody's, so that they cannot be used again.
     */
    async standing(tenant: Tenant, ids: string[]): Promise<{ known: Set<string>; taken: Set<string> }> {
      const { customerId } = tenant;
      const rows = await Conversation.find(
        {
          $or: [
            { customerId, importId: { $in: ids } },
            { _id: { $in: ids.filter(isObjectIdText).map((id) => new Types.ObjectId(id)) } },
          ],
        },
        { customerId: 1, importId: 1 },
      ).lean<ConversationDoc[]>();
      const known = new Set<string>();
      for (const row of rows) {
        if (row.customerId !== customerId) continue;
        known.add(row._id.toHexString());
        if (row.importId !== undefined) known.add(row.importId);
      }
      return { known, taken: new Set(rows.map(({ _id }) => _id.toHexString())) };
    },

    /** Stores a conversation for the time being. */
    hidden: (tenant: Tenant, conversation: ConversationDoc): Write =>
      insertion(Conversation, { ...conversation, customerId: hiddenOf(tenant) }),

    /** Makes it the tenant's: from then on it is there. */
    revealing: (tenant: Tenant, id: Types.ObjectId): Write =>
      change(
        Conversation,
        { _id: id, customerId: hiddenOf(tenant) },
        { $set: { customerId: tenant.customerId } },
      ),

    /** Makes them the tenant's, each for itself; one that another import was faster with stays hidden. */
    async reveal(tenant: Tenant, ids: Types.ObjectId[]): Promise<void> {
      const { customerId } = tenant;
      const hidden = { _id: { $in: ids }, customerId: hiddenOf(tenant) };
      try {
        await Conversation.collection.updateMany(hidden, { $set: { customerId } });
      } catch (error) {
        if (duplicateKeyOf(error) === null) throw error;
        // It has stopped there.
        await this.run(ids.map((id) => this.revealing(tenant, id)));
      }
    },

    /** Which of them are there: true when revealed, false while hidden. */
    async found(tenant: Tenant, ids: Types.ObjectId[]): Promise<Map<string, boolean>> {
      const { customerId } = tenant;
      const rows = await Conversation.find(
        { _id: { $in: ids }, customerId: { $in: [customerId, hiddenOf(tenant)] } },
        { customerId: 1 },
      ).lean<ConversationDoc[]>();
      return new Map(rows.map((row) => [row._id.toHexString(), row.customerId === customerId]));
    },

    /**
     * Runs writes of one collection, each for itself.
     *
     * @returns places of those that were refused, since something else has their key
     */
    async run(writes: Write[]): Promise<number[]> {
      const [first] = writes;
      if (!first) return [];
      try {
        await first.collection.bulkWrite(
          writes.map(({ operation }) => operation),
          { ordered: false },
        );
        return [];
      } catch (error) {
        if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
        const refused = [error.writeErrors].flat();
        if (refused.length === 0 || refused.some(({ code }) => code !== DUPLICATE)) throw error;
        return refused.map(({ index }) => index);
      }
    },

    /**
     * Takes back what is hidden, so that nobody can reveal it any more, and removes what there is of it.
     *
     * @param ids null: all of the tenant, left behind by whichever import
     */
    async clear(tenant: Tenant, ids: Types.ObjectId[] | null): Promise<void> {
      await Conversation.collection.updateMany(
        { customerId: hiddenOf(tenant), ...(ids && { _id: { $in: ids } }) },
        { $set: { customerId: NOBODY }, $unset: { importId: '' } },
      );
      const rows = await Conversation.find({ customerId: NOBODY }, { _id: 1 }).lean<ConversationDoc[]>();
      if (rows.length === 0) return;
      const conversationId = { $in: rows.map(({ _id }) => _id) };
      await Message.deleteMany({ conversationId });
      await ConversationRecord.deleteMany({ conversationId });
      await Conversation.deleteMany({ _id: conversationId, customerId: NOBODY });
    },
  };
}

export type ImportStore = ReturnType<typeof importStore>;
