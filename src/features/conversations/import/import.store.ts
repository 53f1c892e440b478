import { type Model, type mongo, Types } from 'mongoose';
import { insertion, type Write } from '../../../platform/commit/unit-of-work.ts';
import { refusedAsDuplicates } from '../../../platform/mongo/duplicate-key.ts';
import { isObjectIdText } from '../../../platform/mongo/object-id.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { FieldEncryption } from '../../privacy/field-encryption.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import {
  type ConversationDoc,
  IMPORT_ID_INDEX,
  type MessageDoc,
  type MilestoneDoc,
} from '../conversations.model.ts';
import { type Publication, STAGED_FIELDS, type StagedConversationDoc } from './import.model.ts';

interface Models {
  Conversation: Model<ConversationDoc>;
  Message: Model<MessageDoc>;
  ConversationMilestone: Model<MilestoneDoc>;
  StagedConversation: Model<StagedConversationDoc>;
}

interface Selection {
  _id?: { $in: Types.ObjectId[] };
  token?: string;
}

/**
 * Inserts documents into one collection, independently of each other.
 *
 * @returns indexes of the insertions that a unique key refused
 */
async function insertEach(insertions: Write[]): Promise<number[]> {
  const [first] = insertions;
  if (!first) return [];
  try {
    await first.collection.bulkWrite(
      insertions.map(({ operation }) => operation),
      { ordered: false },
    );
    return [];
  } catch (error) {
    return refusedAsDuplicates(error);
  }
}

/**
 * Writes imports without transactions: a killed process would leave its documents locked for a minute, and a long
 * transcript does not fit into a transaction. Instead, an import stages a conversation, inserts its messages and
 * milestones, which no query reads without the conversation, and then publishes it: see `StagedConversationDoc`.
 */
export function importStore(
  { Conversation, Message, ConversationMilestone, StagedConversation }: Models,
  encryption: FieldEncryption,
) {
  /**
   * Removes reservations, with the messages and milestones of conversations that were not stored.
   *
   * @param of selects the reservations; all of the tenant's by default
   * @param from filter on the state; any by default
   */
  async function discardAll(
    { customerId }: TenantRef,
    { of = {}, from = {} }: { of?: Selection; from?: mongo.Document },
  ): Promise<void> {
    await StagedConversation.updateMany({ ...of, ...from, customerId }, { $set: { state: 'discarding' } });
    const discarding = { ...of, customerId, state: 'discarding' as const };
    const ids = await StagedConversation.distinct('_id', discarding);
    if (ids.length === 0) return;
    // Not by `distinct`, which also returns documents that a sharded cluster is moving.
    const stored = await Conversation.find({ _id: { $in: ids }, customerId }, { _id: 1 }).lean<
      ConversationDoc[]
    >();
    const isStored = new Set(stored.map(({ _id }) => _id.toHexString()));
    // With the tenant, because another tenant's conversation may have the id.
    const contents = {
      conversationId: { $in: ids.filter((id) => !isStored.has(id.toHexString())) },
      customerId,
    };
    await Message.deleteMany(contents);
    await ConversationMilestone.deleteMany(contents);
    await StagedConversation.deleteMany({ _id: { $in: ids }, customerId, state: 'discarding' });
  }

  return {
    insertEach,

    /** Returns the ids of the tenant's stored conversations, by id and by import id. */
    async known({ customerId }: Tenant, ids: string[]): Promise<Map<string, string>> {
      if (ids.length === 0) return new Map();
      const objectIds = ids.filter(isObjectIdText).map((id) => new Types.ObjectId(id));
      const find = (filter: mongo.Document, hint: mongo.IndexSpecification) =>
        Conversation.find({ customerId, ...filter }, { importId: 1 })
          .hint(hint)
          .lean<ConversationDoc[]>();
      // One query for each index: an `$or` does not use the partial one and reads all of the tenant's conversations.
      const found = await Promise.all([
        find({ importId: { $in: ids } }, IMPORT_ID_INDEX),
        ...(objectIds.length > 0 ? [find({ _id: { $in: objectIds } }, { _id: 1 })] : []),
      ]);
      const rows = found.flat();
      const byId = rows.map(({ _id }) => [_id.toHexString(), _id.toHexString()] as const);
      const byImportId = rows.flatMap(({ _id, importId }) =>
        importId === undefined ? [] : [[importId, _id.toHexString()] as const],
      );
      return new Map([...byId, ...byImportId]);
    },

    /** Returns which of the ids any tenant's conversation uses. */
    async taken(ids: Types.ObjectId[]): Promise<Set<string>> {
      if (ids.length === 0) return new Set();
      const rows = await Conversation.find({ _id: { $in: ids } }, { _id: 1 }).lean<ConversationDoc[]>();
      return new Set(rows.map(({ _id }) => _id.toHexString()));
    },

    /** Reserves both ids of a conversation. Refused while another import has reserved one of them. */
    async staging(token: string, { conversation, events }: Publication): Promise<Write[]> {
      const { _id, customerId, importId } = conversation;
      const staged: StagedConversationDoc = {
        ...{ _id, customerId, token, state: 'staged' },
        ...(importId !== undefined && { importId }),
        publication: { conversation, events },
      };
      return (await encryption.encrypt(STAGED_FIELDS, [staged])).map((document) =>
        insertion(StagedConversation, document),
      );
    },

    /**
     * Marks staged conversations as being published, so that no import discards them.
     *
     * @returns false if another import has already discarded one
     */
    async beginPublishing(token: string, ids: Types.ObjectId[]): Promise<boolean> {
      if (ids.length === 0) return true;
      const staged = { _id: { $in: ids }, token, state: 'staged' as const };
      const { matchedCount } = await StagedConversation.updateMany(staged, { $set: { state: 'publishing' } });
      return matchedCount === ids.length;
    },

    /** Returns publications of earlier imports that may be incomplete. */
    async publishing({ customerId }: Tenant): Promise<Publication[]> {
      const rows = await StagedConversation.find({ customerId, state: 'publishing' }).lean<
        StagedConversationDoc[]
      >();
      const staged = await encryption.decryptReadable(STAGED_FIELDS, rows);
      return staged.flatMap(({ publication }) => publication ?? []);
    },

    /** Removes reservations of conversations that are stored, or have no stored messages. */
    async unstage(token: string, ids: Types.ObjectId[]): Promise<void> {
      if (ids.length > 0) await StagedConversation.deleteMany({ _id: { $in: ids }, token });
    },

    /** Discards conversations of a batch that could not be stored. */
    async discard(tenant: Tenant, token: string, ids: Types.ObjectId[]): Promise<void> {
      if (ids.length > 0) await discardAll(tenant, { of: { _id: { $in: ids }, token } });
    },

    /** Discards what earlier imports of the tenant staged but did not begin to publish. */
    discardStaged: (tenant: Tenant): Promise<void> =>
      discardAll(tenant, { from: { state: { $ne: 'publishing' } } }),

    /** Discards conversations that no import will publish any more. */
    discardUnpublished: (tenant: TenantRef, ids: Types.ObjectId[]): Promise<void> =>
      discardAll(tenant, { of: { _id: { $in: ids } }, from: { state: { $ne: 'publishing' } } }),

    /** Removes the reservations of published conversations, and the contents of conversations that could not be stored. */
    endPublishing: (tenant: Tenant, ids: Types.ObjectId[]): Promise<void> =>
      discardAll(tenant, { of: { _id: { $in: ids } }, from: { state: 'publishing' } }),
  };
}

export type ImportStore = ReturnType<typeof importStore>;
